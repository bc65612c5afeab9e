// A conversation on the page: what was said, each answer with its reasoning, cost and what can be done with it.

import { chipOf } from "./attach.js";
import { highlight, render, typeset } from "./markdown.js";
import { action, make } from "./nodes.js";
import { dollars } from "./stream.js";
import { pretty } from "./tools.js";
import { _ } from "../words.js";

const MS_PER_S = 1000;

const noteOf = (answer) => {
  const said = [];
  if (answer.usage) said.push(_("{read} in · {written} out", { read: answer.usage.prompt_tokens, written: answer.usage.completion_tokens }));
  if (answer.cost !== undefined) said.push(dollars(answer.cost));
  if (answer.ms) said.push(`${(answer.ms / MS_PER_S).toFixed(1)} s`);
  return said.join(" · ");
};

// A call of a function: its name, and its arguments as JSON.
const callView = (call) => {
  const box = make("details", "call");
  box.open = true;
  box.append(make("summary", "", _("Calls {name}", { name: call.name })), make("pre", "mono", pretty(call.arguments)));
  return box;
};

const IMAGE = /^data:image\/(png|jpeg|webp);base64,/;

const imageView = ({ image_url: { url } }, number) => {
  const box = make("a", "drawn");
  box.href = url;
  box.download = `image-${number + 1}`;
  const image = make("img");
  image.src = url;
  image.alt = _("Image {number}", { number: number + 1 });
  box.append(image);
  return box;
};

// One answer; `update` draws it anew while it comes in.
export const answerView = (answer, icons, copyButton, { onAgain, isLast }) => {
  const box = make("article", "bubble assistant");
  const name = make("h2", "", answer.name);
  const reasoning = make("details", "reasoning");
  const summary = make("summary", "", _("Reasoning"));
  const thought = make("p", "muted small");
  reasoning.append(summary, thought);
  const body = make("div", "md");
  const images = make("div", "drawn-list");
  const calls = make("div", "calls");
  const problem = make("p", "problem");
  const foot = make("div", "foot-row");
  const note = make("small", "muted");
  foot.append(note);
  box.append(name, reasoning, body, images, calls, problem, foot);

  const actions = make("span", "acts");
  const copy = action(icons, "copy", _("Copy the answer"), async () => {
    await navigator.clipboard.writeText(answer.text);
    copy.classList.add("done");
  });
  actions.append(copy);
  if (isLast) actions.append(action(icons, "again", _("Regenerate"), onAgain));
  foot.append(actions);

  const update = (isRunning = false) => {
    reasoning.hidden = !answer.reasoning;
    thought.textContent = answer.reasoning ?? "";
    summary.textContent = isRunning && !answer.text ? _("Reasoning…") : _("Reasoning");
    body.replaceChildren(render(answer.text, copyButton));
    const drawn = (answer.images ?? []).filter((image) => IMAGE.test(image.image_url.url));
    if (images.childElementCount !== drawn.length) images.replaceChildren(...drawn.map(imageView));
    calls.replaceChildren(...(answer.calls ?? []).filter(Boolean).map(callView));
    problem.textContent = answer.problem ?? "";
    note.textContent = noteOf(answer);
    if (answer.cost !== undefined) note.title = `$${(answer.cost / 1e6).toFixed(6)}`;
    box.classList.toggle("waiting", isRunning);
    box.classList.toggle("bad", Boolean(answer.problem) && !answer.stopped);
    actions.hidden = isRunning;
    if (!isRunning) for (const finish of [highlight, typeset]) finish(body).catch(() => {});
  };
  update();
  return { box, update };
};

// What a person said; editing puts a field in its place.
export const saidView = (turn, icons, { onEdit }) => {
  const box = make("article", "bubble user");
  const text = make("p", "", turn.text);
  const files = make("div", "attached-list");
  files.append(...turn.files.map((file) => chipOf(file)));
  box.append(make("h2", "hidden", _("You")));
  if (turn.files.length) box.append(files);
  box.append(text);

  const edit = () => {
    const field = make("textarea");
    field.value = turn.text;
    field.setAttribute("aria-label", _("Edit the message"));
    const send = make("button", "primary", _("Send"));
    const cancel = make("button", "", _("Cancel"));
    send.type = cancel.type = "button";
    const row = make("div", "actions");
    row.append(cancel, send);
    text.replaceWith(field);
    acts.replaceWith(row);
    box.classList.add("editing");
    field.focus();
    cancel.addEventListener("click", () => {
      field.replaceWith(text);
      row.replaceWith(acts);
      box.classList.remove("editing");
    });
    send.addEventListener("click", () => field.value.trim() && onEdit(field.value.trim()));
  };
  const acts = make("span", "acts");
  acts.append(action(icons, "edit", _("Edit and send again"), edit));
  box.append(acts);
  return box;
};
