"use strict";
(() => {
  // Tables: a click on a heading sorts by it, a second one turns the order.
  const number = text => text === "" || text === "nan" ? NaN : Number(text.replace("inf", "Infinity"));
  const key = cell => cell.dataset.order ?? cell.textContent;
  const compare = (a, b, turn) => {
    const x = number(a), y = number(b);
    if (isNaN(x) && isNaN(y)) return turn * a.localeCompare(b, undefined, {numeric: true});
    return isNaN(x) ? 1 : isNaN(y) ? -1 : turn * (x - y);  // what has no value comes last either way
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => heading.querySelector("button").addEventListener("click", () => {
      const turn = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      headings.forEach(other => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", turn > 0 ? "ascending" : "descending");
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => compare(key(a.cells[column]), key(b.cells[column]), turn));
      for (const row of rows) table.tBodies[0].append(row);
    }));
  }

  // On a phone what is long is folded; a tap opens it.
  if (matchMedia("(max-width: 640px)").matches)
    for (const part of document.querySelectorAll("details[open]")) part.open = false;

  const make = (name, attributes, parent, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
    if (text !== undefined) element.textContent = text;
    if (parent) parent.append(element);
    return element;
  };
  const ticks = (low, high, logarithmic) => {
    if (logarithmic) {
      const found = [];
      for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++)
        for (const m of high / low < 30 ? [1, 2, 5] : [1]) {
          const value = m * 10 ** e;
          if (value >= low * 0.999 && value <= high * 1.001) found.push(value);
        }
      return found;
    }
    const raw = (high - low) / 5, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 2.5, 5, 10].map(m => m * power).find(s => s >= raw);
    const found = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) found.push(Number((i * step).toPrecision(12)));
    return found;
  };

  // A call takes no hundred thousand arguments.
  const least = values => values.reduce((a, b) => Math.min(a, b), Infinity);
  const greatest = values => values.reduce((a, b) => Math.max(a, b), -Infinity);

  // The colours and dashes of the figures (benchkit/document/charts.py), by the same numbers.
  const dashes = JSON.parse(document.body.dataset.dashes), count = dashes.length;
  const colourOf = number => `var(--c${number % count})`;
  const dashOf = number => dashes[(number + 3 * Math.floor(number / count)) % count].map(length => 1.4 * length).join(" ");
  const short = value => String(Number(value.toPrecision(4)));

  // Charts that stand where their numbers are.
  for (const svg of document.querySelectorAll("svg.chart")) {
    const chart = JSON.parse(svg.dataset.chart), [left, right, bottom, height] = chart.square ? [46, 326, 292, 340] : [58, 508, 188, 230];
    const key = svg.parentElement.querySelector(".key"), marks = chart.curves.flatMap(curve => curve.marks).filter(mark => mark[1] !== null);
    svg.setAttribute("viewBox", `0 0 ${right + 14} ${height}`);
    const scale = (values, start, end, room) => {
      let low = chart.square ? 0 : least(values), high = chart.square ? 1 : greatest(values);
      if (!chart.square) {
        const more = high > low ? room * (high - low) : 0.05 * Math.abs(high) || 0.05;
        [low, high] = [low - more, high + more];
      }
      return [value => (start + (value - low) / (high - low) * (end - start)).toFixed(1), ticks(low, high, false)];
    };
    const [x, places] = scale(marks.map(mark => mark[0]), left, right, 0);
    const [y, heights] = scale(marks.map(mark => mark[1]), bottom, 12, 0.05);
    for (const [value, text] of chart.ticks.length ? chart.ticks : places.map(place => [place, short(place)])) {
      make("line", {class: "grid", x1: x(value), x2: x(value), y1: 12, y2: bottom}, svg);
      make("text", {x: x(value), y: bottom + 19, "text-anchor": "middle"}, svg, text);
    }
    for (const value of heights) {
      make("line", {class: "grid", x1: left, x2: right, y1: y(value), y2: y(value)}, svg);
      make("text", {x: left - 6, y: y(value), dy: ".35em", "text-anchor": "end"}, svg, short(value));
    }
    if (chart.square) make("line", {class: "axis", x1: left, y1: bottom, x2: right, y2: 12, "stroke-dasharray": "2 4"}, svg);
    make("text", {x: (left + right) / 2, y: height - 3, "text-anchor": "middle"}, svg, chart.x);
    for (const curve of chart.curves) {
      const known = curve.marks.filter(mark => mark[1] !== null), style = `color:${colourOf(curve.style)};stroke-dasharray:${dashOf(curve.style) || "none"}`;
      if (!known.length) continue;
      make("path", {class: "found", style, d: `M${known.map(([a, b]) => `${x(a)} ${y(b)}`).join("L")}`}, svg);
      for (const [a, b, hint] of curve.markers ? known : []) {
        const dot = make("circle", {style, cx: x(a), cy: y(b), r: 3.5}, svg);
        if (hint) make("title", {}, dot, hint);
      }
      const entry = document.createElement("span"), line = make("svg", {width: 28, height: 10, "aria-hidden": "true"});
      make("line", {x2: 28, y1: 5, y2: 5, style}, line);
      entry.append(line, curve.name);
      key.append(entry);
    }
  }

  const source = document.getElementById("data");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  // The markers of the figures: the colour-blind tell the first seven colours apart, and all curves by marker and dash.
  const points = list => `M${list.map(p => p.join(" ")).join("L")}z`;
  const regular = (corners, turn = 0, inner = 0, size = 1.15) => r => {
    const steps = inner ? 2 * corners : corners;
    return points(Array.from({length: steps}, (_, i) => {
      const angle = 2 * Math.PI * i / steps + turn, radius = size * r * (inner && i % 2 ? inner : 1);
      return [radius * Math.sin(angle), -radius * Math.cos(angle)];
    }));
  };
  const turned = (shape, angle) => r => points(shape.map(([x, y]) =>
    [r * (x * Math.cos(angle) - y * Math.sin(angle)), r * (x * Math.sin(angle) + y * Math.cos(angle))]));
  const plus = [[-.4, -1.2], [.4, -1.2], [.4, -.4], [1.2, -.4], [1.2, .4], [.4, .4], [.4, 1.2], [-.4, 1.2], [-.4, .4],
    [-1.2, .4], [-1.2, -.4], [-.4, -.4]];
  const paths = [
    r => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
    r => `M${-r} ${-r}h${2 * r}v${2 * r}h${-2 * r}z`,
    regular(3), regular(4), regular(3, Math.PI),
    turned(plus, 0), turned(plus, Math.PI / 4), regular(5, 0, .4, 1.5),
    regular(3, -Math.PI / 2), regular(3, Math.PI / 2), regular(5), regular(6),
    r => points([[0, -1.4 * r], [.75 * r, 0], [0, 1.4 * r], [-.75 * r, 0]]), regular(4, 0, .35, 1.5),
    r => `M0 0V${1.3 * r}M0 0L${1.1 * r} ${-.7 * r}M0 0L${-1.1 * r} ${-.7 * r}`,
    r => `M0 ${-1.4 * r}V${1.4 * r}`,
  ];
  const styles = new Map(data.algorithms.map((name, place) => {
    const i = data.styles[place], round = Math.floor(i / count);
    return [name, {
      colour: colourOf(i),
      dash: dashOf(i),
      path: paths[(i + round) % count],
    }];
  }));
  const hidden = new Set();
  const mostBands = 3;  // more of them hide each other
  const byId = id => document.getElementById(id);
  const [metric, panel, band, log, legend, plot, thumbnails, first, second, apart] =
    ["metric", "panel", "band", "log", "legend", "plot", "thumbnails", "first", "second", "apart"].map(byId);

  const shown = value => value === null ? "-" : Math.abs(value) > 1e-14 && (Math.abs(value) < 0.0005 || Math.abs(value) >= 1000)
    ? value.toPrecision(3) : value.toFixed(3);
  let pair = null;  // the difference that is shown in place of curves, always with its interval
  const ends = point => pair !== null || band.value === "interval" ? [point[3], point[4]]
    : band.value === "stderr" && point[2] !== null ? [point[1] - point[2], point[1] + point[2]] : [null, null];

  const frame = (chosen, curves, width, height, margin, bands) => {
    const aroundZero = bands && pair !== null;  // thumbnails have curves, and no bands
    const points = curves.flatMap(([, curve]) => curve).filter(point => point[1] !== null);
    const logarithmic = log.checked && !aroundZero && points.some(point => point[1] > 0);
    const values = points.flatMap(p => bands ? [p[1], ...ends(p)] : [p[1]]).filter(v => v !== null && (!logarithmic || v > 0));
    if (aroundZero) values.push(0);
    let low = least(values), high = greatest(values);
    if (!values.length) { low = 0; high = 1; }
    if (low === high) { low -= Math.abs(low) * 0.1 || 0.1; high += Math.abs(high) * 0.1 || 0.1; }
    if (!logarithmic) { const pad = (high - low) * 0.04; low = low >= 0 && !aroundZero && low < high / 3 ? 0 : low - pad; high += pad; }
    const places = chosen.places.map(place => place[0]);
    const first = least(places), last = greatest(places);
    const x = v => margin.left + (v - first) / (last - first || 1) * (width - margin.left - margin.right);
    const scale = logarithmic ? v => Math.log10(Math.max(v, low)) : v => v;
    const y = v => height - margin.bottom - (scale(v) - scale(low)) / (scale(high) - scale(low)) * (height - margin.top - margin.bottom);
    return {x, y, low, high, logarithmic};
  };

  const drawBands = (svg, curves, {x, y}) => {
    for (const [name, curve] of curves) {
      const known = curve.filter(p => p[1] !== null && ends(p)[0] !== null).sort((a, b) => a[0] - b[0]);
      if (known.length < 2) continue;
      const up = known.map(p => `${x(p[0])} ${y(ends(p)[1])}`), down = known.map(p => `${x(p[0])} ${y(ends(p)[0])}`).reverse();
      make("path", {d: `M${[...up, ...down].join("L")}z`, fill: styles.get(name).colour, opacity: "var(--band)"}, svg);
    }
  };

  const draw = (svg, curves, {x, y}, look) => {
    for (const [name, curve] of curves) {
      const style = styles.get(name), known = curve.filter(p => p[1] !== null).sort((a, b) => a[0] - b[0]);
      if (!known.length) continue;
      const group = make("g", {"data-name": name}, svg);
      make("path", {d: `M${known.map(p => `${x(p[0])} ${y(p[1])}`).join("L")}`, fill: "none", stroke: style.colour,
        "stroke-width": look.line, "stroke-dasharray": style.dash, "stroke-linejoin": "round"}, group);
      if (look.marker) for (const p of known) {
        const partial = p[5] < p[6];  // some trials failed: an empty marker
        make("path", {d: style.path(look.marker), transform: `translate(${x(p[0])} ${y(p[1])})`, stroke: style.colour,
          "stroke-width": 1.6, fill: partial ? "var(--card)" : style.colour}, group);
      }
    }
  };

  const visible = chosen => Object.entries(chosen.curves).filter(([name]) => !hidden.has(name));
  const panels = () => data.panels.filter(entry => entry.metric === metric.value);
  const current = () => panels()[Number(panel.value)] ?? panels()[0];

  // Of two methods that were chosen their difference in place of all curves, whichever of the two was written first.
  const difference = chosen => {
    const [a, b] = [first.value, second.value];
    const found = chosen.differences.find(([x, y]) => (x === a && y === b) || (x === b && y === a));
    if (!found) return null;
    const turn = found[0] === a ? 1 : -1, name = `${a} - ${b}`;
    styles.set(name, styles.get(a));
    return [[name, found[2].map(([x, mean, , low, high, ...rest]) =>
      [x, turn * mean, null, ...(low === null ? [null, null] : turn > 0 ? [low, high] : [-high, -low]), ...rest])]];
  };
  const sayApart = chosen => {
    const asked = first.value && second.value;
    apart.hidden = !asked;
    if (!asked) return;
    const places = new Map(chosen.places.map(([x, text]) => [x, text]));
    const ranges = pair === null ? [] : pair[0][1].map(p =>
      `${places.get(p[0])}: ${shown(p[1])}${p[3] === null ? "" : ` [${shown(p[3])}, ${shown(p[4])}]`}`);
    apart.textContent = pair === null ? `No difference of ${first.value} and ${second.value} is at hand here.`
      : `${pair[0][0]}, ${data.note}. By ${chosen.axis}: ${ranges.join("; ")}.`;
  };

  const drawPlot = () => {
    // In the page's own pixels, so that text keeps its size on a narrow screen.
    const chosen = current();
    pair = difference(chosen);
    const curves = pair ?? visible(chosen), width = Math.max(280, plot.clientWidth - 14);
    const narrow = width < 600, height = narrow ? 320 : 440;
    const margin = {left: narrow ? 58 : 66, right: 18, top: 14, bottom: 46};
    const area = frame(chosen, curves, width, height, margin, true);
    sayApart(chosen);
    plot.replaceChildren();
    const svg = make("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${chosen.metric} on ${chosen.name}`}, plot);
    for (const value of ticks(area.low, area.high, area.logarithmic)) {
      make("line", {x1: margin.left, x2: width - margin.right, y1: area.y(value), y2: area.y(value), class: "grid"}, svg);
      make("text", {x: margin.left - 8, y: area.y(value) + 4, "text-anchor": "end", "font-size": 13}, svg, String(Number(value.toPrecision(4))));
    }
    const room = (width - margin.left - margin.right) / 48, every = Math.ceil(chosen.places.length / room);
    chosen.places.forEach(([place, text], i) => {
      make("line", {x1: area.x(place), x2: area.x(place), y1: height - margin.bottom, y2: height - margin.bottom + 5, class: "axis"}, svg);
      if (i % every === 0) make("text", {x: area.x(place), y: height - margin.bottom + 20, "text-anchor": "middle", "font-size": 13}, svg, text);
    });
    make("line", {x1: margin.left, x2: width - margin.right, y1: height - margin.bottom, y2: height - margin.bottom, class: "axis"}, svg);
    make("text", {x: (width + margin.left - margin.right) / 2, y: height - 6, "text-anchor": "middle", "font-size": 14, class: "label"}, svg, chosen.axis);
    make("text", {x: 14, y: (height - margin.bottom + margin.top) / 2, "text-anchor": "middle", "font-size": 14, class: "label",
      transform: `rotate(-90 14 ${(height - margin.bottom + margin.top) / 2})`}, svg, pair === null ? chosen.metric : `difference in ${chosen.metric}`);
    if (pair !== null) make("line", {x1: margin.left, x2: width - margin.right, y1: area.y(0), y2: area.y(0), class: "axis"}, svg);
    drawBands(svg, curves, area);  // below all lines
    draw(svg, curves, area, {line: 2, marker: 4});
    hover(svg, chosen, curves, area, width, height, margin);
  };

  const hover = (svg, chosen, curves, area, width, height, margin) => {
    const line = make("line", {y1: margin.top, y2: height - margin.bottom, class: "axis", visibility: "hidden"}, svg);
    const tip = document.createElement("div");
    tip.className = "tip";
    tip.hidden = true;
    plot.append(tip);
    svg.addEventListener("pointermove", event => {
      const box = svg.getBoundingClientRect(), at = (event.clientX - box.left) / box.width * width;
      const height_at = (event.clientY - box.top) / box.height * height;
      const place = chosen.places.reduce((a, b) => Math.abs(area.x(b[0]) - at) < Math.abs(area.x(a[0]) - at) ? b : a);
      line.setAttribute("x1", area.x(place[0]));
      line.setAttribute("x2", area.x(place[0]));
      line.setAttribute("visibility", "visible");
      const rows = curves.flatMap(([name, curve]) => curve.filter(p => p[0] === place[0]).map(p => [name, p]));
      rows.sort((a, b) => (b[1][1] ?? -Infinity) - (a[1][1] ?? -Infinity));
      const distance = p => p[1] === null ? Infinity : Math.abs(area.y(p[1]) - height_at);
      const near = least(rows.map(([, p]) => distance(p)));
      tip.replaceChildren();
      const title = document.createElement("b");
      title.textContent = `${chosen.axis} ${place[1]}`;
      const table = document.createElement("table");
      for (const [name, p] of rows) {
        const row = table.insertRow();
        if (distance(p) === near) row.className = "near";
        row.insertCell().append(swatch(name));
        for (const text of [name, shown(p[1]) + p[7], p[2] === null ? "" : `±${shown(p[2])}`, p[5] < p[6] ? `${p[5]} of ${p[6]}` : ""])
          row.insertCell().textContent = text;
      }
      tip.append(title, table);
      tip.hidden = false;
      const x = event.clientX - box.left, right = x > box.width * 0.6;
      const beside = box.width - tip.offsetWidth - 4;  // where there is no room beside the finger, the edge has some
      tip.style.left = `${Math.max(4, Math.min(right ? x - tip.offsetWidth - 24 : x + 24, beside))}px`;
      tip.style.top = `${Math.max(4, Math.min(event.clientY - box.top - 20, box.height - tip.offsetHeight))}px`;
    });
    svg.addEventListener("pointerleave", () => { tip.hidden = true; line.setAttribute("visibility", "hidden"); });
  };

  const swatch = name => {
    const style = styles.get(name), svg = make("svg", {viewBox: "0 0 30 12", width: 30, height: 12, "aria-hidden": "true"});
    make("line", {x1: 0, x2: 30, y1: 6, y2: 6, stroke: style.colour, "stroke-width": 2, "stroke-dasharray": style.dash}, svg);
    make("path", {d: style.path(3.6), transform: "translate(15 6)", fill: style.colour, stroke: style.colour, "stroke-width": 1.5}, svg);
    return svg;
  };

  const drawLegend = () => {
    const chosen = current();
    legend.replaceChildren(...data.algorithms.filter(name => name in chosen.curves).map(name => {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", String(!hidden.has(name)));
      button.append(swatch(name), name);
      button.title = "click to show or hide, double-click to show alone";
      button.addEventListener("click", () => { hidden.has(name) ? hidden.delete(name) : hidden.add(name); drawAll(); });
      button.addEventListener("dblclick", () => {
        const others = data.algorithms.filter(other => other !== name), alone = others.every(other => hidden.has(other));
        hidden.clear();
        if (!alone) others.forEach(other => hidden.add(other));
        drawAll();
      });
      return button;
    }));
  };

  const drawThumbnails = () => {
    const all = panels();
    thumbnails.hidden = all.length < 2;
    thumbnails.replaceChildren(...all.map((entry, index) => {
      const button = document.createElement("button");
      button.type = "button";
      button.title = entry.name;
      button.setAttribute("aria-pressed", String(entry === current()));
      const svg = make("svg", {viewBox: "0 0 170 90", "aria-hidden": "true"}), curves = visible(entry);
      draw(svg, curves, frame(entry, curves, 170, 90, {left: 4, right: 4, top: 4, bottom: 4}, false), {line: 1.4, marker: 0});
      const name = document.createElement("span");
      name.textContent = entry.short;
      button.append(svg, name);
      button.addEventListener("click", () => { panel.value = String(index); drawAll(); });
      return button;
    }));
  };

  const drawAll = () => { drawLegend(); drawPlot(); drawThumbnails(); };
  const fillPanels = () => {
    panel.replaceChildren(...panels().map((entry, index) => new Option(entry.name, String(index))));
    drawAll();
  };
  for (const select of [first, second]) {
    select.append(new Option("-", ""), ...data.algorithms.map(name => new Option(name, name)));
    select.addEventListener("change", drawAll);
    select.closest("label").hidden = !data.panels.some(entry => entry.differences.length);
  }
  metric.append(...[...new Set(data.panels.map(entry => entry.metric))].map(name => new Option(name, name)));
  metric.addEventListener("change", fillPanels);
  if (data.algorithms.length > mostBands) band.value = "none";
  for (const control of [panel, band, log]) control.addEventListener("change", drawAll);
  fillPanels();
  let drawnAt = plot.clientWidth;
  new ResizeObserver(() => {
    if (plot.clientWidth !== drawnAt) { drawnAt = plot.clientWidth; drawPlot(); }
  }).observe(plot);
})();
