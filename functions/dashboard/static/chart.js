// The card of a day on a chart by day: under the pointer, or moved with the arrow keys.

import { _, locale } from "./words.js";

const DAY_MS = 86_400_000;
const STEPS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
const MICRO = 1e6;
const BESIDE_PX = 20;

const asDay = (ms) => new Date(ms).toLocaleDateString(locale, { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

// An amount with all its digits, and at least two after the point.
const asUsd = (micro) => `$${(micro / MICRO).toFixed(6).replace(/(\.\d\d\d*?)0+$/, "$1")}`;
const asDuration = (ms) => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);
const FORMS = { spend: asUsd, latency: asDuration };
const asCount = (number) => number.toLocaleString("en-US");

const line = (series, name, amount) => {
  const row = document.createElement("li");
  const mark = series === null ? document.createElement("span") : document.createElement("i");
  if (series !== null) mark.className = `dot d${series}`;
  const label = Object.assign(document.createElement("span"), { className: "cut", textContent: name });
  const value = Object.assign(document.createElement("span"), { className: "money", textContent: amount });
  row.append(mark, label, value);
  return row;
};

const hide = (plot) => {
  plot.querySelector("[data-day-card]").hidden = true;
  for (const part of plot.querySelectorAll(".on")) part.classList.remove("on");
};

const show = (plot, column) => {
  const figure = plot.closest("[data-chart=day]");
  const { first, columns, metric } = figure.dataset;
  const at = Math.max(0, Math.min(column, Number(columns) - 1));
  plot.dataset.at = at;
  const day = Date.parse(first) + at * DAY_MS;
  const form = FORMS[metric] ?? asCount;
  const names = [...figure.querySelectorAll("[data-name]")].map((name) => name.textContent);
  const list = Object.assign(document.createElement("ul"), { className: "plain" });
  let sum = 0;
  for (const part of plot.querySelectorAll("[data-amount]")) {
    const isOn = Date.parse(part.dataset.day) === day;
    part.classList.toggle("on", isOn);
    if (!isOn) continue;
    const amount = Number(part.dataset.amount);
    sum += amount;
    // The parts of a latency stand on each other: the end of the second is its duration.
    list.prepend(line(part.dataset.series, names[part.dataset.series], form(metric === "latency" ? sum : amount)));
  }
  if (metric !== "latency") list.append(line(null, _("Total"), form(sum)));
  const card = plot.querySelector("[data-day-card]");
  card.replaceChildren(Object.assign(document.createElement("b"), { textContent: asDay(day) }), list);
  card.hidden = false;
  const middle = ((at + 0.5) / Number(columns)) * plot.clientWidth;
  // Beside the column, on the side with more space.
  const left = middle > plot.clientWidth / 2 ? middle - card.offsetWidth - BESIDE_PX : middle + BESIDE_PX;
  card.style.left = `${Math.max(0, Math.min(left, plot.clientWidth - card.offsetWidth))}px`;
};

const plotOf = (event) => (event.target instanceof Element ? event.target.closest("[data-plot]") : null);

document.addEventListener("pointermove", (event) => {
  const plot = plotOf(event);
  for (const other of document.querySelectorAll("[data-plot]")) if (other !== plot && other !== document.activeElement) hide(other);
  if (!plot) return;
  const { left, width } = plot.getBoundingClientRect();
  const { columns } = plot.closest("[data-chart=day]").dataset;
  const column = Math.floor(((event.clientX - left) / width) * Number(columns));
  if (plot.querySelector("[data-day-card]").hidden || Number(plot.dataset.at) !== column) show(plot, column);
});
document.addEventListener("focusin", (event) => {
  const plot = plotOf(event);
  if (plot) show(plot, Number(plot.dataset.at ?? Infinity));
});
document.addEventListener("focusout", (event) => {
  const plot = plotOf(event);
  if (plot) hide(plot);
});
document.addEventListener("keydown", (event) => {
  const plot = plotOf(event);
  if (!plot || !(event.key in STEPS)) return;
  event.preventDefault();
  show(plot, Number(plot.dataset.at) + STEPS[event.key]);
});
