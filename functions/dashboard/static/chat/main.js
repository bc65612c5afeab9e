// The chat: what was said to which models, kept in this browser; the answers are streamed and billed by their tokens.

import { attachmentsOf } from "./attach.js";
import { exportConversation } from "./export.js";
import { modelsOf } from "./models.js";
import { sidebarOf } from "./sidebar.js";
import { storeOf } from "./store.js";
import { ask, chargeOf, costOf, dollars } from "./stream.js";
import { EXAMPLE, addCall, toolsOf } from "./tools.js";
import { answerView, saidView } from "./view.js";
import { _ } from "../words.js";

const DRAW_MS = 80;
// "Stop" comes to where "Send" was: the second half of a double click is no stop.
const DOUBLE_CLICK_MS = 500;
const TITLE_CHARS = 60;
const TEXT_FILE = '<file name="';
const SHOWN_OF_A_FILE = 200;
const STOPPED = _("Stopped. The cost follows.");
const UNKNOWN = _("Stopped. Activity shows the cost.");
const CHARGED = _("Stopped. You pay for what was generated:");
const LEFT = _("You left before the answer ended. What was generated is billed.");
const LOST = _("The connection was lost. What was generated is billed.");
const OFFLINE = _("No connection to the service. Check your network, then try again.");
const page = document.querySelector("#chat");
const form = page.querySelector("[data-compose]");
const log = page.querySelector("[data-log]");
const empty = log.querySelector("[data-empty]");
const field = form.elements.message;
const models = modelsOf(page, document.querySelector("#picker"));
const total = page.querySelector("[data-total]");
const icons = page.querySelector("[data-icons]");
const copyButton = page.querySelector("[data-copy-button]");
const settings = page.querySelector("[data-settings]");
const say = (message) => document.dispatchEvent(new CustomEvent("say", { detail: message }));
const attached = attachmentsOf(form, page.querySelector("[data-attached]"), say);
const addresses = { completions: page.dataset.completions, key: page.dataset.key, requests: page.dataset.requests };

const fresh = () => ({ id: crypto.randomUUID(), title: "", at: Date.now(), turns: [] });
let conversation = fresh();
let running = null;
let sentAt = 0;
const dropped = new Set();
const store = await storeOf(page.dataset.account);

// What all models are told beside the messages; what is empty is left to the model.
const parameters = () => {
  const found = {};
  for (const [name, value] of new FormData(settings)) {
    if (name === "system" || !value) continue;
    if (name === "tools") {
      found.tools = toolsOf(value) ?? [];
      continue;
    }
    if (name === "response_format") found[name] = { type: value };
    else found[name] = name === "reasoning_effort" ? value : Number(value);
  }
  return found;
};

const FILE_PARTS = {
  pdf: (file) => ({ type: "file", file: { filename: file.name, file_data: file.data } }),
  image: (file) => ({ type: "image_url", image_url: { url: file.data } }),
  // Every model reads text, so its name and its bounds are told in text too.
  text: (file) => ({ type: "text", text: `${TEXT_FILE}${file.name}">\n${file.data}\n</file>` }),
};

const contentOf = (turn) => {
  if (!turn.files.length) return turn.text;
  const parts = turn.files.map((file) => FILE_PARTS[file.kind](file));
  return [...parts, { type: "text", text: turn.text }];
};

// The conversation as the model at `place` knows it; one that came later has heard the first one's answers.
const messagesFor = (model, place, turns) => {
  const system = settings.elements.system.value.trim();
  const found = system ? [{ role: "system", content: system }] : [];
  for (const turn of turns) {
    found.push({ role: "user", content: contentOf(turn) });
    const answer = turn.answers[place] ?? turn.answers[0];
    // Only models that answer with images read those of earlier answers.
    const images = models.draws(model) ? answer?.images : undefined;
    if (answer?.text || images) found.push({ role: "assistant", content: answer.text, ...(images && { images }) });
  }
  return found;
};

const bodyFor = (model, place, turns) => ({
  model,
  messages: messagesFor(model, place, turns),
  ...parameters(),
});

const showTotal = () => {
  const answers = conversation.turns.flatMap((turn) => [...turn.answers, ...(turn.replaced ?? [])]);
  const cost = answers.reduce((sum, one) => sum + (one.cost ?? 0), 0);
  total.textContent = conversation.turns.length ? _("This conversation: {cost}", { cost: dollars(cost) }) : "";
  total.title = `$${(cost / 1e6).toFixed(6)}`;
};

const keep = async (kept) => {
  if (dropped.has(kept.id)) return;
  kept.at = Date.now();
  kept.title ||= (kept.turns[0]?.text || _("Attachment")).split("\n", 1)[0].slice(0, TITLE_CHARS);
  await store.put(kept).catch(() => say(_("The browser has no room to keep this conversation.")));
  await drawSidebar();
};

// Its id in the address opens it again: after a reload, and on the way back from another page.
const nameInAddress = () => history.replaceState(null, "", conversation.turns.length ? `#${conversation.id}` : location.href.split("#")[0]);

const isNearEnd = () => log.scrollHeight - log.scrollTop - log.clientHeight < 120;
const toEnd = () => (log.scrollTop = log.scrollHeight);

const drawTurn = (turn, index) => {
  const isLast = index === conversation.turns.length - 1;
  const box = document.createElement("div");
  box.className = "turn";
  box.append(saidView(turn, icons, { onEdit: (text) => editTurn(index, text) }));
  const answers = document.createElement("div");
  answers.className = "answers";
  const views = turn.answers.map((answer, place) =>
    answerView(answer, icons, copyButton, { isLast, onAgain: () => again(place) }),
  );
  answers.append(...views.map((one) => one.box));
  box.append(answers);
  return { box, views };
};

const draw = () => {
  const drawn = conversation.turns.map(drawTurn);
  log.replaceChildren(...(drawn.length ? drawn.map((one) => one.box) : [empty]));
  showTotal();
  toEnd();
  return drawn.at(-1)?.views ?? [];
};

const busy = (on) => {
  if (on) sentAt = performance.now();
  form.querySelector("[data-send]").hidden = on;
  form.querySelector("[data-stop]").hidden = !on;
  log.setAttribute("aria-busy", String(on));
};

// A browser's own words for a broken connection say nothing ("Failed to fetch").
const problemOf = (error, answer) => {
  if (!(error instanceof TypeError)) return error.message;
  return answer.text || answer.reasoning || answer.images || answer.calls ? LOST : OFFLINE;
};

// A stopped answer shows its real cost, which is known when the request has been charged.
const settle = async (kept) => {
  const open = kept.turns.flatMap((turn) => turn.answers).filter((answer) => answer.problem === STOPPED);
  if (!open.length) return;
  for (const answer of open) {
    answer.cost ??= await chargeOf(addresses, answer.id).catch(() => undefined);
    answer.problem = answer.cost === undefined ? UNKNOWN : `${CHARGED} ${dollars(answer.cost)}`;
  }
  if (kept === conversation && !running) draw();
  await keep(kept);
  htmx.trigger(document.body, "money-moved");
};

const answerFrom = async (model, place, turn, view, signal) => {
  const asking = conversation;
  const answer = turn.answers[place];
  const began = performance.now();
  let drawn = 0;
  const later = () => {
    if (performance.now() - drawn < DRAW_MS) return;
    drawn = performance.now();
    const follow = isNearEnd();
    view.update(true);
    if (follow) toEnd();
  };
  view.update(true);
  signal.addEventListener("abort", () => {
    answer.stopped = true;
    answer.problem = STOPPED;
    view.update();
    // It may be opened again before its request has come to its end.
    keep(asking);
  });
  try {
    const turns = conversation.turns.slice(0, -1);
    const body = bodyFor(model, place, [...turns, { ...turn, answers: [] }]);
    await ask(addresses, body, signal, (piece) => {
      if (piece.id) answer.id = piece.id;
      if (signal.aborted) return;
      if (piece.text) answer.text += piece.text;
      if (piece.reasoning) answer.reasoning = (answer.reasoning ?? "") + piece.reasoning;
      if (piece.images) answer.images = [...(answer.images ?? []), ...piece.images];
      for (const call of piece.calls ?? []) addCall(answer, call);
      if (piece.usage) {
        answer.usage = piece.usage;
        answer.cost = costOf(piece.usage, models.pricesOf(model));
      }
      later();
    });
  } catch (error) {
    if (!answer.stopped) answer.problem = problemOf(error, answer);
  }
  answer.ms = Math.round(performance.now() - began);
  const follow = isNearEnd();
  view.update();
  showTotal();
  if (follow) toEnd();
};

// Asks the models at `places` for the last turn, all at once.
const answerTurn = async (places) => {
  const asking = conversation;
  const turn = asking.turns.at(-1);
  const asked = models.chosen();
  for (const place of places) {
    const old = turn.answers[place];
    if (old?.cost) turn.replaced = [...(turn.replaced ?? []), { cost: old.cost }];
    turn.answers[place] = { model: asked[place], name: models.nameOf(asked[place]), text: "" };
  }
  asking.models = asked;
  asking.settings = Object.fromEntries(new FormData(settings));
  const views = draw();
  nameInAddress();
  const stop = new AbortController();
  running = stop;
  busy(true);
  keep(asking);
  await Promise.all(places.map((place) => answerFrom(asked[place], place, turn, views[place], stop.signal)));
  if (running === stop) {
    running = null;
    busy(false);
    field.focus();
  }
  await keep(asking);
  htmx.trigger(document.body, "money-moved");
  await settle(asking);
};

// The page is free at once, while the requests come to their end.
const stopAll = () => {
  running?.abort();
  running = null;
  busy(false);
  field.focus();
};

const again = (place) => {
  if (!running && models.chosen()[place]) answerTurn([place]);
};

const begin = (text, files, replaced = []) => {
  conversation.turns.push({ text, files, answers: [], replaced });
  answerTurn(models.chosen().map((model, place) => place));
};

const editTurn = (index, text) => {
  if (running) return;
  const { files } = conversation.turns[index];
  // What the answers cost that go with it was paid.
  const gone = conversation.turns.splice(index).flatMap((turn) => [...turn.answers, ...(turn.replaced ?? [])]);
  begin(text, files, gone.filter((one) => one.cost).map(({ cost }) => ({ cost })));
};

const open = (next) => {
  if (running) stopAll();
  conversation = next;
  nameInAddress();
  for (const answer of next.turns.flatMap((turn) => turn.answers)) {
    if (answer.ms === undefined) answer.problem ??= LEFT;
  }
  for (const [place, model] of (next.models ?? []).entries()) models.choose(place, model);
  showSecond(next.models?.length > 1);
  for (const [name, value] of Object.entries(next.settings ?? {})) {
    if (settings.elements[name]) settings.elements[name].value = value;
  }
  draw();
  settle(next);
  drawSidebar();
  field.focus();
};

const showSecond = (on) => {
  page.querySelector("[data-second]").hidden = !on;
  page.querySelector("[data-compare]").hidden = on;
  page.classList.toggle("compared", on);
};

const drawSidebar = sidebarOf(document.querySelector("#history"), store, icons, {
  current: () => conversation.id,
  open: (found) => open(found),
  retitle: (id, title) => {
    if (id === conversation.id) conversation.title = title;
  },
  forget: (id) => {
    dropped.add(id);
    if (id === conversation.id) open(fresh());
  },
});

// The code of this very conversation; what is attached is named, not repeated.
const showCode = () => {
  const short = (name, value) => {
    if (typeof value !== "string") return value;
    if (value.startsWith("data:")) return `${value.slice(0, value.indexOf(",") + 1)}…`;
    const isLong = value.startsWith(TEXT_FILE) && value.length > SHOWN_OF_A_FILE;
    return isLong ? `${value.slice(0, SHOWN_OF_A_FILE)}…` : value;
  };
  const typed = field.value.trim();
  const asked = typed ? [...conversation.turns, { text: typed, files: attached.files(), answers: [] }] : conversation.turns;
  const turns = typed || !asked.length ? asked : [...asked.slice(0, -1), { ...asked.at(-1), answers: [] }];
  const body = bodyFor(models.chosen()[0], 0, turns.length ? turns : [{ text: _("Say hello"), files: [], answers: [] }]);
  htmx.ajax("POST", page.dataset.code, {
    target: "#code",
    swap: "outerHTML",
    values: { body: JSON.stringify(body, short) },
  });
};

// A definition that is no list of functions is said in the settings, before anything is sent.
const { tools } = settings.elements;
const tellTools = (problem) => {
  settings.querySelector("[data-tools-problem]").textContent = problem;
  tools.setAttribute("aria-invalid", String(Boolean(problem)));
};
const checkTools = () => {
  const isGood = !tools.value.trim() || toolsOf(tools.value) !== null;
  tellTools(isGood ? "" : _("This is not a JSON list of functions, each with a name."));
  return isGood;
};
tools.placeholder = EXAMPLE;
tools.addEventListener("input", () => tellTools(""));
settings.addEventListener("submit", (event) => checkTools() || event.preventDefault());

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!checkTools()) {
    document.querySelector("#chat-settings").showModal();
    tools.focus();
    return;
  }
  const text = field.value.trim();
  const files = attached.files();
  if ((!text && !files.length) || running) return;
  field.value = "";
  attached.set([]);
  begin(text || _("Look at this."), files);
});
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    form.requestSubmit();
  }
});
page.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.matches("[data-stop]") && performance.now() - sentAt > DOUBLE_CLICK_MS) stopAll();
  if (button?.matches("[data-new]")) open(fresh());
  if (button?.matches("[data-compare]")) showSecond(true);
  if (button?.matches("[data-alone]")) showSecond(false);
  if (button?.matches("[data-export]") && conversation.turns.length) exportConversation(conversation);
  if (button?.matches("[data-show-code]")) showCode();
});
addEventListener("pagehide", () => running && keep(conversation));
const named = await store.get(location.hash.slice(1)).catch(() => undefined);
if (named) open(named);
else drawSidebar();
page.dataset.ready = "";
