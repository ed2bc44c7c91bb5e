(() => {
  // The lines of Python under tables read these very files: their addresses are known where the page is opened.
  for (const code of document.querySelectorAll("code.read")) {
    const {file, read, rest} = code.dataset;
    code.textContent = `pd.${read ?? "read_csv"}("${new URL(file, location.href.split("#")[0]).href}")${rest ?? ""}`;
  }
})();
