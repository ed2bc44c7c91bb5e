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
  const table = (header, rows) => make("div", {class: "scroll", tabindex: "0"}, make("table", {class: "left"},
    make("thead", {}, make("tr", {}, ...header.map(text => make("th", {scope: "col"}, text)))),
    make("tbody", {}, ...rows.map(cells => make("tr", {}, ...cells.map((cell, at) => at ? make("td", {}, cell) : make("th", {scope: "row"}, cell)))))));
  data.names.forEach((name, at) => {
    const choices = [...new Set(data.cases.map(entry => entry[3][at]))].sort();
    const options = choices.map(choice => make("option", {}, choice));
    form.append(make("label", {}, `${name} `, make("select", {name}, make("option", {value: ""}, "any"), ...options)), " ");
  });
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
    // Who took part in few of the cases says little about them, and stands on its own page.
    const third = order.map(([, count]) => count[1]).sort((a, b) => b - a)[Math.min(2, order.length - 1)];
    const among = order.filter(([, count]) => count[1] >= Math.min(third, cases.length / 4));
    const always = among.filter(([, count]) => count[0] === count[1]).map(([place]) => place);
    const trivial = always.filter(place => data.trivial.includes(place));
    const often = among.map(([place]) => place).filter(place => !data.trivial.includes(place)).slice(0, 3);
    // Who is not shown to be better than an answer that looks at nothing is recommended to nobody.
    const best = trivial.length ? trivial : always;
    const words = best.length ? ["Where it took part, no method is shown to be better than ", several(best), "."]
      : ["No method of the table is in the first tier of all its cases. Most often: ", several(often), "."];
    box.replaceChildren(make("p", {class: "answer"}, `${cases.length.toLocaleString("en")} cases. `, ...words),
      table(["method in many of the cases", "in the first tier", "of its cases"], among.map(([place, count]) => [method(place), `${count[0]}`, `${count[1]}`])),
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
