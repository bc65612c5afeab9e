// The models to choose from: for a panel, for a second one beside it, or for a result that is to be worked on.

import { searchable } from "../picker.js";
import { _ } from "../words.js";

const KIND_WORDS = { video: ["video"], audio: ["audio", "voice", "track", "file"] };

const takes = (item, type) => {
  const fields = item.dataset.takes.toLowerCase();
  if (type === "image") return /image|urls|frame|reference|mask/.test(fields);
  return KIND_WORDS[type].some((word) => fields.includes(word));
};

export const pickerOf = (play, panels, link) => {
  const dialog = document.querySelector("#picker");
  const title = dialog.querySelector("#picker-title");
  let purpose = {};

  const fits = (item) => {
    const kind = dialog.querySelector("[data-kind][aria-pressed=true]").dataset.kind;
    return (!kind || item.dataset.type === kind) && (!purpose.type || takes(item, purpose.type));
  };

  const show = (item) => {
    item.querySelector("a").href = addressOf(item.dataset.model);
    item.classList.toggle("current", panels.some((panel) => panel.dataset.model === item.dataset.model));
  };

  const list = searchable(dialog, { fits, show });

  // What was written goes along to the next model.
  const addressOf = (model) => {
    const base = `${play.dataset.play}/${model}`;
    if (purpose.use) return `${base}?${new URLSearchParams({ use: purpose.use, file: purpose.file })}`;
    const query = new URLSearchParams(link().split("?")[1] ?? "");
    if (purpose.pick === "a") return `${base}?${kept(query)}`;
    query.set("beside", model);
    for (const [name, value] of [...query]) {
      if (name.startsWith("input.") && !query.has(`b.${name}`)) query.set(`b.${name}`, value);
    }
    return `${play.dataset.play}/${panels[0].dataset.model}?${query}`;
  };

  const kept = (query) => {
    const next = new URLSearchParams();
    for (const [name, value] of query) {
      if (name === "input.prompt" || name === "beside" || name.startsWith("b.")) next.set(name, value);
    }
    return next;
  };

  const open = (next) => {
    purpose = next;
    title.textContent = next.use ? _("Use in which model?") : next.pick === "a" ? _("Choose a model") : _("Compare with");
    list.open();
    htmx.trigger(dialog, "picker-opened");
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.pick) open({ pick: button.dataset.pick });
    if (button?.dataset.use) {
      open({ use: button.dataset.use, file: button.dataset.file, type: button.dataset.type });
    }
    if (button?.dataset.kind !== undefined && dialog.contains(button)) {
      for (const one of dialog.querySelectorAll("[data-kind]")) one.setAttribute("aria-pressed", String(one === button));
      list.filter();
    }
  });
  dialog.addEventListener("htmx:afterSettle", list.filter);
};
