// The docs: search in an index that is read once, and the contents beside the page where there is room.

const MOST_FOUND = 8;
// Shorter words are looked for as they are typed; up to the second, one mistake is made good, then two.
const SHORTEST = 4;
const SHORT = 7;
const box = document.querySelector("[data-search]");
const field = box.querySelector("input");
const list = box.querySelector("ul");
let index = null;

const read = async () => {
  index ??= fetch(`${box.dataset.search}/search.json`).then((answer) => answer.json());
  return index;
};

// Every word must be there; a word of the title counts most, then one of the line below it.
const score = ([path, title, about, group, words], wanted) => {
  const texts = [title, `${about} ${path}`, `${group} ${words}`].map((text) => text.toLowerCase());
  let sum = 0;
  for (const word of wanted) {
    const at = texts.findIndex((text) => text.includes(word));
    if (at < 0) return 0;
    sum += 3 - at + (texts[0].startsWith(word) ? 2 : 0);
  }
  return sum;
};

// How many letters are wrong, missing, too many, or stand in each other's place, up to `most`.
const mistakes = (typed, word, most) => {
  if (Math.abs(typed.length - word.length) > most) return most + 1;
  let [before, last] = [[], Array.from({ length: word.length + 1 }, (_, at) => at)];
  for (let at = 1; at <= typed.length; at++) {
    const row = [at];
    for (let to = 1; to <= word.length; to++) {
      const isSame = typed[at - 1] === word[to - 1];
      row[to] = Math.min(last[to] + 1, row[to - 1] + 1, last[to - 1] + (isSame ? 0 : 1));
      const isSwapped = at > 1 && to > 1 && typed[at - 1] === word[to - 2] && typed[at - 2] === word[to - 1];
      if (isSwapped) row[to] = Math.min(row[to], before[to - 2] + 1);
    }
    [before, last] = [last, row];
  }
  return last[word.length];
};

// The word of the docs that was meant; the same word where it stands in them, or where none is near.
const meant = (typed, rows) => {
  const most = typed.length < SHORT ? 1 : 2;
  if (typed.length < SHORTEST || rows.some((row) => score(row, [typed]))) return typed;
  let [best, least] = [typed, most + 1];
  for (const word of new Set(rows.map((row) => row.join(" ").toLowerCase()).join(" ").match(/[\p{L}\d]+/gu))) {
    const found = mistakes(typed, word, most);
    if (found < least) [best, least] = [word, found];
  }
  return best;
};

const ranked = (rows, wanted) =>
  rows
    .map((row) => [score(row, wanted), row])
    .filter(([points]) => points)
    .sort(([one], [other]) => other - one)
    .slice(0, MOST_FOUND);

const noteOf = (text) => {
  const note = document.createElement("li");
  note.setAttribute("role", "option");
  note.setAttribute("aria-disabled", "true");
  note.textContent = text;
  return note;
};

const close = () => {
  list.hidden = true;
  field.setAttribute("aria-expanded", "false");
  field.removeAttribute("aria-activedescendant");
};

const choose = (step) => {
  const rows = [...list.querySelectorAll("[data-href]")];
  if (!rows.length) return;
  const now = rows.findIndex((row) => row.getAttribute("aria-selected") === "true");
  const next = rows[(now + step + rows.length) % rows.length];
  for (const row of rows) row.setAttribute("aria-selected", String(row === next));
  field.setAttribute("aria-activedescendant", next.id);
  next.scrollIntoView({ block: "nearest" });
};

const show = async () => {
  const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = await read();
  if (!wanted.length) return close();
  const exact = ranked(rows, wanted);
  const instead = exact.length ? wanted : wanted.map((word) => meant(word, rows));
  const found = exact.length ? exact : ranked(rows, instead);
  list.replaceChildren(
    ...found.map(([, [path, title, about, group]], at) => {
      const row = document.createElement("li");
      row.id = `found-${at}`;
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", "false");
      row.dataset.href = path ? `${box.dataset.search}/${path}` : box.dataset.search;
      const name = document.createElement("b");
      name.textContent = title;
      const note = document.createElement("small");
      note.textContent = `${group} · ${about}`;
      row.append(name, note);
      return row;
    }),
  );
  if (!found.length) list.append(noteOf("Nothing found"));
  else if (!exact.length) list.prepend(noteOf(`Results for “${instead.join(" ")}”`));
  list.hidden = false;
  field.setAttribute("aria-expanded", "true");
  if (found.length) choose(1);
};

field.addEventListener("focus", () => read(), { once: true });
field.addEventListener("input", show);
field.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close();
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    choose(event.key === "ArrowDown" ? 1 : -1);
  }
  if (event.key === "Enter") {
    const row = list.querySelector("[aria-selected=true]");
    if (row?.dataset.href) location.assign(row.dataset.href);
  }
});
list.addEventListener("mousedown", (event) => {
  const row = event.target.closest("[data-href]");
  if (row) location.assign(row.dataset.href);
});
field.addEventListener("blur", close);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.target.closest("input, textarea, select")) {
    event.preventDefault();
    field.focus();
  }
});

// Beside the page the contents are always there.
const contents = document.querySelector("[data-contents]");
const wide = matchMedia("(min-width: 60rem)");
const unfold = () => { contents.open = wide.matches; };
wide.addEventListener("change", unfold);
unfold();
const here = contents.querySelector("[aria-current]");
if (here && wide.matches) contents.scrollTop = here.offsetTop - contents.clientHeight / 2;
