// A dialog with a list of models: words search it, arrows go through it, and Enter takes the first.

// `fits` says which items can be shown at all, and `show` is told of each. Returns what opens the list and filters it.
export const searchable = (dialog, { fits = () => true, show = () => {} } = {}) => {
  const search = dialog.querySelector("[type=search]");
  const items = () => [...dialog.querySelectorAll("[data-model]")];

  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const item of items()) {
      const text = item.dataset.words ?? `${item.dataset.model} ${item.textContent}`.toLowerCase();
      item.hidden = !fits(item) || !words.every((word) => text.includes(word));
      shown += !item.hidden;
      show(item);
    }
    const none = dialog.querySelector("[data-none]");
    if (none) none.hidden = shown > 0;
  };

  search.addEventListener("input", filter);
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("keydown", (event) => {
    const shown = items().filter((one) => !one.hidden).map((one) => one.querySelector("a, button"));
    const at = shown.indexOf(document.activeElement);
    if (event.key === "ArrowDown") (shown[at + 1] ?? shown[0])?.focus();
    else if (event.key === "ArrowUp") (shown[at - 1] ?? search).focus();
    else if (event.key === "Enter" && document.activeElement === search) shown[0]?.click();
    else return;
    event.preventDefault();
  });
  const open = () => {
    search.value = "";
    dialog.showModal();
    search.focus();
    filter();
  };
  return { open, filter };
};
