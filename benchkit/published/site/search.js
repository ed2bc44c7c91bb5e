(() => {
  // Every word that was typed must stand somewhere in an entry, give or take a typo; the address keeps the words.
  const entries = JSON.parse(document.getElementById("entries").textContent);
  const field = document.getElementById("words"), hits = document.getElementById("hits"), count = document.getElementById("count");
  const texts = entries.map(entry => `${entry[0]} ${entry[2]} ${entry[3]}`.toLowerCase());
  const tokens = texts.map(text => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean));
  const near = (a, b, most) => {  // Levenshtein's distance, two letters that changed places counting once
    if (Math.abs(a.length - b.length) > most) return false;
    let before = [], row = Array.from({length: b.length + 1}, (_, j) => j);
    for (let i = 1; i <= a.length; i++) {
      const next = [i];
      for (let j = 1; j <= b.length; j++) {
        next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] !== b[j - 1]));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) next[j] = Math.min(next[j], before[j - 2] + 1);
      }
      [before, row] = [row, next];
    }
    return row[b.length] <= most;
  };
  const score = (word, place) => {
    if (entries[place][0].toLowerCase() === word) return 0;
    if (entries[place][0].toLowerCase().includes(word)) return 1;
    if (texts[place].includes(word)) return 2;
    const most = word.length < 4 ? 0 : word.length < 8 ? 1 : 2;
    return most && tokens[place].some(token => near(word, token, most)) ? 4 : Infinity;
  };
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const scored = entries.map((entry, place) => [words.map(word => score(word, place)), entry]);
    const sum = points => points.reduce((a, b) => a + b, 0);
    const claim = entry => entry[2].startsWith("claim") ? 0.5 : 0;
    const rank = found => found.sort((a, b) => a[0] - b[0]).map(pair => pair[1]);
    let chosen = rank(scored.map(([points, entry]) => [sum(points) + claim(entry), entry]).filter(([points]) => points < Infinity));
    // No entry has all of the words: those that have most of them come first.
    const some = !chosen.length && words.length > 1;
    if (some) {
      const had = points => points.filter(each => each < Infinity);
      const most = Math.max(...scored.map(([points]) => had(points).length));
      if (most) chosen = rank(scored.filter(([points]) => had(points).length === most).map(([points, entry]) => [sum(had(points)) + claim(entry), entry]));
    }
    hits.replaceChildren(...chosen.slice(0, 200).map(([name, address, kind]) => {
      const item = document.createElement("li"), link = document.createElement("a"), note = document.createElement("span");
      link.href = address;
      link.textContent = name;
      note.textContent = kind;
      item.append(link, note);
      return item;
    }));
    count.textContent = `${chosen.length} of ${entries.length} entries${some && chosen.length ? "; none has all of these words" : ""}`;
    history.replaceState(null, "", words.length ? `#${encodeURIComponent(field.value)}` : location.pathname + location.search);
  };
  const read = () => { try { field.value = decodeURIComponent(location.hash.slice(1)); } catch { field.value = ""; } };
  field.addEventListener("input", show);
  addEventListener("hashchange", () => { read(); show(); });
  document.addEventListener("keydown", event => {
    if (event.key === "/" && document.activeElement !== field) { event.preventDefault(); field.focus(); }
  });
  read();
  show();
})();
