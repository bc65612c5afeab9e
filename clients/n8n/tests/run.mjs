// Runs the built node in n8n's own core against a running service: BASE_URL, API_KEY.
// Prints one line of JSON for each check, and fails at the first that is wrong.
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

process.env.N8N_USER_FOLDER = mkdtempSync(join(tmpdir(), "n8n-"));
const require = createRequire(import.meta.url);
require("reflect-metadata");
const { Workflow, createRunExecutionData } = require("n8n-workflow");
const { ExecuteContext, PackageDirectoryLoader } = require("n8n-core");

const { BASE_URL: baseUrl, API_KEY: apiKey } = process.env;
const loader = new PackageDirectoryLoader(new URL("..", import.meta.url).pathname);
await loader.loadAll();
const type = loader.getNode("tollgate").type;
const credentialType = loader.getCredential("tollgateApi").type;
const nodeTypes = { getByNameAndVersion: () => type, getByName: () => type, getKnownTypes: () => ({}) };
const credentials = { baseUrl, apiKey };

/** n8n fills the expressions of a credential's `authenticate`; this does the same for the one that ours has. */
const credentialsHelper = {
  getDecrypted: async () => credentials,
  getParentTypes: () => [],
  isCredentialUsableByNode: () => true,
  preAuthentication: async () => undefined,
  authenticate: async (found, name, options) => {
    assert.equal(name, "tollgateApi");
    const { Authorization } = credentialType.authenticate.properties.headers;
    const value = Authorization.replace(/^=/, "").replace("{{$credentials.apiKey}}", found.apiKey);
    return { ...options, headers: { ...options.headers, Authorization: value } };
  },
};

// n8n builds addresses for forms and waits from these. The node uses none of them.
const ADDRESSES = Object.fromEntries(
  ["webhookWaitingBaseUrl", "formWaitingBaseUrl"].map((name) => [name, "http://127.0.0.1/"]),
);

let runs = 0;
/** Execute the node once for an empty item; return the items that it makes. */
async function run(resource, operation, parameters = {}, options = {}) {
  runs += 1;
  const node = {
    id: `node-${runs}`,
    name: "Tollgate",
    type: "n8n-nodes-tollgate.tollgate",
    typeVersion: 1,
    position: [0, 0],
    parameters: { resource, operation, ...parameters },
    credentials: { tollgateApi: { id: "1", name: "Tollgate" } },
    ...options,
  };
  const workflow = new Workflow({ id: "1", nodes: [node], connections: {}, active: false, nodeTypes });
  const input = [{ json: {} }];
  const context = new ExecuteContext(
    workflow,
    node,
    { credentialsHelper, executionId: `test-${process.pid}`, currentNodeParameters: node.parameters, ...ADDRESSES },
    "manual",
    createRunExecutionData({}),
    0,
    input,
    { main: [input] },
    { node, data: { main: [input] }, source: null },
    [],
  );
  return (await type.execute.call(context))[0];
}

const picture = { model: "test-image", input: '{"prompt": "a lighthouse"}', additionalFields: {} };
const ended = { wait: true, timeoutS: 60, download: true };

const [account] = await run("account", "get");
assert.equal(typeof account.json.balance, "number");
const [price] = await run("media", "estimate", picture);
assert.equal(price.json.price, 0);
const [made] = await run("media", "create", { ...picture, ...ended, additionalFields: { metadata: '{"order": 7}', private: true } });
assert.equal(made.json.status, "finished");
assert.deepEqual(made.json.metadata, { order: 7 });
assert.equal(made.binary.data.mimeType, "image/png");
assert.ok(Buffer.from(made.binary.data.data, "base64").subarray(1, 4).equals(Buffer.from("PNG")));
const [queued] = await run("media", "create", { ...picture, wait: false });
const [waited] = await run("task", "wait", { taskId: queued.json.taskId, timeoutS: 60, download: true });
assert.ok(waited.binary.data);
const [shown] = await run("task", "get", { taskId: queued.json.taskId, download: false });
assert.equal(shown.binary, undefined);
const listed = await run("task", "getAll", { limit: 2 });
assert.equal(listed.length, 2);
const [deleted] = await run("task", "deleteFiles", { taskId: queued.json.taskId });
assert.ok(deleted.json.filesDeletedAt);
const [slow] = await run("media", "create", { ...picture, input: { prompt: "[[slow 30]]" }, wait: false });
await assert.rejects(run("task", "wait", { taskId: slow.json.taskId, timeoutS: 1, download: true }), /has not ended in time/);
const [cancelled] = await run("task", "cancel", { taskId: slow.json.taskId });
assert.equal(cancelled.json.taskId, slow.json.taskId);
await assert.rejects(run("media", "create", { ...picture, ...ended, input: { prompt: "[[reject]]" } }), /content_rejected/);
await assert.rejects(run("media", "create", { ...picture, wait: false, model: "no-such-model" }), /no-such-model/);
await assert.rejects(run("media", "estimate", { ...picture, input: "{" }), /Input must be a JSON object/);
const [failed] = await run("task", "get", { taskId: "task_x", download: false }, { onError: "continueRegularOutput" });
assert.match(failed.json.error, /not found|no such|does not exist/i);
const [chat] = await run("chat", "complete", {
  model: "test-chat",
  prompt: "Say hello.",
  additionalFields: { system: "Be brief.", max_tokens: 64 },
});
assert.ok(chat.json.choices[0].message.content.length > 0);
console.log(`${runs} runs in n8n-core ${require("n8n-core/package.json").version}: ok`);
process.exit(0);
