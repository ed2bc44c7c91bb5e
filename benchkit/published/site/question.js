(() => {
  // The question stands in the address: whoever opens it sees the same. What is shown lies in the page.
  const data = JSON.parse(document.getElementById("cases").textContent);
  const form = document.getElementById("question"), box = document.getElementById("answer");
  const make = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const method = place => make("a", {href: data.methods[place][1]}, data.methods[place][0]);
  const several = places => make("span", {}, ...places.flatMap((place, at) => at ? ["; ", method(place)] : [method(place)]));
  const table = (header, rows) => make("div", {class: "scroll", tabindex: "0"}, make("table", {},
    make("thead", {}, make("tr", {}, ...header.map(text => make("th", {scope: "col"}, text)))),
    make("tbody", {}, ...rows.map(cells => make("tr", {}, ...cells.map(cell => make("td", {}, cell)))))));
  const show = () => {
    const wanted = data.names.map(name => form.elements[name].value);
    const cases = data.cases.filter(entry => wanted.every((value, at) => !value || entry[3][at] === value));
    history.replaceState(null, "", `#${new URLSearchParams(data.names.map((name, at) => [name, wanted[at]]).filter(pair => pair[1]))}`);
    if (!cases.length) { box.replaceChildren(make("p", {class: "caution"}, "Nothing published answers this question.")); return; }
    const tally = new Map();
    for (const entry of cases) for (const [place, tier] of entry[4]) {
      const count = tally.get(place) ?? [0, 0];
      tally.set(place, [count[0] + (tier === 1), count[1] + 1]);
    }
    const order = [...tally].sort(([, a], [, b]) => (b[0] + 1) / (b[1] + 2) - (a[0] + 1) / (a[1] + 2) || b[1] - a[1]);
    const always = order.filter(([, count]) => count[0] === count[1] && count[1] >= cases.length / 4).map(([place]) => place);
    const trivial = always.filter(place => data.trivial.includes(place));
    const often = order.filter(([place, count]) => count[1] >= cases.length / 4 && !data.trivial.includes(place)).slice(0, 3).map(([place]) => place);
    // Who is not shown to be better than an answer that looks at nothing is recommended to nobody.
    const words = trivial.length ? ["In no case is a method shown to be better than ", several(trivial), "."]
      : always.length ? ["No method is shown to be better, in any case, than ", several(always), "."]
      : ["No method is among the best in all cases that it took part in. Most often: ", several(often), "."];
    box.replaceChildren(make("p", {class: "answer"}, `${cases.length} cases. `, ...words),
      table(["method", "in the first tier", "cases"], order.slice(0, 15).map(([place, count]) => [method(place), `${count[0]}`, `${count[1]}`])),
      make("details", cases.length > 12 ? {} : {open: ""}, make("summary", {}, "The cases"),
        table(["case", "metric", "cannot be told from the best", "best mean of them"], cases.map(([suite, title, metric, , answers]) => {
          const first = answers.filter(answer => answer[1] === 1);
          return [make("a", {href: data.suites[suite][1]}, `${title} (${data.suites[suite][0]})`), metric, several(first.map(answer => answer[0])), `${first[0][2]}`];
        }))));
  };
  const given = new URLSearchParams(location.hash.slice(1));
  for (const name of data.names) if ([...form.elements[name].options].some(option => option.value === given.get(name))) form.elements[name].value = given.get(name);
  form.addEventListener("change", show);
  show();
})();
