// The playground: what belongs to the chosen action, files, the models to choose from, the link, the clock.

import { filesOf } from "./files.js";
import { pickerOf } from "./picker.js";
import { rowsOf } from "./rows.js";
import { _ } from "../words.js";

const LINK_MS = 400;
const MAX_LINK = 6000;
const TICK_MS = 100;
const play = document.querySelector("[data-play]");
const panels = [...play.querySelectorAll("[data-panel]")];
const formOf = (panel) => panel.querySelector("[data-form]");
const fieldsOf = (panel) => [...panel.querySelectorAll("[data-field]")];
const toast = (message) => document.dispatchEvent(new CustomEvent("say", { detail: message }));

// What a form says of a field: text, or on and off.
const said = (form, name) => {
  const found = form.elements[name];
  if (!found) return "";
  if (found.type === "checkbox") return found.checked ? "on" : "off";
  return found.value ?? "";
};

const fits = (form, conditions) =>
  Object.entries(JSON.parse(conditions)).every(([name, values]) => values.includes(said(form, name)));

// A field that another one switches off is neither shown nor sent.
const showFields = (panel) => {
  const form = formOf(panel);
  for (const field of fieldsOf(panel)) {
    if (field.dataset.shownWith) {
      field.hidden = !fits(form, field.dataset.shownWith);
      for (const control of field.querySelectorAll("input, select, textarea")) control.disabled = field.hidden;
    }
    const needed = field.querySelector("[data-needed]");
    if (needed && field.dataset.neededWith) needed.hidden = !fits(form, field.dataset.neededWith);
  }
};

const markProblems = (panel) => {
  for (const field of fieldsOf(panel)) {
    const bad = [...field.querySelectorAll(".problem")].some((one) => one.textContent.trim());
    field.classList.toggle("bad", bad);
    for (const control of field.querySelectorAll("input:not([type=file]), select, textarea:not([hidden])")) {
      control.toggleAttribute("aria-invalid", bad);
      if (bad) control.setAttribute("aria-invalid", "true");
    }
  }
};

// The address always opens the forms as they are now.
const link = () => {
  const query = new URLSearchParams();
  for (const panel of panels) {
    const prefix = panel.dataset.panel === "a" ? "" : `${panel.dataset.panel}.`;
    if (prefix) query.set("beside", panel.dataset.model);
    // The options of a task stay out of it: an address lands in histories and logs.
    const shown = fieldsOf(panel).filter((one) => !one.hidden && one.dataset.field.startsWith("input."));
    for (const field of shown) {
      const value = said(formOf(panel), field.dataset.field);
      if (value !== field.dataset.default) query.set(prefix + field.dataset.field, value);
    }
  }
  const text = query.toString();
  return `${play.dataset.link}/${panels[0].dataset.model}${text ? `?${text}` : ""}`;
};

let linking = 0;
const keepLink = () => {
  clearTimeout(linking);
  linking = setTimeout(() => {
    const address = link();
    if (address.length <= MAX_LINK) history.replaceState(history.state, "", address + location.hash);
  }, LINK_MS);
};

// Two models are asked for the same thing: what is typed on one side stands on the other.
const mirror = (panel, control) => {
  const other = panels.find((one) => one !== panel);
  const twin = other && control.name && formOf(other).elements[control.name];
  if (!twin || twin.tagName !== control.tagName || control.type === "hidden") return;
  const takes = control.tagName !== "SELECT" || [...twin.options].some((one) => one.value === control.value);
  if (takes && control.tagName !== "INPUT" && twin.value !== control.value) {
    twin.value = control.value;
    twin.dispatchEvent(new Event("mirrored", { bubbles: true }));
    htmx.trigger(formOf(other), "input");
  }
};

// A slider and its number always say the same; only the number is sent.
const slide = (panel, control) => {
  if (control.dataset.slider) {
    const number = document.getElementById(control.dataset.slider);
    number.value = control.value;
    return;
  }
  const slider = panel.querySelector(`[data-slider="${CSS.escape(control.id)}"]`);
  if (slider && control.value !== "") slider.value = control.value;
};

filesOf(panels, play.dataset.files, toast);
for (const panel of panels) {
  rowsOf(panel, play.dataset.api, play.dataset.files);
  showFields(panel);
  panel.addEventListener("input", (event) => {
    slide(panel, event.target);
    showFields(panel);
    keepLink();
    mirror(panel, event.target);
  });
  panel.addEventListener("htmx:oobAfterSwap", () => markProblems(panel));
}
if (document.querySelector("#picker")) pickerOf(play, panels, link);

document.addEventListener("htmx:oobAfterSwap", () => panels.forEach(markProblems));
// A refusal is said beside its field: the first of them is shown.
document.addEventListener("refused", () => {
  setTimeout(() => {
    panels.forEach(markProblems);
    const first = play.querySelector(".field.bad, .problem:not(:empty)");
    first?.closest("details")?.setAttribute("open", "");
    first?.querySelector("input:not([type=file]), select, textarea")?.focus();
    first?.scrollIntoView({ block: "center" });
  });
});

// The next of the example prompts takes the place of what is written.
const inspire = (button) => {
  const prompts = JSON.parse(button.dataset.prompts);
  const field = document.getElementById(button.getAttribute("aria-controls"));
  field.value = prompts[(prompts.indexOf(field.value) + 1) % prompts.length];
  field.dispatchEvent(new Event("input", { bubbles: true }));
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.prompts) inspire(button);
  if (button?.matches("[data-run-all]")) {
    for (const panel of panels) formOf(panel).requestSubmit();
  }
  if (button?.matches("[data-copy-link]")) {
    const address = link();
    if (address.length > MAX_LINK) toast(_("Too long for a link: shorten the prompt."));
    else await navigator.clipboard.writeText(location.origin + address).then(() => toast(_("Link copied.")));
  }
});

document.addEventListener("keydown", (event) => {
  const panel = event.target.closest?.("[data-panel]");
  if (panel && event.key === "Enter" && (event.metaKey || event.ctrlKey)) formOf(panel).requestSubmit();
});

// On a small screen the result comes before the form, and is shown at once.
document.addEventListener("htmx:afterSwap", (event) => {
  const result = event.detail.target?.closest?.(".result");
  if (result && !event.detail.elt.closest?.(".made") && result.querySelector("[data-running]")) {
    result.scrollIntoView({ block: "nearest" });
  }
});

// The clock runs between two looks at the task.
const started = new WeakMap();
setInterval(() => {
  for (const clock of play.querySelectorAll("[data-running]")) {
    if (!started.has(clock)) started.set(clock, performance.now() - Number(clock.dataset.elapsed));
    clock.textContent = `${((performance.now() - started.get(clock)) / 1000).toFixed(1)} s`;
  }
}, TICK_MS);
