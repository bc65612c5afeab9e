// One answer, as it comes: streamed from the text route with a key of its own, which lives in this module alone.

import { _ } from "../words.js";

const RENEW_MS = 60_000;
const MICRO = 1e-6;
let key = null;

const apiKey = async (address) => {
  if (!key || key.expiresAtMs - Date.now() < RENEW_MS) {
    const headers = JSON.parse(document.body.getAttribute("hx-headers"));
    const answer = await fetch(address, { method: "POST", headers });
    const said = answer.redirected ? null : await answer.json().catch(() => null);
    if (!answer.ok || !said) throw new Error(said?.message ?? _("Your session has ended. Reload the page to sign in."));
    key = said;
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

const failed = async (answer) => {
  const body = await answer.json().catch(() => null);
  return new Error(body?.error?.message ?? _("The service answered {status}.", { status: answer.status }));
};

const authorized = async (addresses) => ({ authorization: `Bearer ${await apiKey(addresses.key)}` });

// Ends the request at the provider; where its end cannot be asked for any more, it has ended.
const end = async (addresses, id) => {
  if (id) await fetch(`${addresses.requests}/${id}`, { method: "DELETE", headers: await authorized(addresses) });
};

// Calls `on` with each piece: `{id}`, `{text}`, `{reasoning}`, `{images}`, `{calls}` or `{usage}`. Throws what a person can read. On `stop`,
// the request is ended by its id, which the headers have: they are waited for.
export const ask = async (addresses, body, stop, on) => {
  const leave = new AbortController();
  const answer = await fetch(addresses.completions, {
    method: "POST",
    headers: { ...(await authorized(addresses)), "content-type": "application/json" },
    body: JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } }),
    signal: leave.signal,
  });
  if (!answer.ok) throw await failed(answer);
  const id = answer.headers.get("x-request-id");
  on({ id });
  const stopped = () => end(addresses, id).catch(() => {}).finally(() => leave.abort());
  if (stop.aborted) stopped();
  else stop.addEventListener("abort", stopped, { once: true });
  for await (const data of events(answer.body)) {
    if (data === "[DONE]") return;
    const chunk = JSON.parse(data);
    if (chunk.error) throw new Error(chunk.error.message);
    const delta = chunk.choices?.[0]?.delta ?? {};
    const reasoning = delta.reasoning_content ?? delta.reasoning;
    if (typeof reasoning === "string" && reasoning) on({ reasoning });
    if (delta.content) on({ text: delta.content });
    if (Array.isArray(delta.images)) on({ images: delta.images });
    if (Array.isArray(delta.tool_calls)) on({ calls: delta.tool_calls });
    if (chunk.usage) on({ usage: chunk.usage });
  }
  throw new Error(_("The answer was interrupted."));
};

const MOST_LOOKS = 60;
const LOOK_MS = 1500;

// The charge of a request in micro-USD, once it is settled; nothing if it is not by then, or was never charged.
export const chargeOf = async (addresses, id) => {
  for (let look = 0; id && look < MOST_LOOKS; look++) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const answer = await fetch(`${addresses.requests}/${id}`, { headers: await authorized(addresses) }).catch(() => null);
    if (answer?.ok) return (await answer.json()).data.costMicroUsd;
  }
  return undefined;
};

// The cost of an answer in micro-USD, as it is billed. An estimate names none. Prices are USD per 1M tokens, so micro-USD a token; the tier of
// the whole input prices all of it, and one rounding goes up.
export const costOf = (usage, tiers) => {
  if (usage.cost !== undefined) return Math.round(usage.cost * 1e6);
  const details = usage.prompt_tokens_details ?? {};
  const [read, written] = [details.cached_tokens ?? 0, details.cache_write_tokens ?? 0];
  const prices = tiers.filter((one) => one.from <= usage.prompt_tokens).at(-1);
  const plain = usage.prompt_tokens - read - written;
  const cost =
    plain * prices.input +
    read * prices.cacheRead +
    written * prices.cacheWrite +
    usage.completion_tokens * prices.output;
  return Math.ceil(cost - MICRO);
};

// Dollars with two digits that say something, as all pages show money.
export const dollars = (microUsd) => {
  const usd = microUsd / 1e6;
  if (microUsd === 0 || usd >= 0.01) return `$${usd.toFixed(2)}`;
  return `$${Number(usd.toPrecision(2)).toFixed(6).replace(/0+$/, "")}`;
};
