// When a request is sent again, and what its answer means. A `fetch` of ours stands for the service.
import assert from "node:assert/strict";
import { test } from "node:test";
import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import * as tollgate from "../dist/index.js";
import { save } from "../dist/node.js";

const json = (body, status = 200, headers = {}) => new Response(JSON.stringify(body), { status, headers });
const created = () => json({ code: 200, data: { taskId: "task_1", status: "not_started" } });
const failed = (status, code = "x", headers = { "retry-after": "0" }) =>
  json({ code: status, error: { message: "no", code } }, status, headers);

function service(...answers) {
  const seen = [];
  const fetch = async (url, request = {}) => {
    seen.push({ url: String(url), ...request });
    const answer = answers[seen.length - 1];
    if (answer instanceof Error) throw answer;
    return typeof answer === "function" ? answer(url, request) : answer;
  };
  return { seen, client: new tollgate.Client({ apiKey: "tg_live_x", baseUrl: "https://tollgate.test/api/v1/", fetch }) };
}

for (const status of [408, 425, 429, 500, 502, 503, 504])
  test(`a create is sent again after ${status} with the same key`, async () => {
    const { seen, client } = service(failed(status), created());
    assert.equal((await client.submit("m", {})).id, "task_1");
    assert.equal(seen.length, 2);
    assert.equal(seen[0].headers["idempotency-key"], seen[1].headers["idempotency-key"]);
    assert.equal(seen[0].url, "https://tollgate.test/api/v1/generation/create");
  });

test("a lost answer to a create is asked for again, one to a chat is not", async () => {
  const create = service(new TypeError("gone"), created());
  await create.client.submit("m", {}, { idempotencyKey: "mine" });
  assert.deepEqual(create.seen.map((one) => one.headers["idempotency-key"]), ["mine", "mine"]);
  const chat = service(new TypeError("gone"), created());
  await assert.rejects(chat.client.chat("m", "hello"), tollgate.UnreachableError);
  assert.equal(chat.seen.length, 1);
});

const breaksOff = (text) =>
  new Response(
    new ReadableStream({
      start: (stream) => stream.enqueue(new TextEncoder().encode(text)),
      pull: (stream) => stream.error(new TypeError("terminated")),
    }),
  );

test("a response that breaks off is lost", async () => {
  const create = service(breaksOff('{"code": 200, "data"'), created());
  await create.client.submit("m", {}, { idempotencyKey: "mine" });
  assert.deepEqual(create.seen.map((one) => one.headers["idempotency-key"]), ["mine", "mine"]);
  const chat = service(breaksOff('{"choices"'));
  await assert.rejects(chat.client.chat("m", "hello"), tollgate.UnreachableError);
});

test("attempts are bounded", async () => {
  const { seen, client } = service(...Array(9).fill(() => failed(503)));
  await assert.rejects(client.submit("m", {}), tollgate.ServiceError);
  assert.equal(seen.length, 5);
});

for (const [status, kind] of [
  [400, "InvalidInputError"],
  [401, "AuthenticationError"],
  [402, "InsufficientBalanceError"],
  [403, "PermissionDeniedError"],
  [404, "NotFoundError"],
  [413, "PayloadTooLargeError"],
  [422, "ConflictError"],
])
  test(`${status} is ${kind}`, async () => {
    const { seen, client } = service(failed(status, "a_code", { "x-request-id": "req_1" }));
    const error = await client.submit("m", {}).catch((one) => one);
    assert.ok(error instanceof tollgate[kind]);
    assert.deepEqual([error.name, error.status, error.code, error.requestId], [kind, status, "a_code", "req_1"]);
    assert.equal(seen.length, 1);
  });

test("local files are uploaded, each once, and our key goes to the service alone", async () => {
  const granted = json({ code: 200, data: { id: "file_1", upload: { url: "https://bucket.test/", fields: { key: "k" } } } });
  const { seen, client } = service(granted, new Response(null, { status: 204 }), created());
  const file = new File(["png"], "start.png", { type: "image/png" });
  await client.submit("m", { imageUrls: [file, "https://x.test/a.png"], imageWithRoles: [{ url: file }] });
  assert.deepEqual(JSON.parse(seen[2].body).input, {
    imageUrls: ["file_1", "https://x.test/a.png"],
    imageWithRoles: [{ url: "file_1" }],
  });
  assert.deepEqual(JSON.parse(seen[0].body), { filename: "start.png", contentType: "image/png", bytes: 3 });
  assert.equal(seen[1].headers, undefined);
  assert.equal(seen[1].body.get("key"), "k");
});

test("bytes without a name say their type", async () => {
  const heads = { "image/png": "\x89PNG\r\n", "audio/wav": "RIFF0000WAVEfmt", "video/mp4": "\0\0\0\x18ftypisom" };
  for (const [type, head] of Object.entries(heads)) {
    const { seen, client } = service(failed(400));
    await client.upload(Uint8Array.from(head, (one) => one.charCodeAt(0))).catch(() => null);
    assert.equal(JSON.parse(seen[0].body).contentType, type);
  }
});

test("prices are those of the estimate, or it says what it costs now", async () => {
  const said = json({ code: 409, error: { message: "no", code: "price_changed", costCents: 3 } }, 409);
  const { seen, client } = service(said);
  const error = await client.submit("m", {}, { priceVersion: "v1" }).catch((one) => one);
  assert.equal(JSON.parse(seen[0].body).priceVersion, "v1");
  assert.ok(error instanceof tollgate.PriceChangedError && error instanceof tollgate.ConflictError);
  assert.equal(error.costCents, 3);
});

test("a task's files are deleted", async () => {
  const gone = json({ code: 200, data: { taskId: "task_1", status: "finished", filesDeletedAt: "2026-11-22T10:00:00Z" } });
  const { seen, client } = service(created(), gone);
  const task = await client.submit("m", {});
  await task.deleteFiles();
  assert.deepEqual([task.files, seen[1].method], [[], "DELETE"]);
  assert.equal(seen[1].url, "https://tollgate.test/api/v1/task/files/task_1");
});

test("an unreachable service is named with the reason", async () => {
  const refused = Object.assign(new TypeError("fetch failed"), { cause: new Error("connect ECONNREFUSED") });
  const { client } = service(...Array(5).fill(refused));
  const error = await client.chat("m", "hello").catch((one) => one);
  assert.equal(error.message, "No response to POST https://tollgate.test/api/v1/chat/completions: connect ECONNREFUSED");
});

test("whatever cannot be reached is said in one way", async () => {
  const { client } = service(new TypeError("fetch failed"), new TypeError("fetch failed"));
  await assert.rejects(client.download({ fileUrl: "https://files.test/a.png", fileType: "image" }), tollgate.UnreachableError);
  await assert.rejects(client.streamChat("m", "hello").next(), tollgate.UnreachableError);
});

test("progress is told, what fails throws, and a wait has an end", async () => {
  const status = (data) => json({ code: 200, data: { taskId: "task_1", pollAfterS: 0.01, ...data } });
  const whole = service(created(), status({ status: "running", progress: 40 }), status({ status: "finished", files: [] }));
  const told = [];
  await whole.client.run("m", {}, { onProgress: ({ task }) => told.push([task.status, task.progress]) });
  assert.deepEqual(told, [["not_started", undefined], ["running", 40], ["finished", undefined]]);
  const broken = service(created(), status({ status: "expired", error: { message: "why" } }));
  const error = await broken.client.run("m", {}).catch((one) => one);
  assert.ok(error instanceof tollgate.TaskExpiredError && error instanceof tollgate.TaskFailedError);
  const slow = service(created());
  await assert.rejects((await slow.client.submit("m", {})).wait({ timeoutS: 0 }), tollgate.WaitTimeoutError);
});

test("a file is saved whole or not at all", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-"));
  const file = { fileUrl: "https://files.test/a.png?sig=1", fileType: "image" };
  const whole = service(new Response("bytes"));
  assert.equal(await save(whole.client, file, folder), join(folder, "a.png"));
  assert.equal(await readFile(join(folder, "a.png"), "utf8"), "bytes");
  const broken = service(breaksOff("by"));
  await assert.rejects(save(broken.client, { ...file, fileUrl: "https://files.test/b.png" }, folder), tollgate.TollgateError);
  assert.deepEqual(await readdir(folder), ["a.png"]);
});

test("a stream that breaks off is not whole", async () => {
  const streamed = async (said) => {
    const { client } = service(typeof said === "string" ? new Response(said) : said);
    const found = [];
    for await (const piece of client.streamChat("m", "hello")) found.push(piece);
    return found;
  };
  const chunk = 'data: {"choices": [{"delta": {"content": "hi"}}]}\n\n';
  assert.deepEqual(await streamed(`: keep-alive\n\n${chunk}data: [DONE]\n\n`), ["hi"]);
  const isBroken = (words) => (error) => error instanceof tollgate.BrokenStreamError && words.test(error.message);
  await assert.rejects(streamed(chunk), isBroken(/without its last event/));
  await assert.rejects(streamed(breaksOff(chunk)), isBroken(/terminated/));
  await assert.rejects(streamed('data: {"error": {"message": "gone"}}\n\n'), isBroken(/^gone$/));
});

test("webhooks, against the library that the service signs them like", async () => {
  const secret = "whsec_" + Buffer.from("a secret of thirty-two bytes ...").toString("base64");
  const body = JSON.stringify({ type: "task.finished", timestamp: "t", data: { taskId: "task_1", status: "finished" } });
  const now = 1_790_000_000;
  const headers = {
    "Webhook-Id": "evt_1",
    "Webhook-Timestamp": String(now),
    "Webhook-Signature": new Webhook(secret).sign("evt_1", new Date(now * 1000), body),
  };
  const event = await tollgate.verifyWebhook(body, headers, secret, now);
  assert.deepEqual([event.id, event.type, event.data.taskId], ["evt_1", "task.finished", "task_1"]);
  for (const [change, at, text] of [
    [{ "Webhook-Signature": "v1,AAAA" }, now, body],
    [{ "Webhook-Signature": "v1,§" }, now, body],
    [{ "Webhook-Id": "evt_2" }, now, body],
    [{}, now + 301, body],
    [{}, now, body + " "],
  ])
    await assert.rejects(tollgate.verifyWebhook(text, { ...headers, ...change }, secret, at), tollgate.SignatureError);
});
