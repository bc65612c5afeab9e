// Models that are chosen to be compared stay chosen while filters change what is shown.

import { _ } from "./words.js";

const KEPT = "compared";
const bar = document.querySelector("#compare");
const most = Number(bar.dataset.most);
const count = bar.querySelector("[data-count]");
let chosen = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");

const show = () => {
  sessionStorage.setItem(KEPT, JSON.stringify(chosen));
  bar.classList.toggle("open", chosen.length > 0);
  const texts = [_("Choose two, up to {most}"), _("Choose another, up to {most}"), _("{count} models")];
  const text = texts[Math.min(chosen.length, 2)];
  count.textContent = text.replace("{most}", most).replace("{count}", chosen.length);
  for (const box of document.querySelectorAll("[data-compared]")) {
    box.checked = chosen.includes(box.value);
    box.disabled = !box.checked && chosen.length >= most;
  }
};

document.addEventListener("change", (event) => {
  const box = event.target;
  if (!box.matches("[data-compared]")) return;
  chosen = box.checked ? [...chosen, box.value].slice(0, most) : chosen.filter((one) => one !== box.value);
  show();
});
document.addEventListener("htmx:afterSettle", show);
bar.querySelector("[data-clear]").addEventListener("click", () => {
  chosen = [];
  show();
});
bar.addEventListener("submit", (event) => {
  event.preventDefault();
  location.assign(`${bar.action}?${new URLSearchParams(chosen.map((one) => ["model", one]))}`);
});
show();
