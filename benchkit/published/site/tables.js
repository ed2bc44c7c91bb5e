(() => {
  // Under each table a link to what it says as CSV.
  const quoted = text => /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const safe = text => /^[=+@-]/.test(text) && isNaN(Number(text)) ? `'${text}` : text;  // no formula for a spreadsheet
  for (const table of document.querySelectorAll("main table.sortable")) {
    // On a phone each row is a card whose entries are named: nothing reaches past the screen.
    const names = [...table.tHead.rows[0].cells].map(cell => cell.textContent.trim());
    table.classList.add("stack");
    for (const row of table.tBodies[0].rows) [...row.cells].forEach((cell, place) => { cell.dataset.label = names[place]; });
    const link = document.createElement("a");
    link.className = "csv";
    link.textContent = "CSV";
    link.href = "#";
    link.download = `${document.title.split(" - ")[0].replace(/[^\w.-]+/g, "-")}.csv`;
    link.addEventListener("click", () => {
      const lines = [...table.rows].map(row => [...row.cells].map(cell => quoted(safe(cell.textContent.trim()))).join(","));
      link.href = `data:text/csv;charset=utf-8,${encodeURIComponent(`${lines.join("\n")}\n`)}`;
    });
    (table.closest(".scroll") ?? table).after(link);
  }
})();
