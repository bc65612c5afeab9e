// What every page does in the browser. Everything is found by data attributes; there are no inline scripts.

import { _ } from "./words.js";

const TOAST_MS = 6000;
const YEAR_S = 31_536_000;
const COPIED_MS = 1500;

const say = (message, bad = false) => {
  const toast = document.createElement("p");
  toast.className = bad ? "toast bad" : "toast";
  toast.textContent = message;
  document.querySelector("#toasts").append(toast);
};

const openPalette = async () => (await import("./palette.js")).open();
document.addEventListener("keydown", (event) => {
  const isShortcut = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k";
  if (isShortcut && document.querySelector("#palette")) {
    event.preventDefault();
    openPalette();
    return;
  }
  const menu = event.key === "Escape" && document.querySelector(".account-menu[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

document.addEventListener("say", (event) => say(event.detail));

const isDark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

const copy = async (button) => {
  const source = button.closest("[data-copied]").querySelector("[data-copy-source]:not([hidden])");
  await navigator.clipboard.writeText(source.textContent);
  button.classList.add("done");
  setTimeout(() => button.classList.remove("done"), COPIED_MS);
};

// The language that was chosen last, in every box of code.
const showLanguage = (root) => {
  const last = localStorage.getItem("language") ?? "curl";
  for (const box of root.querySelectorAll("[data-languages]")) {
    const all = [...box.querySelectorAll("[data-code]")].map((code) => code.dataset.code);
    const chosen = all.includes(last) ? last : all[0];
    for (const tab of box.querySelectorAll("[data-language]")) {
      tab.setAttribute("aria-pressed", String(tab.dataset.language === chosen));
    }
    for (const code of box.querySelectorAll("[data-code]")) code.hidden = code.dataset.code !== chosen;
  }
};

// A key that was just made stands in the code of this page, in the first place that reads it: what comes after that
// place may be somebody else's words. The key is kept nowhere else.
const READS_KEY = /\$\{process\.env\.TOLLGATE_API_KEY\}|\{os\.environ\['TOLLGATE_API_KEY'\]\}|\$TOLLGATE_API_KEY|process\.env\.TOLLGATE_API_KEY|os\.environ\["TOLLGATE_API_KEY"\]/;
const fillKey = () => {
  const key = document.querySelector("[data-new-key]")?.textContent;
  if (!key) return;
  for (const code of document.querySelectorAll("[data-code]:not([data-filled])")) {
    code.dataset.filled = "";
    code.textContent = code.textContent.replace(READS_KEY, (found) => (/^[po]/.test(found) ? `"${key}"` : key));
  }
};

document.addEventListener("click", (event) => {
  // A menu closes by a click elsewhere.
  for (const menu of document.querySelectorAll(".account-menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  const button = event.target.closest("button");
  if (!button) return;
  if (button.matches("[data-theme-switch]")) {
    const theme = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    localStorage.setItem("theme", theme);
  }
  if (button.matches("[data-copy]")) copy(button).catch(() => say(_("The browser did not let us copy."), true));
  if (button.matches("[data-language]")) {
    localStorage.setItem("language", button.dataset.language);
    showLanguage(document);
  }
  if (button.matches("[data-palette]")) openPalette();
  if (button.matches("[data-print]")) print();
  if (button.matches("[data-open]")) document.querySelector(button.dataset.open).showModal();
  if (button.matches("[data-close]")) button.closest("dialog").close();
});

// A result may have no thumbnail: not yet, or never. Then the result itself is shown, or nothing.
const showResult = (image) => {
  const { full, video } = image.dataset;
  if (full) {
    delete image.dataset.full;
    image.src = full;
  } else if (video) {
    const frame = Object.assign(document.createElement("video"), { muted: true, playsInline: true, preload: "metadata", tabIndex: -1, ariaHidden: "true", src: `${video}#t=0.1` });
    image.replaceWith(frame);
  } else if ("none" in image.dataset) {
    image.remove();
  }
};

document.addEventListener("error", (event) => {
  if (event.target instanceof HTMLImageElement) showResult(event.target);
}, true);

// A poster that is not there fails without an event.
const showPosters = (root) => {
  for (const video of root.querySelectorAll("video[poster][preload=none]")) {
    const poster = new Image();
    poster.addEventListener("error", () => { video.preload = "metadata"; });
    poster.src = video.poster;
  }
};

// Those that failed before this script ran.
for (const image of document.images) if (image.complete && !image.naturalWidth && image.currentSrc) showResult(image);

// The language that was chosen, which an address with another one would hide.
const speak = (language) => {
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `tollgate_language=${language}; path=/; max-age=${YEAR_S}; samesite=lax${secure}`;
  const here = new URL(location);
  if (!here.searchParams.has("lang")) return location.reload();
  here.searchParams.delete("lang");
  return location.replace(here);
};

// The settings offer the browser's own time zone if the list has it. A saved theme replaces the choice of this browser.
const ownZone = document.querySelector("[data-own-zone]");
if (ownZone) {
  const { elements } = ownZone.form;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  ownZone.hidden = ![...elements.zone.options].some((each) => each.value === zone);
  ownZone.addEventListener("click", () => { elements.zone.value = zone; });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.elt !== ownZone.form || !event.detail.successful) return;
    localStorage.setItem("theme", elements.theme.value || "system");
  });
}

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-go]")) location.assign(event.target.value);
  if (event.target.matches("[data-speak]")) speak(event.target.value);
});

// A question names what its form would send: `{usd}` is what is in that field, or what stands there while it is empty.
document.addEventListener("htmx:confirm", (event) => {
  const { elt, question, issueRequest } = event.detail;
  if (!question) return;
  event.preventDefault();
  const shown = (all, name) => {
    const field = elt.elements?.[name];
    return field ? (field.selectedOptions?.[0].text ?? field.value) || field.placeholder : all;
  };
  if (confirm(question.replace(/\{(\w+)\}/g, shown))) issueRequest(true);
  // A choice that was taken back is shown as it is.
  else if (elt.getAttribute("hx-trigger") === "change") elt.reset();
});

// Code is coloured if the browser can do so without another copy of the text.
const colourCode = async () => {
  if (window.Highlight && document.querySelector("pre")) (await import("./code.js")).colourAll();
};

document.addEventListener("htmx:afterSettle", (event) => {
  const changed = event.detail.elt.parentElement ?? document;
  showLanguage(changed);
  showPosters(changed);
  fillKey();
  colourCode();
});
document.addEventListener("htmx:oobAfterSwap", () => {
  showLanguage(document);
  fillKey();
  colourCode();
});
// A dialog whose form was taken is done. What is wrong is said in it, as a toast would lie behind it.
const REFUSED = 400;
const TOO_MANY = 429;
const BROKEN = 500;
const RETRY_MS = 3000;
const NO_ANSWER = _("No answer from the service. Try again.");
// What we say is HTML; a gateway before us has its own words, for programs.
const isOurs = (xhr) => (xhr.getResponseHeader("content-type") ?? "").includes("html");
const refuse = (form, xhr) => {
  const said = form.querySelector("[data-refused]") ?? document.createElement("p");
  said.className = "notice bad";
  said.dataset.refused = "";
  said.setAttribute("role", "alert");
  const toast = isOurs(xhr) && new DOMParser().parseFromString(xhr.responseText, "text/html").querySelector(".toast");
  said.replaceChildren(...(toast ? toast.childNodes : [NO_ANSWER]));
  form.querySelector(".actions").before(said);
};
// Problems stand beside their fields, in a form that has a field for each of them. The first field gets the focus.
const showBeside = (form, xhr) => {
  const problems = Object.entries(JSON.parse(xhr.getResponseHeader("x-field-problems") ?? "{}"));
  const fieldOf = (name) => form.querySelector(`[name="${CSS.escape(name)}"]`);
  if (!problems.length || !problems.every(([name]) => fieldOf(name))) return false;
  for (const [name, words] of problems) {
    const field = fieldOf(name);
    const said = Object.assign(document.createElement("span"), { className: "problem", textContent: words, id: `problem-of-${name}` });
    said.dataset.beside = "";
    said.setAttribute("role", "alert");
    (field.closest("fieldset, .field, label") ?? field.parentElement).append(said);
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", said.id);
  }
  fieldOf(problems[0][0]).focus();
  return true;
};
const forget = (form) => {
  for (const said of form.querySelectorAll("[data-beside], [data-refused]")) said.remove();
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
};
document.addEventListener("htmx:beforeRequest", (event) => event.detail.elt.matches("form") && forget(event.detail.elt));
// What looks again by itself goes on once the service answers.
const retryOf = (elt) => {
  if (!elt.getAttribute("hx-trigger")?.includes("retry")) return false;
  setTimeout(() => elt.isConnected && htmx.trigger(elt, "retry"), RETRY_MS);
  return true;
};
document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr } = event.detail;
  const isBusy = xhr.status >= BROKEN || xhr.status === TOO_MANY;
  if (isBusy && retryOf(event.detail.requestConfig.elt)) {
    event.detail.shouldSwap = false;
    return;
  }
  const sent = event.detail.requestConfig.elt.closest("form");
  if (xhr.status >= REFUSED && sent && showBeside(sent, xhr)) {
    event.detail.shouldSwap = false;
    return;
  }
  const form = sent?.closest("dialog") ? sent : null;
  if (!form) {
    if (xhr.status < REFUSED || isOurs(xhr)) return;
    event.detail.shouldSwap = false;
    say(NO_ANSWER, true);
    return;
  }
  form.querySelector("[data-refused]")?.remove();
  // Messages beside the fields, which htmx puts there.
  if (xhr.getResponseHeader("hx-reswap") === "none") return;
  if (xhr.status >= REFUSED) {
    event.detail.shouldSwap = false;
    refuse(form, xhr);
  } else {
    form.reset();
    for (const problem of form.querySelectorAll(".problem")) problem.textContent = "";
    form.closest("dialog").close();
  }
});
document.addEventListener("htmx:sendError", (event) => retryOf(event.detail.elt) || say(NO_ANSWER, true));

// A toast goes by itself, wherever it came from. Several requests can fail for one cause, which is said once.
new MutationObserver((changes) => {
  for (const change of changes) {
    for (const toast of change.addedNodes) {
      setTimeout(() => toast.remove(), TOAST_MS);
      const same = [...document.querySelectorAll("#toasts .toast")].filter((each) => each.textContent === toast.textContent);
      for (const each of same) if (each !== toast) each.remove();
    }
  }
}).observe(document.querySelector("#toasts"), { childList: true });

// An address can name a dialog of its page, such as /keys#new-key. Loaded again, the page is shown without it.
const named = document.getElementById(location.hash.slice(1));
if (named instanceof HTMLDialogElement) {
  named.showModal();
  history.replaceState(history.state, "", location.pathname + location.search);
}

// What a page says as it comes, of the change that led to it.
for (const toast of document.querySelectorAll("#toasts .toast")) setTimeout(() => toast.remove(), TOAST_MS);
showLanguage(document);
showPosters(document);
colourCode();

// The browser takes longer for the controls of a player than for the rest of a page, so they come after its first paint.
const players = document.querySelectorAll("[data-controls]");
if (players.length) requestAnimationFrame(() => setTimeout(() => players.forEach((player) => { player.controls = true; })));

// The service may answer between the clicks of a double click: the second would pay again.
document.addEventListener("click", (event) => {
  if (event.detail > 1 && event.target.closest("button")?.type === "submit") event.preventDefault();
});
