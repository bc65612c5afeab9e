// Calls a provider's package of the AI SDK as its users do, and prints what it sent and what it read.
//
// In: {package, factory, key, own, simulated, calls: [{kind, model, options}]}. Out: for each call
// {sent: [{method, url, headers, body}], files, error}. What goes to the vendor's address (`own`) is answered by
// the simulator, and the simulator's addresses in its answers are the vendor's, as in tests/truth/wire.py.
import { readFileSync } from "node:fs";

const FILES = "https://files.vendor.example"; // the packages load no result from a loopback address
const MOST_POLLS = 5;
const asked = JSON.parse(readFileSync(0, "utf8"));
const simulator = new URL(asked.simulated).origin;
let sent = [];

async function network(url, options = {}) {
  const address = String(url);
  if (address.startsWith(FILES)) return fetch(address.replace(FILES, simulator));
  if (!address.startsWith(asked.own)) throw new Error(`${address} is no address of ${asked.own}`);
  const headers = Object.fromEntries(new Headers(options.headers));
  sent.push({ method: options.method ?? "GET", url: address, headers, body: options.body ?? null });
  const { method, headers: given, body } = options;
  const answer = await fetch(asked.simulated + address.slice(asked.own.length), { method, headers: given, body });
  const said = (await answer.text()).replaceAll(asked.simulated, asked.own).replaceAll(simulator, FILES);
  return new Response(said, { status: answer.status, headers: { "content-type": "application/json" } });
}

async function files(provider, { kind, model, options }) {
  if (kind === "image") return (await provider.image(model).doGenerate(options)).images.length;
  const videos = provider.video(model);
  if (!videos.doStart) return (await videos.doGenerate(options)).videos.length;
  const { operation } = await videos.doStart(options);
  for (let poll = 0; poll < MOST_POLLS; poll++) {
    const state = await videos.doStatus({ operation });
    if (state.status === "completed") return state.videos.length;
    if (state.status === "error") throw new Error(state.error);
  }
  throw new Error("still pending");
}

const create = (await import(asked.package))[asked.factory];
const provider = create({ apiKey: asked.key, apiToken: asked.key, fetch: network });
const found = [];
for (const call of asked.calls) {
  sent = [];
  let read = null;
  let error = null;
  try {
    read = await files(provider, call);
  } catch (problem) {
    error = String(problem);
  }
  found.push({ sent, files: read, error });
}
console.log(JSON.stringify(found));
