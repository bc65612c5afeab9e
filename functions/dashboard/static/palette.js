// Ctrl+K or ⌘K: a list of pages, models, keys, tasks and docs to go to. app.js loads it when it is needed.

import { _ } from "./words.js";

const MOST_SHOWN = 12;
const AN_ID = /^(task_|req_|chatcmpl-|cmpl-|msg_|resp_)\w{20,}$/;
const NOTHING = -1;
// Fewer letters are not searched for in all tasks.
const SHORTEST = 3;

const dialog = document.querySelector("#palette");
const input = dialog.querySelector("input");
const list = dialog.querySelector("[role=listbox]");
let chosen = NOTHING;

const option = (name, kind, href) => {
  const made = document.createElement("li");
  made.role = "option";
  made.dataset.href = href;
  const words = Object.assign(document.createElement("span"), { className: "cut", textContent: name });
  made.append(words, Object.assign(document.createElement("span"), { className: "small muted", textContent: kind }));
  return made;
};

// The pages of both menus are on each page already; the rest comes once, when it is needed.
const fill = async () => {
  const pages = new Map();
  for (const menu of [".side", ".account-menu"]) for (const link of document.querySelectorAll(`${menu} .places a`)) if (!pages.has(link.href)) pages.set(link.href, link.textContent.trim());
  for (const [href, name] of pages) list.append(option(name, _("Page"), href));
  const answer = await fetch(dialog.dataset.more);
  if (!answer.ok || answer.redirected) return;
  const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
  list.append(...parsed.querySelectorAll("li"));
  find();
  readDocs();
};

// The index of the docs, so that a page is found by any word on it.
const readDocs = async () => {
  const answer = await fetch(`${dialog.dataset.docs}/search.json`);
  if (!answer.ok) return;
  const words = new Map((await answer.json()).map(([path, , , , all]) => [path, all]));
  for (const item of list.querySelectorAll("[data-doc]")) item.dataset.body = (words.get(item.dataset.doc) ?? "").toLowerCase();
  find();
};

// The list has only the latest tasks, so the last option searches all of them.
const searchTasks = (words) => {
  list.querySelector("[data-all-tasks]")?.remove();
  if (words.length < SHORTEST) return null;
  const own = option(dialog.dataset.findTasks.replace("{words}", words), "", `${dialog.dataset.tasks}?words=${encodeURIComponent(words)}`);
  own.dataset.allTasks = "";
  return own;
};

const shown = () => [...list.children].filter((each) => !each.hidden);

const choose = (number) => {
  const all = shown();
  chosen = all.length ? (number + all.length) % all.length : NOTHING;
  const active = all[chosen];
  for (const each of list.children) each.setAttribute("aria-selected", String(each === active));
  if (!active) {
    input.removeAttribute("aria-activedescendant");
    return;
  }
  active.id ||= `go-page-${active.dataset.href}`;
  input.setAttribute("aria-activedescendant", active.id);
  active.scrollIntoView({ block: "nearest" });
};

// An item whose name begins with the words comes before one that contains them somewhere.
const rank = (item, text) => {
  const name = item.firstElementChild.textContent.toLowerCase();
  const all = `${name} ${item.lastElementChild.textContent} ${item.dataset.words ?? ""}`.toLowerCase();
  const words = text.split(/\s+/);
  if (words.every((word) => all.includes(word))) return name.startsWith(text) ? 0 : name.includes(text) ? 1 : 2;
  return item.dataset.body && words.every((word) => all.includes(word) || item.dataset.body.includes(word)) ? 3 : Infinity;
};

const find = () => {
  const text = input.value.trim().toLowerCase();
  list.querySelector("[data-by-id]")?.remove();
  if (AN_ID.test(input.value.trim())) {
    const own = option(_("Request {id}", { id: input.value.trim() }), "ID", `${dialog.dataset.requests}/${encodeURIComponent(input.value.trim())}`);
    own.dataset.byId = "";
    list.prepend(own);
  }
  list.querySelector("[data-all-tasks]")?.remove();
  const ranked = [...list.children].map((item) => [item, "byId" in item.dataset ? -1 : rank(item, text)]);
  ranked.sort((one, other) => one[1] - other[1]);
  ranked.forEach(([item, at], number) => { item.hidden = at === Infinity || number >= MOST_SHOWN; });
  list.append(...ranked.map(([item]) => item));
  const more = searchTasks(input.value.trim());
  if (more) list.append(more);
  dialog.querySelector("[data-none]").hidden = shown().length > 0;
  choose(0);
};

export const open = () => {
  if (dialog.open) return;
  input.value = "";
  dialog.showModal();
  if (list.children.length) find();
  else fill();
};

const go = (item) => item && location.assign(item.dataset.href);

dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();
});
input.addEventListener("input", find);
input.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown") choose(chosen + 1);
  else if (event.key === "ArrowUp") choose(chosen - 1);
  else if (event.key === "Enter") go(shown()[chosen]);
  else return;
  event.preventDefault();
});
list.addEventListener("click", (event) => go(event.target.closest("[role=option]")));
