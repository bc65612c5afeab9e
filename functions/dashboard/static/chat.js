// The chat: streams from the text route with a key of its own, which lives in this module and nowhere else.

const RENEW_MS = 60_000;
const page = document.querySelector("#chat");
const form = page.querySelector("form");
const log = page.querySelector("[data-log]");
const field = form.elements.message;
const send = form.querySelector("[data-send]");
const stop = form.querySelector("[data-stop]");
const model = page.querySelector("#model");
const system = page.querySelector("#system");

const headers = JSON.parse(document.body.getAttribute("hx-headers"));
const messages = [];
let key = null;
let running = null;

const apiKey = async () => {
  if (!key || key.expiresAtMs - Date.now() < RENEW_MS) {
    const answer = await fetch(page.dataset.key, { method: "POST", headers });
    if (!answer.ok) throw new Error("Your session has ended. Reload the page to sign in.");
    key = await answer.json();
  }
  return key.key;
};

// Gives the data of each event; an event ends with an empty line.
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    rest += read.value;
    const parts = rest.split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      for (const line of part.split("\n")) if (line.startsWith("data: ")) yield line.slice(6);
    }
  }
}

const bubble = (role) => {
  const box = document.createElement("article");
  box.className = `bubble ${role}`;
  const name = document.createElement("h2");
  name.textContent = role === "user" ? "You" : model.selectedOptions[0].textContent;
  const text = document.createElement("p");
  const note = document.createElement("small");
  box.append(name, text, note);
  page.querySelector("[data-empty]")?.remove();
  log.append(box);
  box.scrollIntoView({ block: "end" });
  return { box, text, note };
};

const failed = async (answer) => {
  const body = await answer.json().catch(() => null);
  return new Error(body?.error?.message ?? `The service answered ${answer.status}.`);
};

const ask = async (shown, signal) => {
  const instructions = system.value.trim();
  const first = instructions ? [{ role: "system", content: instructions }] : [];
  const answer = await fetch(page.dataset.completions, {
    method: "POST",
    headers: { authorization: `Bearer ${await apiKey()}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: model.value,
      messages: [...first, ...messages],
      stream: true,
      stream_options: { include_usage: true },
    }),
    signal,
  });
  if (!answer.ok) throw await failed(answer);
  for await (const data of events(answer.body)) {
    if (data === "[DONE]") return;
    const chunk = JSON.parse(data);
    if (chunk.error) throw new Error(chunk.error.message);
    shown.text.append(chunk.choices?.[0]?.delta?.content ?? "");
    if (chunk.usage) {
      const { prompt_tokens: input, completion_tokens: output } = chunk.usage;
      shown.note.textContent = `${input} in · ${output} out`;
    }
    log.scrollTop = log.scrollHeight;
  }
  throw new Error("The answer was interrupted.");
};

const busy = (on) => {
  send.hidden = on;
  stop.hidden = !on;
  log.setAttribute("aria-busy", String(on));
};

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = field.value.trim();
  if (!text || running) return;
  field.value = "";
  messages.push({ role: "user", content: text });
  bubble("user").text.textContent = text;
  const shown = bubble("assistant");
  shown.box.classList.add("waiting");
  running = new AbortController();
  busy(true);
  try {
    await ask(shown, running.signal);
  } catch (error) {
    shown.note.textContent = error.name === "AbortError" ? "Stopped." : error.message;
    shown.box.classList.toggle("bad", error.name !== "AbortError");
  }
  // What was said counts, however it ended; an answer that never began is not sent again.
  if (shown.text.textContent) messages.push({ role: "assistant", content: shown.text.textContent });
  else messages.pop();
  shown.box.classList.remove("waiting");
  running = null;
  busy(false);
  field.focus();
  htmx.trigger(document.body, "money-moved");
});

field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    form.requestSubmit();
  }
});

stop.addEventListener("click", () => running?.abort());
