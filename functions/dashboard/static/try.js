// "Try it" of the docs: sends the request of the page as it is filled in, with the reader's own key.

const MOST_CHARS = 200_000;
const HEADERS = ["x-request-id", "x-tollgate-cost-micro-usd", "retry-after"];
const form = document.querySelector("[data-try]");
const box = document.querySelector("[data-answer]");
const said = box.querySelector("[role=status]");
const shown = box.querySelector("pre");
const button = form.querySelector("button");

const filled = (place) =>
  [...form.querySelectorAll(`[data-in=${place}]`)].filter((one) => one.value !== "").map((one) => [one.name, one.value]);

const requestOf = () => {
  let address = form.dataset.try;
  for (const [name, value] of filled("path")) address = address.replace(`{${name}}`, encodeURIComponent(value));
  const query = new URLSearchParams(filled("query")).toString();
  const headers = new Headers(filled("header"));
  headers.set("authorization", `Bearer ${form.querySelector("[data-key]").value.trim()}`);
  const body = form.querySelector("[data-body]")?.value;
  if (body !== undefined) headers.set("content-type", "application/json");
  return [query ? `${address}?${query}` : address, { method: form.dataset.method, headers, body }];
};

// What is streamed is shown as it comes; what is one JSON document is shown in lines.
const read = async (answer) => {
  const kind = answer.headers.get("content-type") ?? "";
  if (!/json|text|event-stream/.test(kind)) {
    const bytes = (await answer.blob()).size;
    return kind ? `${bytes.toLocaleString("en")} bytes of ${kind}` : "";
  }
  let text = "";
  const words = new TextDecoder();
  for (const reader = answer.body.getReader(); text.length < MOST_CHARS; ) {
    const { done, value } = await reader.read();
    if (done) break;
    text += words.decode(value, { stream: true });
    shown.textContent = text;
  }
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const began = performance.now();
  button.disabled = true;
  box.hidden = false;
  said.textContent = "Waiting…";
  shown.textContent = "";
  try {
    const answer = await fetch(...requestOf());
    const text = await read(answer);
    const more = HEADERS.filter((name) => answer.headers.has(name)).map((name) => `${name}: ${answer.headers.get(name)}`);
    const took = `${((performance.now() - began) / 1000).toFixed(2)} s`;
    said.textContent = [`${answer.status} ${answer.statusText}`.trim(), took, ...more].join(" · ");
    shown.textContent = text.slice(0, MOST_CHARS);
  } catch (error) {
    said.textContent = `Nothing was answered: ${error.message}`;
  }
  button.disabled = false;
});
