// The calculator of a model's page: the cost for what is in its fields, by the published prices.

import { _ } from "./words.js";

const PAUSE_MS = 200;
const form = document.querySelector("[data-calculator]");
const shown = form.parentElement.querySelector("output");
let waiting = null;

form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    const answer = await fetch(`${form.dataset.calculator}?${new URLSearchParams(new FormData(form))}`);
    shown.textContent = answer.ok ? await answer.text() : _("Check the numbers");
  }, PAUSE_MS);
});
