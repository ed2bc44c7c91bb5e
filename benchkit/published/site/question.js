(() => {
  // The question stands in the address: whoever opens it sees the same. What is shown lies in the page.
  const data = JSON.parse(document.getElementById("cases").textContent);
  const byId = id => document.getElementById(id);
  const names = data.filters.map(filter => filter[0]);
  const selects = Object.fromEntries(names.map(name => [name, byId(`f-${name}`)]));
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const draw = (tag, attributes, parent, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  };
  const shown = value => value === null ? "-" : value !== 0 && (Math.abs(value) < 0.0005 || Math.abs(value) >= 1000)
    ? value.toPrecision(3) : value.toFixed(3);
  const seconds = value => value === null ? "-" : value.toPrecision(2).includes("e") ? Number(value.toPrecision(2)).toString() : value.toPrecision(2);
  const within = answer => answer[2] === null ? "" : ` [${shown(answer[2])}, ${shown(answer[3])}]`;
  const fits = (entry, question) => names.every(name => !question[name] || entry.tags[name].includes(question[name]));
  const link = method => make("a", {href: data.methods[method][1]}, data.methods[method][0]);
  const table = (header, rows, caption) => {
    const head = make("thead", {}, make("tr", {}, ...header.map(text => make("th", {scope: "col"}, text))));
    const body = make("tbody", {}, ...rows.map(([first, ...cells]) =>
      make("tr", {}, make("th", {scope: "row"}, first), ...cells.map((cell, place) => make("td", {"data-label": header[place + 1]}, cell)))));
    return make("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption}, make("table", {class: "plain stack"}, head, body));
  };
  const csv = (name, header, rows) => {
    const quoted = value => /[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : value;
    // A cell that a spreadsheet would take for a formula is told to be text.
    const safe = value => typeof value === "string" && /^[=+@-]/.test(value) ? `'${value}` : value ?? "";
    const text = [header, ...rows].map(row => row.map(value => quoted(safe(value))).join(",")).join("\n") + "\n";
    return make("a", {class: "csv", download: name, href: `data:text/csv;charset=utf-8,${encodeURIComponent(text)}`}, "CSV");
  };

  // The line of Python that reads what a table shows out of a file beside this page.
  const line = (file, rest) => make("code", {class: "read"}, `pd.read_parquet("${new URL(file, location.href.split("#")[0]).href}")${rest}`);
  const text = value => JSON.stringify(value).replaceAll("'", "\\'");
  const query = question => {
    const parts = names.filter(name => question[name]).map(name => `${data.columns[name]}.str.contains(${text(question[name])})`);
    return parts.length ? `.query('${parts.join(" and ")}', engine="python")` : "";
  };
  const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

  let cases = [], focus = null;
  const read = () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    for (const name of names) {
      const value = wanted.get(name);
      if (value !== null && [...selects[name].options].some(option => option.value === value)) selects[name].value = value;
      else selects[name].selectedIndex = 0;
    }
    focus = wanted.get("case");
  };
  const write = () => {
    const wanted = new URLSearchParams();
    for (const name of names) if (selects[name].value) wanted.set(name, selects[name].value);
    if (focus) wanted.set("case", focus);
    history.replaceState(null, "", `#${wanted}`);
  };
  const key = entry => `${data.suites[entry.suite][0]}, ${entry.title}, ${entry.where}`;
  const show = () => {
    const question = Object.fromEntries(names.map(name => [name, selects[name].value]));
    if (question.task === "regression") question.classes = "";
    cases = data.cases.filter(entry => fits(entry, question));
    const told = [];
    if (!cases.length) {
      // The nearest that there is: the same question without the part that costs least.
      const wider = names.slice(2).filter(name => question[name])
        .map(name => [name, data.cases.filter(entry => fits(entry, {...question, [name]: ""}))]).filter(pair => pair[1].length)
        .sort((a, b) => b[1].length - a[1].length);
      told.push(make("p", {class: "caution"}, "Nothing published answers this question: no suite has such a loss on such data."));
      if (wider.length) {
        const [name, found] = wider[0];
        const words = data.filters.find(filter => filter[0] === name)[1];
        told.push(make("p", {}, `Below is the nearest that there is: the same question with any ${words}, ${found.length} cases. It need not hold for your data.`));
        cases = found; question[name] = "";
      }
      told.push(make("p", {}, "To find out on your own table: ", make("code", {}, "benchkit new suite"), " and ", make("code", {}, "benchkit run"), "."));
    }
    document.body.classList.toggle("empty", !cases.length);
    tell(question);
    byId("answer").prepend(...told);
    one(cases.find(entry => key(entry) === focus) ?? fullest());
    write();
  };

  // Nobody asked for a case: of a whole size, the one that compares most methods, over most repetitions.
  const fullness = entry => [data.suites[entry.suite][3] ? 0 : 1, entry.answers.length, entry.repetitions];
  const fuller = (a, b) => { const place = a.findIndex((value, at) => value !== b[at]); return place >= 0 && a[place] > b[place]; };
  const fullest = () => cases.reduce((best, entry) => !best || fuller(fullness(entry), fullness(best)) ? entry : best, undefined);

  const tell = question => {
    const box = byId("answer"), over = byId("over"), where = byId("where");
    const sets = new Set(cases.map(entry => entry.data));
    over.replaceChildren(); where.replaceChildren();
    if (!cases.length) { box.replaceChildren(); return; }
    const tally = new Map();
    for (const entry of cases) for (const answer of entry.answers) {
      const known = tally.get(answer[0]) ?? {cases: 0, first: 0, worse: 0, seconds: []};
      known.cases++; known.first += answer[4] === 1; known.worse += answer[4] > 1;
      if (answer[5] !== null) known.seconds.push(answer[5]);
      tally.set(answer[0], known);
    }
    const order = [...tally].sort(([, a], [, b]) => (b.first + 1) / (b.cases + 2) - (a.first + 1) / (a.cases + 2) || b.cases - a.cases);
    const never = order.filter(([, known]) => known.first === known.cases && known.cases >= cases.length / 4);
    const judged = data.selections[names.map(name => question[name]).join("|")];
    const counted = `${plural(cases.length, "case")} on ${plural(sets.size, "data set")}`;
    const where_ = cases.length === 1 ? `On ${cases[0].title}, ${cases[0].where},` : `In ${counted}`;
    const list = found => found.map(([method, known]) => data.methods[method][0] + (known.cases < cases.length ? ` (compared in ${known.cases})` : "")).join("; ");
    const bar = never.find(([method]) => data.bars[method]);
    const said = [];
    if (bar) {
      // Who is not shown to be better than an answer that looks at nothing is recommended to nobody.
      const others = never.filter(([method]) => !data.bars[method]);
      said.push((cases.length === 1 ? `${where_} no method is` : `In none of ${plural(bar[1].cases, "case")} is a method`)
        + ` shown to be better than ${data.bars[bar[0]]} (${data.methods[bar[0]][0]}).`
        + (others.length ? ` No worse than that: ${list(others)}.` : ""));
      const worse = order.filter(([, known]) => known.worse === known.cases);
      if (worse.length) said.push(`Shown to be worse: ${list(worse)}.`);
    } else if (never.length) said.push(`${where_} no method is shown to be better than ${list(never)}.`);
    else {
      const often = order.filter(([method, known]) => known.cases >= cases.length / 4 && !data.bars[method]).slice(0, 3)
        .map(([method, known]) => `${data.methods[method][0]} (${known.first} of ${plural(known.cases, "case")})`);
      said.push(`${where_} no method is among the best in all that it took part in: which one to use depends on the data.`
        + (often.length ? ` Most often among the best: ${often.join(", ")}.` : ""));
    }
    if (judged !== undefined) {
      const first = data.over[judged].methods.filter(row => row[1] === 1).map(row => row[0]);
      said.push(`Over ${data.over[judged].data.length} data sets with the same methods, taken together, cannot be told from the best: ${first.join("; ")}.`);
    } else said.push("Too few data sets have the same methods to say anything of data sets in general.");
    box.replaceChildren(...said.map(words => make("p", {class: "answer"}, words)));
    const middle = list => list.length ? list.sort((a, b) => a - b)[Math.floor(list.length / 2)] : null;
    const header = ["method", "in the first tier", "shown to be worse", "median seconds of a fit"];
    const listed = order.map(([method, known]) => [link(method), `${known.first} of ${known.cases}`, `${known.worse} of ${known.cases}`, seconds(middle(known.seconds))]);
    over.append(table(header, listed.slice(0, 12), "Methods over the cases"));
    if (listed.length > 12) over.append(make("details", {}, make("summary", {}, `The other ${listed.length - 12} methods`), table(header, listed.slice(12), "Further methods over the cases")));
    over.append(csv("methods.csv", header, order.map(([method, known]) => [data.methods[method][0], known.first, known.worse, middle(known.seconds)])),
      line("cases.parquet", `${query(question)}.groupby("method").agg(cases=("tier", "size"), first=("tier", lambda tier: (tier == 1).sum()), seconds=("fit_seconds", "median"))`));
    if (judged !== undefined) {
      const head = ["method", "tier over data sets", question.task === "regression" ? "mean rank" : "mean error, each data set alike"];
      const rows = data.over[judged].methods;
      over.append(make("h3", {}, `Over ${data.over[judged].data.length} data sets: ${data.over[judged].data.join(", ")}`),
        table(head, rows.map(row => [row[0], `${row[1]}`, shown(row[2])]), "Tiers over data sets"), csv("over-data.csv", head, rows),
        line("over-data.parquet", `.query("over == ${judged}")`));
    }
    const rows = cases.map(entry => {
      const button = make("button", {type: "button", class: "chip"}, `${entry.title}, ${entry.where}`);
      button.addEventListener("click", () => { focus = key(entry); one(entry); write(); byId("focus-title").scrollIntoView({block: "center"}); });
      const first = entry.answers.filter(answer => answer[4] === 1).map(answer => data.methods[answer[0]][0]).join("; ");
      const suite = data.suites[entry.suite];
      return [button, first, entry.share === null ? "-" : `${(100 * entry.share).toPrecision(2)} %`, `${entry.repetitions}`, make("span", {}, make("a", {href: suite[2]}, suite[0]), suite[3] ? make("span", {class: "mark"}, "reduced size") : "")];
    });
    const inside = make("details", cases.length <= 12 ? {open: ""} : {}, make("summary", {}, cases.length === 1 ? "The case" : `Each of ${cases.length} cases`),
      table(["case", "cannot be told from the best", "share lost", "repetitions", "suite"], rows, "Cases"),
      csv("cases.csv", ["suite", "case", "where", "metric", "share", "method", "mean", "low", "high", "tier", "fit seconds", "clean mean"],
        cases.flatMap(entry => entry.answers.map(answer => [data.suites[entry.suite][0], entry.title, entry.where, entry.metric, entry.share, data.methods[answer[0]][0], ...answer.slice(1, 7)]))),
      line("cases.parquet", query(question)));
    where.append(inside, make("p", {class: "note"}, "All cases as files: ", make("a", {href: "cases.csv", download: ""}, "CSV"), ", ", make("a", {href: "cases.parquet", download: ""}, "parquet"), "."));
  };

  const one = entry => {
    const title = byId("focus-title"), box = byId("focus-table");
    for (const id of ["focus-table", "curve", "clean", "time"]) byId(id).replaceChildren();
    title.textContent = "";
    if (!entry) return;
    title.textContent = `${entry.metric} on ${entry.title}, ${entry.where}: ${entry.decided} of ${entry.answers.length * (entry.answers.length - 1) / 2} pairs are told apart over ${entry.repetitions} repetitions.`;
    if (data.suites[entry.suite][3]) title.append(make("span", {class: "mark"}, "reduced size"));
    const header = ["method", "tier", `${entry.metric} [95 %]`, "without loss", "seconds of a fit", "trials run again"];
    box.append(table(header, entry.answers.map(answer => [link(answer[0]), `${answer[4]}`, shown(answer[1]) + within(answer), shown(answer[6]), seconds(answer[5]), `${answer[7]} of ${answer[8]}`]), "Methods of this case"),
      csv("case.csv", ["method", entry.metric, "low", "high", "tier", "fit seconds", "clean mean", "run again", "trials"], entry.answers.map(answer => [data.methods[answer[0]][0], ...answer.slice(1)])),
      line("cases.parquet", `.query('suite == ${text(data.suites[entry.suite][0])} and case == ${text(entry.title)} and where == ${text(entry.where)} and metric == ${text(entry.metric)}')`));
    const order = new Map(entry.answers.map((answer, place) => [answer[0], place]));
    const along = data.cases.filter(other => other.curve === entry.curve && other.at !== null);
    const lines = entry.answers.map(answer => [answer[0], [
      ...(answer[6] !== null ? [[0, answer[6], null, null]] : []),
      ...along.flatMap(other => other.answers.filter(each => each[0] === answer[0]).map(each => [other.at, each[1], each[2], each[3]])),
    ].sort((a, b) => a[0] - b[0])]);
    picture(byId("curve"), lines, order, {x: entry.axis, y: entry.metric, joined: true});
    picture(byId("clean"), entry.answers.filter(answer => answer[6] !== null).map(answer => [answer[0], [[answer[6], answer[1], answer[2], answer[3]]]]), order, {x: `${entry.metric} without loss`, y: `${entry.metric} with it`});
    picture(byId("time"), entry.answers.filter(answer => answer[5] > 0).map(answer => [answer[0], [[answer[5], answer[1], answer[2], answer[3]]]]), order, {x: "seconds of a fit", y: `${entry.metric} with the loss`, log: true});
  };

  const picture = (box, curves, order, {x: across, y: upward, joined, log}) => {
    const all = curves.flatMap(curve => curve[1]);
    if (!all.length) { box.append(make("p", {class: "note"}, "Not measured here.")); return; }
    const scale = value => log ? Math.log10(value) : value;
    const ends = values => { const low = Math.min(...values), high = Math.max(...values), pad = (high - low || Math.abs(high) || 1) * 0.06; return [low - pad, high + pad]; };
    const [left, right] = ends(all.map(point => scale(point[0])));
    const [low, high] = ends(all.flatMap(point => [point[1], ...(joined || point[2] === null ? [] : [point[2], point[3]])]));
    const width = 380, height = 250, x = value => 50 + (scale(value) - left) / (right - left) * (width - 62), y = value => height - 38 - (value - low) / (high - low) * (height - 50);
    const svg = draw("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${upward} by ${across}`}, box);
    const ticks = (from, to) => { const raw = (to - from) / 4, power = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].map(m => m * power).find(s => s >= raw);
      const found = []; for (let i = Math.ceil(from / step); i * step <= to; i++) found.push(Number((i * step).toPrecision(10))); return found; };
    for (const value of ticks(low, high)) { draw("line", {x1: 50, x2: width - 12, y1: y(value), y2: y(value), class: "grid"}, svg); draw("text", {x: 45, y: y(value) + 4, "text-anchor": "end", "font-size": 11}, svg, value); }
    const marks = log ? ticks(left, right).filter(Number.isInteger) : ticks(left, right);
    for (const value of marks.length ? marks : [left]) { const place = log ? 10 ** value : value; draw("text", {x: x(place), y: height - 22, "text-anchor": "middle", "font-size": 11}, svg, log ? Number(place.toPrecision(2)) : value); }
    draw("text", {x: width / 2 + 20, y: height - 5, "text-anchor": "middle", "font-size": 11, class: "label"}, svg, across);
    const labels = [];
    for (const [method, points] of curves) {
      const colour = `var(--c${order.get(method) % 16})`;
      if (joined && points.length > 1) draw("polyline", {points: points.map(point => `${x(point[0])},${y(point[1])}`).join(" "), fill: "none", stroke: colour, "stroke-width": 1.8}, svg);
      for (const point of points) {
        if (!joined && point[2] !== null) draw("line", {x1: x(point[0]), x2: x(point[0]), y1: y(point[2]), y2: y(point[3]), stroke: colour}, svg);
        const dot = draw("circle", {cx: x(point[0]), cy: y(point[1]), r: 3.5, fill: colour}, svg);
        draw("title", {}, dot, `${data.methods[method][0]}: ${shown(point[1])}`);
      }
      const last = points[points.length - 1];
      labels.push([data.methods[method][0], x(last[0]), y(last[1]), colour]);
    }
    // Names stand beside their points, pushed apart where they would cover each other; the table above has the rest.
    labels.sort((a, b) => a[2] - b[2]);
    const taken = [];
    for (const [name, atX, atY] of labels) {
      const text = name.length > 22 ? `${name.slice(0, 21)}…` : name, wide = 5.4 * text.length, right = atX + 7 + wide > width;
      let place = atY + 3; const start = right ? atX - 7 - wide : atX + 7;
      while (taken.some(([a, b, c]) => Math.abs(b - place) < 10 && start < a + c && a < start + wide)) place += 10;
      if (place > height - 40) continue;
      taken.push([start, place, wide]);
      draw("text", {x: start, y: place, "font-size": 10, class: "label"}, svg, text);
    }
  };

  for (const select of Object.values(selects)) select.addEventListener("change", () => { focus = null; show(); });
  byId("question").addEventListener("submit", event => event.preventDefault());
  addEventListener("hashchange", () => { read(); show(); });
  read();
  show();
})();
