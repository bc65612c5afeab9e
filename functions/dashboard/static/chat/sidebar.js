// The conversations that are kept: to find, open, rename, export or delete.

import { exportConversation } from "./export.js";
import { action, make } from "./nodes.js";
import { _ } from "../words.js";

const DAY_MS = 86_400_000;
const MONTH_DAYS = 30;
const WEEK_DAYS = 7;

// The heading under which a time stands, by the days of this browser's time zone.
const dayOf = (at) => {
  const days = Math.floor((new Date().setHours(24, 0, 0, 0) - at) / DAY_MS);
  if (days < 1) return _("Today");
  if (days < 2) return _("Yesterday");
  if (days < WEEK_DAYS) return _("Last 7 days");
  return days < MONTH_DAYS ? _("Last 30 days") : _("Earlier");
};

// A field in place of a title; Enter keeps the new one, Escape the old one.
const renameIn = (row, one, onEnd) => {
  const field = Object.assign(make("input"), { value: one.title, maxLength: 100 });
  field.setAttribute("aria-label", _("New title of: {title}", { title: one.title }));
  let isDone = false;
  const end = (title) => {
    if (isDone) return;
    isDone = true;
    onEnd(title);
  };
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    // Escape closes the list on a narrow screen otherwise.
    event.preventDefault();
    event.stopPropagation();
    end(event.key === "Enter" ? field.value.trim() || one.title : one.title);
  });
  field.addEventListener("blur", () => end(field.value.trim() || one.title));
  row.replaceChildren(field);
  field.select();
};

// `open` shows a conversation (none: a new one), `retitle` and `forget` are told of changes; `current` gives the one
// that is shown. Returns what draws the list anew.
export const sidebarOf = (box, store, icons, { current, open, retitle, forget }) => {
  const find = box.querySelector("[data-find-history]");
  const list = box.querySelector("[data-history]");
  const clear = box.querySelector("[data-forget]");

  const rowOf = (one) => {
    const row = make("li");
    const button = make("button", "quiet cut", one.title);
    button.type = "button";
    button.dataset.id = one.id;
    button.title = `${one.title} · ${new Date(one.at).toLocaleString()}`;
    if (one.id === current()) button.setAttribute("aria-current", "true");
    button.addEventListener("click", async () => {
      const found = await store.get(one.id);
      if (box.matches(":popover-open")) box.hidePopover();
      // Another tab may have deleted it.
      if (found) open(found);
      else await store.drop(one.id).then(draw);
    });
    const rename = () =>
      renameIn(row, one, async (title) => {
        const found = await store.get(one.id);
        retitle(one.id, title);
        if (found) await store.put({ ...found, title });
        row.remove();
        await draw();
        list.querySelector(`[data-id="${one.id}"]`)?.focus();
      });
    const drop = async () => {
      forget(one.id);
      await store.drop(one.id);
      await draw();
      find.focus();
    };
    const acts = make("span", "acts");
    acts.append(
      action(icons, "edit", _("Rename: {title}", { title: one.title }), rename),
      action(icons, "download", _("Export: {title}", { title: one.title }), async () => exportConversation(await store.get(one.id))),
      action(icons, "bin", _("Delete: {title}", { title: one.title }), drop),
    );
    row.append(button, acts);
    return row;
  };

  const draw = async () => {
    const found = await store.find(find.value);
    // A title is being written.
    if (list.querySelector("input")) return;
    const days = Map.groupBy(found, (one) => dayOf(one.at));
    const parts = [...days].flatMap(([day, ones]) => {
      const rows = make("ul", "plain");
      rows.append(...ones.map(rowOf));
      return [make("h2", "muted small", day), rows];
    });
    list.replaceChildren(...(parts.length ? parts : [make("p", "muted small", find.value ? _("No conversations found.") : _("No conversations yet."))]));
    clear.hidden = !parts.length;
  };

  find.addEventListener("input", draw);
  clear.addEventListener("click", async () => {
    if (!confirm(_("Delete all conversations in this browser? They cannot be restored."))) return;
    forget(current());
    await store.clear();
    await draw();
  });
  return draw;
};
