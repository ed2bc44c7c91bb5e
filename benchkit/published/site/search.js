(() => {
  // Every word that was typed must stand somewhere in an entry; the address keeps the words.
  const entries = JSON.parse(document.getElementById("entries").textContent);
  const field = document.getElementById("words"), hits = document.getElementById("hits"), count = document.getElementById("count");
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = entries.filter(entry => words.every(word => `${entry[0]} ${entry[2]} ${entry[3]}`.toLowerCase().includes(word)));
    hits.replaceChildren(...chosen.slice(0, 200).map(([name, address, kind]) => {
      const item = document.createElement("li"), link = document.createElement("a"), note = document.createElement("span");
      link.href = address;
      link.textContent = name;
      note.textContent = kind;
      item.append(link, note);
      return item;
    }));
    count.textContent = `${chosen.length} of ${entries.length} pages`;
    history.replaceState(null, "", words.length ? `#${encodeURIComponent(field.value)}` : location.pathname + location.search);
  };
  try { field.value = decodeURIComponent(location.hash.slice(1)); } catch { field.value = ""; }
  field.addEventListener("input", show);
  document.addEventListener("keydown", event => {
    if (event.key === "/" && document.activeElement !== field) { event.preventDefault(); field.focus(); }
  });
  show();
})();
