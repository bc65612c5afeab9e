// Models that are chosen to be compared stay chosen while filters change what is shown.

const KEPT = "compared";
const bar = document.querySelector("#compare");
const most = Number(bar.dataset.most);
const count = bar.querySelector("[data-count]");
let chosen = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");

const show = () => {
  sessionStorage.setItem(KEPT, JSON.stringify(chosen));
  bar.classList.toggle("open", chosen.length > 0);
  count.textContent = chosen.length < 2 ? `Choose ${chosen.length ? "another" : "two"}, up to ${most}` : `${chosen.length} models`;
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
