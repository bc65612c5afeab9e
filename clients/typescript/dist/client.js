// The client: a method for each operation. Requests are repeated if a repeat is safe.
import { BrokenStreamError, TollgateError, UnreachableError } from "./errors.js";
import { Batch, EventReader, hasEnded, linesOfBatch, resultOf, Workflow, } from "./many.js";
import { typeOf, uploadsIn, withUploads } from "./media.js";
import { sleep } from "./pauses.js";
import { Task } from "./task.js";
import { dataOf, queryOf, Transport } from "./transport.js";
export { Task } from "./task.js";
export { VERSION } from "./transport.js";
const MAX_PAGES = 10_000;
const PAGE_SIZE = 100;
/** The pause before a stream of events is opened again, as the service suggests it. */
const RECONNECT_S = 2;
/** Streams of one workflow. Each is open for a minute, and no workflow takes a day. */
const MAX_STREAMS = 2_000;
const CHAT = "/api/v1/chat/completions";
/** Tollgate, with one API key. */
export class Client {
    #api;
    constructor(options = {}) {
        this.#api = new Transport(options);
    }
    /** Make one generation and wait for it. Local files in the input are uploaded. */
    async run(model, input, options = {}) {
        const task = await this.submit(model, input, options);
        await task.wait(options);
        return task;
    }
    /** Create a generation and return at once. It is charged now, and once. */
    async submit(model, input, options = {}) {
        const body = {
            model,
            input: await this.#uploaded(model, input),
            webhook: options.webhook,
            metadata: options.metadata,
            maxCostCents: options.maxCostCents,
            priceVersion: options.priceVersion,
            finishByS: options.finishByS,
            expiresInS: options.expiresInS,
            webhookProgress: options.webhookProgress,
            private: options.private,
        };
        return new Task(this, await this.#api.post("/api/v1/generation/create", body, once(options.idempotencyKey)));
    }
    /** Exactly what `submit` would charge for the same input. */
    async estimate(model, input) {
        const ready = await this.#uploaded(model, input);
        return this.#api.post("/api/v1/generation/estimate", { model, input: ready });
    }
    /** A task that was created before. */
    async task(taskId) {
        return new Task(this, await this.status(taskId));
    }
    async status(taskId) {
        return this.#api.get(`/api/v1/task/status/${encodeURIComponent(taskId)}`);
    }
    async cancel(taskId) {
        return this.#api.post(`/api/v1/task/cancel/${encodeURIComponent(taskId)}`);
    }
    async deleteFiles(taskId) {
        return this.#api.delete(`/api/v1/task/files/${encodeURIComponent(taskId)}`);
    }
    /** The account's tasks, the newest first, page by page as they are needed. */
    async *tasks(filters = {}) {
        const query = { ...filters, limit: String(PAGE_SIZE) };
        yield* pages(async (cursor) => {
            const path = `/api/v1/tasks${queryOf({ ...query, cursor })}`;
            const found = await this.#api.get(path);
            return [found.tasks, found.cursor];
        });
    }
    /** The catalog. */
    async models(filters = {}) {
        return this.#api.get(`/api/v1/catalog${queryOf(filters)}`);
    }
    async model(id) {
        return this.#api.get(`/api/v1/catalog/${encodeURIComponent(id)}`);
    }
    /** The account's balance in cents. The key needs the scope `account`. */
    async balanceCents() {
        return (await this.#api.get("/api/v1/user/me")).balance;
    }
    /** Upload a file; its `id` goes into any media field, many times. */
    async upload(file) {
        const blob = file instanceof Blob ? file : new Blob([file]);
        const filename = file instanceof File ? file.name : "file";
        const contentType = blob.type || (await typeOf(blob));
        const granted = await this.#api.post("/api/v1/files", { filename, contentType, bytes: blob.size });
        const form = new FormData();
        for (const [name, value] of Object.entries(granted.upload.fields))
            form.append(name, value);
        form.append("file", blob, filename);
        const answer = await this.#api.fetch(granted.upload.url, { method: "POST", body: form });
        if (!answer.ok)
            throw new TollgateError(`the upload of ${filename} was refused: HTTP ${answer.status}`);
        const { upload: _, ...kept } = granted;
        return kept;
    }
    /** Delete an uploaded file before its time. */
    async deleteFile(id) {
        await this.#api.delete(`/api/v1/files/${encodeURIComponent(id)}`);
    }
    /** A text model's response. A request without a response is not repeated, because it may be billed. */
    async chat(model, messages, options = {}) {
        const answer = await this.#api.send({ method: "POST", path: CHAT, body: chatBody(model, messages, options) });
        const data = dataOf(answer);
        const cost = answer.headers.get("x-tollgate-cost-micro-usd");
        const choices = data["choices"];
        return {
            text: choices?.[0]?.message?.content ?? "",
            usage: data["usage"] ?? null,
            costMicroUsd: cost === null ? null : Number(cost),
            data,
        };
    }
    /** The text of a response as it arrives. Throws `BrokenStreamError` if it breaks off. */
    async *streamChat(model, messages, options = {}) {
        const { signal, ...more } = options;
        const body = { ...chatBody(model, messages, more), stream: true };
        for await (const line of this.#api.lines(CHAT, signal ? { signal } : {}, body)) {
            if (!line.startsWith("data:"))
                continue;
            const said = line.slice("data:".length).trim();
            if (said === "[DONE]")
                return;
            const chunk = JSON.parse(said);
            if (chunk.error)
                throw new BrokenStreamError(chunk.error.message ?? "The response broke off.");
            const text = chunk.choices?.[0]?.delta?.content;
            if (text)
                yield text;
        }
        throw new BrokenStreamError("The stream ended without its last event.");
    }
    /** Reserve the money of a workflow and start it, once. */
    async createWorkflow(steps, options = {}) {
        const { idempotencyKey, ...more } = options;
        const body = { steps, ...more };
        return new Workflow(this, await this.#api.post("/api/v1/workflows", body, once(idempotencyKey)));
    }
    /** The amount that `createWorkflow` would reserve for the same steps. */
    async estimateWorkflow(steps) {
        return this.#api.post("/api/v1/workflows/estimate", { steps });
    }
    /** A workflow that was created before. */
    async workflow(id) {
        return new Workflow(this, await this.#api.get(`/api/v1/workflows/${encodeURIComponent(id)}`));
    }
    async cancelWorkflow(id) {
        return this.#api.post(`/api/v1/workflows/${encodeURIComponent(id)}/cancel`);
    }
    /** The account's workflows, the newest first, page by page as they are needed. */
    async *workflows() {
        yield* pages(async (cursor) => {
            const path = `/api/v1/workflows${queryOf({ cursor })}`;
            const found = await this.#api.get(path);
            return [found.workflows, found.cursor];
        });
    }
    /** The states of a workflow until its end. A stream that ends before is opened again. */
    async *workflowEvents(id, options = {}) {
        const path = `/api/v1/workflow/stream/${encodeURIComponent(id)}`;
        const events = new EventReader();
        let lost = 0;
        for (let stream = 0; stream < MAX_STREAMS; stream++) {
            const last = events.lastId === undefined ? {} : { "last-event-id": events.lastId };
            try {
                for await (const line of this.#api.lines(path, { headers: last, ...options })) {
                    const seen = events.read(line);
                    if (seen === null)
                        continue;
                    lost = 0;
                    yield seen;
                    if (hasEnded(seen))
                        return;
                }
            }
            catch (cause) {
                if (!(cause instanceof BrokenStreamError || cause instanceof UnreachableError))
                    throw cause;
                if (++lost === this.#api.maxAttempts)
                    throw cause;
            }
            await sleep(RECONNECT_S, options.signal);
        }
        throw new TollgateError(`the workflow ${id} has not ended after ${MAX_STREAMS} streams`);
    }
    /** Create a batch of text requests, once. `requests` has the body of each request by your own id. */
    async createBatch(requests, options = {}) {
        if (Object.keys(requests).length === 0)
            throw new TypeError("A batch needs at least one request.");
        const endpoint = options.endpoint ?? "/v1/chat/completions";
        const lines = new File([linesOfBatch(requests, endpoint)], "batch.jsonl", { type: "application/jsonl" });
        const file = await this.upload(lines);
        const body = { input_file_id: file.id, endpoint, completion_window: "24h", metadata: options.metadata };
        return new Batch(this, await this.#api.post("/api/v1/batches", body, once(options.idempotencyKey)));
    }
    /** A batch that was created before. */
    async batch(id) {
        return new Batch(this, await this.#api.get(`/api/v1/batches/${encodeURIComponent(id)}`));
    }
    async cancelBatch(id) {
        return this.#api.post(`/api/v1/batches/${encodeURIComponent(id)}/cancel`);
    }
    /** The account's batches, the newest first, page by page as they are needed. */
    async *batches() {
        yield* pages(async (after) => {
            const path = `/api/v1/batches${queryOf({ after })}`;
            const found = await this.#api.get(path);
            return [found.data, found.has_more ? found.last_id : null];
        });
    }
    /** The results in a file of a batch. */
    async *batchResults(fileId) {
        const path = `/api/v1/files/${encodeURIComponent(fileId)}/content`;
        for await (const line of this.#api.lines(path))
            if (line.trim())
                yield resultOf(line);
    }
    /** The bytes of a file. */
    async download(file) {
        return new Uint8Array(await new Response(await this.open(file)).arrayBuffer());
    }
    /** The bytes of a file as they arrive. */
    async open(file) {
        const answer = await this.#api.fetch(file.fileUrl);
        if (!answer.ok || answer.body === null)
            throw new TollgateError(`${file.fileUrl}: HTTP ${answer.status}`);
        return answer.body;
    }
    async #uploaded(model, input) {
        const ids = new Map();
        for (const file of uploadsIn(input))
            ids.set(file, (await this.upload(file)).id);
        return ids.size === 0 ? input : withUploads(input, ids);
    }
}
function chatBody(model, messages, options) {
    return { model, messages: typeof messages === "string" ? [{ role: "user", content: messages }] : messages, ...options };
}
/** The header that makes a repeat harmless. */
function once(idempotencyKey) {
    return { "idempotency-key": idempotencyKey ?? `ts-${crypto.randomUUID()}` };
}
/** All items of a list. `read` returns a page, and the place of the next page, if there is one. */
async function* pages(read) {
    let after;
    for (let page = 0; page < MAX_PAGES; page++) {
        const [items, next] = await read(after);
        yield* items;
        if (!next)
            return;
        after = next;
    }
}
