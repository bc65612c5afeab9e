// The models that are asked: one or two buttons, and the list that they open.

import { searchable } from "../picker.js";

// Of each range of the input's length: its start, and the prices per token in micro-USD by kind of token.
const tiersOf = (item) =>
  JSON.parse(item.dataset.prices).map(([from, input, output, cacheRead, cacheWrite]) => ({ from, input, output, cacheRead, cacheWrite }));
const inputPrice = (item) => tiersOf(item)[0].input;
const ORDERS = {
  "": (one, other) => (other.dataset.released ?? "").localeCompare(one.dataset.released ?? ""),
  price: (one, other) => inputPrice(one) - inputPrice(other),
  context: (one, other) => other.dataset.context - one.dataset.context,
};

// Returns the slots, of which the second may be hidden, and what is known about a slot's model.
export const modelsOf = (page, dialog) => {
  const slots = [...page.querySelectorAll("[data-slot]")];
  const list = dialog.querySelector(".picker-list ul");
  let filled = slots[0];
  const itemOf = (model) => [...list.children].find((item) => item.dataset.model === model);
  const show = (item) => item.classList.toggle("current", item.dataset.model === filled.dataset.slot);
  const picker = searchable(dialog, { show });

  const choose = (slot, model) => {
    const item = itemOf(model);
    if (!item) return;
    slot.dataset.slot = model;
    const face = item.querySelector("button").cloneNode(true);
    face.querySelector(".price").remove();
    slot.querySelector(".face").replaceChildren(...face.childNodes);
  };
  const order = (by) => {
    for (const one of dialog.querySelectorAll("[data-order]")) one.setAttribute("aria-pressed", String(one.dataset.order === by));
    list.append(...[...list.children].sort(ORDERS[by]));
  };

  for (const slot of slots) {
    slot.addEventListener("click", () => {
      filled = slot;
      picker.open();
    });
  }
  dialog.addEventListener("click", (event) => {
    const by = event.target.closest("[data-order]")?.dataset.order;
    if (by !== undefined) order(by);
    const item = event.target.closest("[data-model]");
    if (!item) return;
    choose(filled, item.dataset.model);
    dialog.close();
  });
  order("");
  return {
    chosen: () => slots.filter((one) => !one.closest("[hidden]")).map((one) => one.dataset.slot),
    nameOf: (model) => itemOf(model).querySelector("b").textContent,
    draws: (model) => "draws" in (itemOf(model)?.dataset ?? {}),
    pricesOf: (model) => tiersOf(itemOf(model)),
    choose: (place, model) => choose(slots[place], model),
    places: slots.length,
  };
};
