// A result in full: fitted or in its actual size, with its facts; arrows go to the other results of the page.

const dialog = document.querySelector("#viewer");
const image = dialog.querySelector("img");
const zoom = dialog.querySelector("[data-zoom]");
const facts = dialog.querySelector("[data-facts-of]");
const all = () => [...document.querySelectorAll("[data-view]")];
let shown = null;

const enlarge = (on) => {
  dialog.classList.toggle("actual", on);
  zoom.setAttribute("aria-pressed", String(on));
};

const show = (button) => {
  shown = button;
  enlarge(false);
  image.src = button.dataset.view;
  image.alt = button.querySelector("img").alt;
  facts.textContent = button.dataset.facts;
  dialog.querySelector("[data-download]").href = button.dataset.view;
  for (const step of dialog.querySelectorAll("[data-step]")) step.hidden = all().length < 2;
  if (!dialog.open) dialog.showModal();
};

const step = (by) => {
  const found = all();
  show(found[(found.indexOf(shown) + by + found.length) % found.length]);
};

image.addEventListener("load", () => {
  facts.textContent = `${image.naturalWidth} × ${image.naturalHeight} px · ${shown.dataset.facts}`;
});
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-view]");
  if (button) show(button);
});
zoom.addEventListener("click", () => enlarge(!dialog.classList.contains("actual")));
image.addEventListener("click", () => enlarge(!dialog.classList.contains("actual")));
dialog.addEventListener("click", (event) => {
  const by = event.target.closest("[data-step]")?.dataset.step;
  if (by) step(Number(by));
  if (event.target === dialog) dialog.close();
});
dialog.addEventListener("keydown", (event) => {
  if (dialog.classList.contains("actual") || all().length < 2) return;
  if (event.key === "ArrowRight") step(1);
  if (event.key === "ArrowLeft") step(-1);
});
