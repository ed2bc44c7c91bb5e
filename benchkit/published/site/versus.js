(() => {
  const data = JSON.parse(document.getElementById("gaps").textContent);
  const byId = id => document.getElementById(id);
  const first = byId("first"), second = byId("second");
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const shown = value => value === null || value === undefined ? "-" : Math.abs(value) >= 1000 || (value !== 0 && Math.abs(value) < 0.0005) ? value.toPrecision(3) : value.toFixed(3);
  const middle = list => list.length ? list.sort((a, b) => a - b)[Math.floor(list.length / 2)] : null;
  const show = () => {
    const a = Number(first.value), b = Number(second.value), rows = [], ratios = [], gains = [], own = [], others = [];
    let better = 0, worse = 0;
    for (const [where, suite, address, reduced, known, pairs] of data.cases) for (const [i, j, mean, low, high, told] of pairs) {
      if (!((i === a && j === b) || (i === b && j === a))) continue;
      const turn = i === a ? 1 : -1, verdict = told * turn;
      better += verdict > 0; worse += verdict < 0;
      if (verdict > 0) gains.push(Math.abs(mean));
      const ends = turn > 0 ? [low, high] : [high === null ? null : -high, low === null ? null : -low];
      const of = place => known.find(each => each[0] === place);
      if (of(a)[2] && of(b)[2]) { ratios.push(of(a)[2] / of(b)[2]); own.push(of(a)[2]); others.push(of(b)[2]); }
      rows.push([make("span", {}, make("a", {href: address}, where), reduced ? make("span", {class: "mark"}, "reduced size") : ""), shown(of(a)[1]), shown(of(b)[1]), `${shown(turn * mean)} [${shown(ends[0])}, ${shown(ends[1])}]`,
        verdict > 0 ? "better" : verdict < 0 ? "worse" : "not decided", shown(of(a)[2]), shown(of(b)[2])]);
    }
    const [one, other] = [data.methods[a], data.methods[b]];
    const time = middle(ratios);
    byId("said").replaceChildren(make("p", {class: "answer"}, a === b ? "Choose two methods." : !rows.length ? `${one} and ${other} answered no case together.`
      : `${one} is better than ${other} in ${better} of ${rows.length} cases${gains.length ? ` (by ${shown(middle(gains))} at the median of these)` : ""}, worse in ${worse}, and in ${rows.length - better - worse} that is not decided.`
        + (time === null ? "" : ` A fit takes ${Number(middle(own).toPrecision(2))} s against ${Number(middle(others).toPrecision(2))} s, and ${Number(time.toPrecision(2))} times as long case by case (medians of ${ratios.length} cases, on one machine each).`)));
    const header = ["case", one, other, "difference [95 %]", "the first is", "seconds of the first", "of the second"];
    const body = rows.map(([head, ...cells]) => make("tr", {}, make("th", {scope: "row"}, head), ...cells.map((cell, place) => make("td", {"data-label": header[place + 1]}, cell))));
    const table = make("table", {class: "plain stack"}, make("thead", {}, make("tr", {}, ...header.map(text => make("th", {scope: "col"}, text)))), make("tbody", {}, ...body));
    const link = make("a", {class: "csv", download: "head-to-head.csv"}, "CSV");
    const lines = [...table.rows].map(row => [...row.cells].map(cell => /[",]/.test(cell.textContent) ? `"${cell.textContent.replaceAll('"', '""')}"` : cell.textContent).join(","));
    link.href = `data:text/csv;charset=utf-8,${encodeURIComponent(`${lines.join("\n")}\n`)}`;
    const named = JSON.stringify([one, other]);
    const line = make("code", {class: "read"}, `pd.read_parquet("${new URL("pairs.parquet", location.href.split("#")[0]).href}").query('first in ${named} and second in ${named}')`);
    byId("pairs").replaceChildren(...(rows.length ? [make("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Differences"}, table), link, line] : []));
    history.replaceState(null, "", `#${new URLSearchParams({a: one, b: other})}`);
  };
  const read = () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const place = (name, otherwise) => { const found = data.methods.indexOf(wanted.get(name)); return String(found < 0 ? otherwise : found); };
    first.value = place("a", Math.max(0, data.methods.indexOf("lp")));
    second.value = place("b", Math.max(0, data.methods.indexOf("svm, tuned on corrupted rows")));
  };
  for (const select of [first, second]) select.addEventListener("change", show);
  byId("pair").addEventListener("submit", event => event.preventDefault());
  addEventListener("hashchange", () => { read(); show(); });
  read();
  show();
})();
