// Creates a task and reads it until it has ended, by the generated client. Arguments: base URL, key.
import { client } from "./client/client.gen.js";
import { createGeneration, getTask, getUser } from "./client/sdk.gen.js";

declare const process: { argv: string[] };
const [baseUrl, auth] = process.argv.slice(2);
client.setConfig({ baseUrl, auth });

const made = await createGeneration({
  body: { model: "test-image", input: { prompt: "a lighthouse at dusk", size: "16:9" } },
  throwOnError: true,
});
const taskId: string = made.data.data.taskId;
const read = await getTask({ path: { taskId }, query: { wait: 20 }, throwOnError: true });
const files: string[] = (read.data.data.files ?? []).map((file) => file.fileUrl);

const refused = await createGeneration({ body: { model: "test-image", input: { prompt: "" } } });
const code: "invalid_input" | string | undefined = refused.error?.error.code;

client.setConfig({ baseUrl, auth: "tg_live_nobody" });
const unknown = await getUser();
console.log(JSON.stringify({ taskId, status: read.data.data.status, files, code, unknown: unknown.error?.error.code }));
