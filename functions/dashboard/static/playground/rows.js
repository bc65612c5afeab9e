// A list of objects as rows of fields, made of the model's published schema. What is sent stays its JSON text,
// which is also what one fills in where the schema cannot be read.

import { send } from "./files.js";
import { _ } from "../words.js";

const make = (tag, properties = {}, ...inside) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...inside);
  return made;
};

const words = (text) => String(text).replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase());

const objectOf = (schema, name) => {
  const items = schema.properties?.[name]?.items;
  const found = items?.$ref ? schema.$defs[items.$ref.split("/").pop()] : items;
  const simple = Object.values(found?.properties ?? {}).every((one) => one.enum || one.type === "string" || one.type === "integer");
  return found?.properties && simple ? found : null;
};

const controlOf = (about, isNeeded) => {
  if (about.enum) {
    const choose = make("select");
    if (!isNeeded) choose.append(make("option", { value: "", textContent: _("Not set") }));
    choose.append(...about.enum.map((value) => make("option", { value, textContent: words(value) })));
    return choose;
  }
  const box = make("input", { type: about.type === "integer" ? "number" : "text", required: isNeeded });
  if (about.format === "uri") box.placeholder = "https://…";
  if (about.maxLength) box.maxLength = about.maxLength;
  return box;
};

const rowsOfField = (box, schema, address) => {
  const store = box.querySelector("textarea");
  // One of its own: the field's is written anew with each price.
  const problem = make("p", { className: "problem" });
  problem.setAttribute("role", "alert");
  box.append(problem);
  const label = box.closest("[data-field]").querySelector("label");
  const object = objectOf(schema, box.dataset.objects);
  if (!object) return;
  const most = schema.properties[box.dataset.objects].maxItems ?? Infinity;
  const list = make("ul", { className: "plain object-rows" });
  const more = make("button", { type: "button", textContent: _("Add") });
  more.setAttribute("aria-label", _("Add to {name}", { name: label.childNodes[0].textContent.trim() }));

  const keep = () => {
    const rows = [...list.children].map((row) => {
      const filled = [...row.querySelectorAll("[data-key]")].filter((one) => one.value !== "");
      return Object.fromEntries(filled.map((one) => [one.dataset.key, one.type === "number" ? Number(one.value) : one.value]));
    });
    more.hidden = rows.length >= most;
    store.value = rows.length ? JSON.stringify(rows) : "";
    store.dispatchEvent(new Event("input", { bubbles: true }));
  };

  const upload = (control, row) => {
    const picked = make("input", { type: "file", hidden: true });
    const choose = make("button", { type: "button", textContent: _("Choose file") });
    choose.addEventListener("click", () => picked.click());
    picked.addEventListener("change", async () => {
      row.setAttribute("aria-busy", "true");
      problem.textContent = "";
      try {
        control.value = await send(address, picked.files[0]);
      } catch (error) {
        problem.textContent = error.message;
      }
      row.removeAttribute("aria-busy");
      picked.value = "";
      keep();
    });
    return [choose, picked];
  };

  const add = (values = {}) => {
    const row = make("li");
    for (const [key, about] of Object.entries(object.properties)) {
      const control = controlOf(about, object.required?.includes(key) ?? false);
      control.dataset.key = key;
      if (values[key] !== undefined) control.value = values[key];
      row.append(make("label", {}, about.title ?? words(key), control));
      if (about.format === "uri") row.append(...upload(control, row));
    }
    const drop = make("button", { type: "button", className: "quiet round", textContent: "×" });
    drop.setAttribute("aria-label", _("Remove this row"));
    drop.addEventListener("click", () => {
      row.remove();
      keep();
    });
    row.append(drop);
    list.append(row);
    return row;
  };

  const fill = () => {
    const given = store.value ? JSON.parse(store.value) : [];
    list.replaceChildren();
    for (const values of Array.isArray(given) ? given : []) add(values);
    more.hidden = list.children.length >= most;
  };
  try {
    fill();
  } catch {
    return;
  }
  // The rows' own fields have no names: only the text is sent, and told as changed.
  list.addEventListener("input", (event) => {
    event.stopPropagation();
    keep();
  });
  store.addEventListener("mirrored", fill);
  more.addEventListener("click", () => {
    add().querySelector("input, select").focus();
    keep();
  });
  store.hidden = true;
  box.closest("[data-field]").querySelector("[data-as-json]")?.remove();
  box.append(list, more);
};

export const rowsOf = async (panel, api, address) => {
  const boxes = [...panel.querySelectorAll("[data-objects]")];
  if (!boxes.length) return;
  const answer = await fetch(`${api}/catalog/${encodeURIComponent(panel.dataset.model)}/schema`);
  if (!answer.ok) return;
  const schema = await answer.json();
  for (const box of boxes) rowsOfField(box, schema, address);
};
