(() => {
  // On a phone each row is a card whose entries are named: nothing reaches past the screen.
  for (const table of document.querySelectorAll("main table.sortable")) {
    const names = [...table.tHead.rows[0].cells].map(cell => cell.textContent.trim());
    table.classList.add("stack");
    for (const row of table.tBodies[0].rows) [...row.cells].forEach((cell, place) => { cell.dataset.label = names[place]; });
  }
})();
