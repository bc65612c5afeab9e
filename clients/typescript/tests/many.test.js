// Workflows and batches: their requests, waits, streams and results. A `fetch` of ours stands for the service.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as tollgate from "../dist/index.js";

const json = (body, status = 200, headers = {}) => new Response(JSON.stringify(body), { status, headers });
const data = (found) => json({ code: 200, data: found });
const failed = (status) => json({ error: { message: "no", code: "x" } }, status, { "retry-after": "0" });
const workflow = (status = "running", step = {}) => ({
  id: "wfl_1",
  status,
  totalMicroUsd: 10,
  costMicroUsd: 10,
  isCancelled: false,
  steps: [{ id: "image", kind: "media", model: "m", status, costMicroUsd: 10, refundedMicroUsd: 0, ...step }],
});
const batch = (status, more = {}) => ({
  id: "batch_1",
  status,
  request_counts: { total: 2, completed: 1, failed: 1 },
  output_file_id: null,
  error_file_id: null,
  errors: null,
  ...more,
});

function service(...answers) {
  const seen = [];
  const fetch = async (url, request = {}) => {
    seen.push({ url: String(url), ...request });
    const answer = answers[seen.length - 1];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { seen, client: new tollgate.Client({ apiKey: "k", baseUrl: "https://tollgate.test", fetch }) };
}

async function all(found) {
  const list = [];
  for await (const one of found) list.push(one);
  return list;
}

const steps = [{ id: "image", model: "m", input: { prompt: "x" } }];

test("a workflow is created with one key, and its end is waited for", async () => {
  const { seen, client } = service(failed(503), data(workflow()), data(workflow("finished")));
  const made = await client.createWorkflow(steps, { name: "cover", maxCostCents: 5 });
  const told = [];
  await made.wait({ onProgress: (each) => told.push(each.status) });
  assert.deepEqual(told, ["running", "finished"]);
  assert.deepEqual(JSON.parse(seen[1].body), { steps, name: "cover", maxCostCents: 5 });
  assert.equal(seen[0].headers["idempotency-key"], seen[1].headers["idempotency-key"]);
  assert.equal(seen[2].url, "https://tollgate.test/api/v1/workflows/wfl_1");
});

test("a failed workflow throws with its steps, and a wait has an end", async () => {
  const broken = service(data(workflow("failed", { error: { code: "x", message: "No." } })));
  const error = await (await broken.client.workflow("wfl_1")).wait().catch((one) => one);
  assert.ok(error instanceof tollgate.WorkflowFailedError);
  assert.deepEqual([error.message, error.workflow.id], ["Workflow wfl_1 failed: image: No.", "wfl_1"]);
  const slow = service(data(workflow()));
  await assert.rejects((await slow.client.workflow("wfl_1")).wait({ timeoutS: -1 }), tollgate.WaitTimeoutError);
});

test("a stream that ends is opened again after the last event", async () => {
  const events = (...found) =>
    new Response(
      `retry: 2000\n\n: keep-alive\n\n${found
        .map(([name, id, status]) => `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(workflow(status))}\n\n`)
        .join("")}`,
    );
  const { seen, client } = service(
    data(workflow()),
    events(["progress", 0, "running"], ["progress", 3, "running"]),
    events(["end", 4, "finished"]),
  );
  const made = await client.workflow("wfl_1");
  assert.deepEqual((await all(made.stream())).map((each) => each.status), ["running", "running", "finished"]);
  assert.deepEqual(seen.slice(1).map((one) => one.headers["last-event-id"]), [undefined, "3"]);
  const refused = service(data(workflow()), failed(404));
  await assert.rejects(all((await refused.client.workflow("wfl_1")).stream()), tollgate.NotFoundError);
});

test("pages are read to their end", async () => {
  const flows = service(data({ workflows: [workflow()], cursor: "wfl_1" }), data({ workflows: [] }));
  assert.equal((await all(flows.client.workflows())).length, 1);
  assert.match(flows.seen[1].url, /cursor=wfl_1$/);
  const page = { data: [batch("completed")], last_id: "batch_1" };
  const batches = service(json({ ...page, has_more: true }), json({ ...page, has_more: false }));
  assert.equal((await all(batches.client.batches())).length, 2);
  assert.match(batches.seen[1].url, /after=batch_1$/);
});

test("a batch without requests is not sent, and a batch that runs has no results yet", async () => {
  const { seen, client } = service(json(batch("in_progress")));
  await assert.rejects(client.createBatch({}), /at least one request/);
  assert.equal(seen.length, 0);
  await assert.rejects(all((await client.batch("batch_1")).results()), /Batch batch_1 is in_progress\. Call wait/);
});

test("requests become a batch, and its results are read", async () => {
  const error = { code: "batch_expired", message: "Late." };
  const lines = [
    { id: "1", custom_id: "a", response: { status_code: 200, body: { x: 1 } }, error: null },
    { id: "2", custom_id: "b", response: null, error },
  ];
  const { seen, client } = service(
    data({ id: "file_1", upload: { url: "https://bucket.test/", fields: { key: "k" } } }),
    new Response(null, { status: 204 }),
    json(batch("validating")),
    json(batch("completed", { output_file_id: "file_2", error_file_id: "file_3" })),
    ...lines.map((line) => new Response(`${JSON.stringify(line)}\n`)),
  );
  const made = await client.createBatch({ a: { model: "m" }, b: { model: "n" } });
  assert.equal((await made.wait()).request_counts.completed, 1);
  assert.deepEqual(await all(made.results()), [
    { customId: "a", status: 200, body: { x: 1 }, error: null },
    { customId: "b", status: null, body: null, error },
  ]);
  const sent = (await seen[1].body.get("file").text()).trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(sent[1], { custom_id: "b", method: "POST", url: "/v1/chat/completions", body: { model: "n" } });
  assert.equal(JSON.parse(seen[0].body).contentType, "application/jsonl");
  assert.equal(seen[4].url, "https://tollgate.test/api/v1/files/file_2/content");
  const errors = { data: [{ code: "x", message: "Line 1 is no JSON.", line: 1 }] };
  const broken = service(json(batch("failed", { errors })));
  await assert.rejects((await broken.client.batch("batch_1")).wait(), tollgate.BatchFailedError);
});
