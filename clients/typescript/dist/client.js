// The client: one operation a method, each request sent again where that is safe.
import { apiError, ConfigurationError, TaskExpiredError, TaskFailedError, TollgateError, UnreachableError, } from "./errors.js";
import { Batch, EventReader, hasEnded, linesOfBatch, resultOf, Workflow, } from "./many.js";
import { typeOf, uploadsIn, withUploads } from "./media.js";
import { sleep, untilEnded } from "./pauses.js";
export const VERSION = "0.1.0";
const MAX_ATTEMPTS = 5;
const REQUEST_TIMEOUT_S = 60;
const FIRST_WAIT_S = 0.5;
const MAX_WAIT_S = 30;
/** Longer than any model's deadline: a task has ended by then. */
const DEFAULT_WAIT_S = 3600;
const MAX_PAGES = 10_000;
const PAGE_SIZE = 100;
/** The pause before a stream of events is opened again, as the service suggests it. */
const RECONNECT_S = 2;
/** Streams of one workflow. Each is open for a minute, and no workflow takes a day. */
const MAX_STREAMS = 2_000;
const TOO_MANY = 429;
const RETRIED = new Set([408, 425, TOO_MANY, 500, 502, 503, 504]);
/** Codes of 409 that mean: the same request is still under way. */
const RETRIED_CODES = new Set(["idempotency_conflict"]);
const ENDED = new Set(["finished", "failed", "expired"]);
/** A generation under way. */
export class Task {
    client;
    seen;
    constructor(client, 
    /** The task as it was last seen. */
    seen) {
        this.client = client;
        this.seen = seen;
    }
    get id() {
        return this.seen.taskId;
    }
    get files() {
        return this.seen.files ?? [];
    }
    /** Ask for the task as it is now. */
    async status() {
        return (this.seen = await this.client.status(this.id));
    }
    /** The finished task. Throws `TaskFailedError`, `TaskExpiredError` and `WaitTimeoutError`. */
    async wait(options = {}) {
        await untilEnded(this, {
            isOver: (seen) => ENDED.has(seen.status),
            boundS: options.timeoutS ?? DEFAULT_WAIT_S,
            tell: (task, elapsedS) => options.onProgress?.({ task, elapsedS }),
            pauseOf: (seen) => seen.pollAfterS,
            signal: options.signal,
        });
        if (this.seen.status === "finished")
            return this.seen;
        throw new (this.seen.status === "expired" ? TaskExpiredError : TaskFailedError)(this.seen);
    }
    /** Ask for the end of the task: refunded where nothing will be made. */
    async cancel() {
        return (this.seen = await this.client.cancel(this.id));
    }
    /** Delete the files of the task, which must have ended; the task stays, with its price. */
    async deleteFiles() {
        return (this.seen = await this.client.deleteFiles(this.id));
    }
}
/** Tollgate, with one API key. */
export class Client {
    #key;
    #url;
    #timeoutS;
    #maxAttempts;
    #fetch;
    constructor(options = {}) {
        const env = globalThis.process?.env ?? {};
        const key = options.apiKey ?? env["TOLLGATE_API_KEY"];
        const url = options.baseUrl ?? env["TOLLGATE_URL"];
        if (!key)
            throw new ConfigurationError("No API key: pass apiKey or set TOLLGATE_API_KEY.");
        if (!url)
            throw new ConfigurationError("No address: pass baseUrl or set TOLLGATE_URL.");
        this.#key = key;
        this.#url = url.replace(/\/+$/, "").replace(/\/api\/v1$/, "");
        this.#timeoutS = options.timeoutS ?? REQUEST_TIMEOUT_S;
        this.#maxAttempts = options.maxAttempts ?? MAX_ATTEMPTS;
        this.#fetch = options.fetch ?? fetch;
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
        const headers = { "idempotency-key": options.idempotencyKey ?? `ts-${crypto.randomUUID()}` };
        const created = await this.#data({
            method: "POST",
            path: "/api/v1/generation/create",
            body,
            headers,
            safe: true,
        });
        return new Task(this, created);
    }
    /** Exactly what `submit` would charge for the same input. */
    async estimate(model, input) {
        const ready = await this.#uploaded(model, input);
        return this.#data({ method: "POST", path: "/api/v1/generation/estimate", body: { model, input: ready }, safe: true });
    }
    /** A task that was created before. */
    async task(taskId) {
        return new Task(this, await this.status(taskId));
    }
    async status(taskId) {
        return this.#data({ method: "GET", path: `/api/v1/task/status/${encodeURIComponent(taskId)}`, safe: true });
    }
    async cancel(taskId) {
        return this.#data({ method: "POST", path: `/api/v1/task/cancel/${encodeURIComponent(taskId)}`, safe: true });
    }
    async deleteFiles(taskId) {
        return this.#data({ method: "DELETE", path: `/api/v1/task/files/${encodeURIComponent(taskId)}`, safe: true });
    }
    /** The account's tasks, the newest first, page by page as they are needed. */
    async *tasks(filters = {}) {
        let cursor;
        for (let page = 0; page < MAX_PAGES; page++) {
            const query = queryOf({ ...filters, limit: String(PAGE_SIZE), cursor });
            const found = await this.#data({
                method: "GET",
                path: `/api/v1/tasks${query}`,
                safe: true,
            });
            yield* found.tasks;
            if (!found.cursor)
                return;
            cursor = found.cursor;
        }
    }
    /** The catalog. */
    async models(filters = {}) {
        return this.#data({ method: "GET", path: `/api/v1/catalog${queryOf(filters)}`, safe: true });
    }
    async model(id) {
        return this.#data({ method: "GET", path: `/api/v1/catalog/${encodeURIComponent(id)}`, safe: true });
    }
    /** The account's balance in cents. The key needs the scope `account`. */
    async balanceCents() {
        return (await this.#data({ method: "GET", path: "/api/v1/user/me", safe: true })).balance;
    }
    /** Upload a file; its `id` goes into any media field, many times. */
    async upload(file) {
        const blob = file instanceof Blob ? file : new Blob([file]);
        const filename = file instanceof File ? file.name : "file";
        const contentType = blob.type || (await typeOf(blob));
        const granted = await this.#data({
            method: "POST",
            path: "/api/v1/files",
            body: { filename, contentType, bytes: blob.size },
            safe: true,
        });
        const form = new FormData();
        for (const [name, value] of Object.entries(granted.upload.fields))
            form.append(name, value);
        form.append("file", blob, filename);
        const answer = await reaching(granted.upload.url, this.#fetch(granted.upload.url, { method: "POST", body: form }));
        if (!answer.ok)
            throw new TollgateError(`the upload of ${filename} was refused: HTTP ${answer.status}`);
        const { upload: _, ...kept } = granted;
        return kept;
    }
    /** Delete an uploaded file before its time. */
    async deleteFile(id) {
        await this.#data({ method: "DELETE", path: `/api/v1/files/${encodeURIComponent(id)}`, safe: true });
    }
    /** A text model's answer. It is not asked again where no answer came: the first one may be billed. */
    async chat(model, messages, options = {}) {
        const answer = await this.#send({
            method: "POST",
            path: "/api/v1/chat/completions",
            body: chatBody(model, messages, options),
        });
        const data = (await dataOf(answer));
        const cost = answer.headers.get("x-tollgate-cost-micro-usd");
        const choices = data["choices"];
        return {
            text: choices?.[0]?.message?.content ?? "",
            usage: data["usage"] ?? null,
            costMicroUsd: cost === null ? null : Number(cost),
            data,
        };
    }
    /** The answer's text as it comes. Throws `TollgateError` where it breaks off. */
    async *streamChat(model, messages, options = {}) {
        const { signal, ...more } = options;
        const request = {
            method: "POST",
            headers: this.#headers(true),
            body: JSON.stringify({ ...chatBody(model, messages, more), stream: true }),
        };
        if (signal)
            request.signal = signal;
        const path = "/api/v1/chat/completions";
        const answer = await reaching(path, this.#fetch(this.#url + path, request));
        if (!answer.ok || answer.body === null)
            await dataOf(answer);
        for await (const line of linesOf(answer.body)) {
            if (!line.startsWith("data:"))
                continue;
            const said = line.slice("data:".length).trim();
            if (said === "[DONE]")
                return;
            const chunk = JSON.parse(said);
            if (chunk.error)
                throw new TollgateError(`the response broke off: ${chunk.error.message ?? said}`);
            const text = chunk.choices?.[0]?.delta?.content;
            if (text)
                yield text;
        }
        throw new TollgateError("the response broke off");
    }
    /** Reserve the money of a workflow and start it, once. */
    async createWorkflow(steps, options = {}) {
        const { idempotencyKey, ...more } = options;
        const headers = { "idempotency-key": idempotencyKey ?? `ts-${crypto.randomUUID()}` };
        const body = { steps, ...more };
        return new Workflow(this, await this.#data({ method: "POST", path: "/api/v1/workflows", body, headers, safe: true }));
    }
    /** The amount that `createWorkflow` would reserve for the same steps. */
    async estimateWorkflow(steps) {
        return this.#data({ method: "POST", path: "/api/v1/workflows/estimate", body: { steps }, safe: true });
    }
    /** A workflow that was created before. */
    async workflow(id) {
        return new Workflow(this, await this.#data({ method: "GET", path: `/api/v1/workflows/${encodeURIComponent(id)}`, safe: true }));
    }
    async cancelWorkflow(id) {
        return this.#data({ method: "POST", path: `/api/v1/workflows/${encodeURIComponent(id)}/cancel`, safe: true });
    }
    /** The account's workflows, the newest first, page by page as they are needed. */
    async *workflows() {
        let cursor;
        for (let page = 0; page < MAX_PAGES; page++) {
            const found = await this.#data({
                method: "GET",
                path: `/api/v1/workflows${queryOf({ cursor })}`,
                safe: true,
            });
            yield* found.workflows;
            if (!found.cursor)
                return;
            cursor = found.cursor;
        }
    }
    /** The states of a workflow until its end. A stream that ends before is opened again. */
    async *workflowEvents(id, options = {}) {
        const path = `/api/v1/workflow/stream/${encodeURIComponent(id)}`;
        const events = new EventReader();
        let lost = 0;
        for (let stream = 0; stream < MAX_STREAMS; stream++) {
            const last = events.lastId === undefined ? {} : { "last-event-id": events.lastId };
            const request = { headers: { ...this.#headers(false), ...last }, ...options };
            try {
                const answer = await this.#fetch(this.#url + path, request);
                if (!answer.ok || answer.body === null)
                    await dataOf(answer);
                for await (const line of linesOf(answer.body)) {
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
                // A connection that breaks is a `TypeError` of `fetch`.
                if (!(cause instanceof TypeError))
                    throw cause;
                if (++lost === this.#maxAttempts)
                    throw new UnreachableError(`no answer from ${path}`, { cause });
            }
            await sleep(RECONNECT_S, options.signal);
        }
        throw new TollgateError(`the workflow ${id} has not ended after ${MAX_STREAMS} streams`);
    }
    /** Create a batch of text requests, once. `requests` has the body of each request by your own id. */
    async createBatch(requests, options = {}) {
        const endpoint = options.endpoint ?? "/v1/chat/completions";
        const lines = new File([linesOfBatch(requests, endpoint)], "batch.jsonl", { type: "application/jsonl" });
        const file = await this.upload(lines);
        const headers = { "idempotency-key": options.idempotencyKey ?? `ts-${crypto.randomUUID()}` };
        const body = { input_file_id: file.id, endpoint, completion_window: "24h", metadata: options.metadata };
        return new Batch(this, await this.#data({ method: "POST", path: "/api/v1/batches", body, headers, safe: true }));
    }
    /** A batch that was created before. */
    async batch(id) {
        return new Batch(this, await this.#data({ method: "GET", path: `/api/v1/batches/${encodeURIComponent(id)}`, safe: true }));
    }
    async cancelBatch(id) {
        return this.#data({ method: "POST", path: `/api/v1/batches/${encodeURIComponent(id)}/cancel`, safe: true });
    }
    /** The account's batches, the newest first, page by page as they are needed. */
    async *batches() {
        let after;
        for (let page = 0; page < MAX_PAGES; page++) {
            const found = await this.#data({
                method: "GET",
                path: `/api/v1/batches${queryOf({ after })}`,
                safe: true,
            });
            yield* found.data;
            if (!found.has_more || found.last_id === null)
                return;
            after = found.last_id;
        }
    }
    /** The results in a file of a batch. */
    async *batchResults(fileId) {
        const path = `/api/v1/files/${encodeURIComponent(fileId)}/content`;
        const answer = await reaching(path, this.#fetch(this.#url + path, { headers: this.#headers(false) }));
        if (!answer.ok || answer.body === null)
            await dataOf(answer);
        for await (const line of linesOf(answer.body))
            if (line.trim())
                yield resultOf(line);
    }
    /** The bytes of a file. */
    async download(file) {
        const answer = await reaching(file.fileUrl, this.#fetch(file.fileUrl));
        if (!answer.ok)
            throw new TollgateError(`${file.fileUrl}: HTTP ${answer.status}`);
        return new Uint8Array(await answer.arrayBuffer());
    }
    async #uploaded(model, input) {
        const ids = new Map();
        for (const file of uploadsIn(input))
            ids.set(file, (await this.upload(file)).id);
        return ids.size === 0 ? input : withUploads(input, ids);
    }
    #headers(hasBody) {
        return {
            authorization: `Bearer ${this.#key}`,
            "user-agent": `tollgate-typescript/${VERSION}`,
            ...(hasBody ? { "content-type": "application/json" } : {}),
        };
    }
    async #data(request) {
        return (await dataOf(await this.#send(request)));
    }
    /** Send a request until it is answered or not worth another attempt. */
    async #send(request) {
        const hasBody = request.body !== undefined;
        let cause;
        for (let attempt = 0; attempt < this.#maxAttempts; attempt++) {
            let answer = null;
            try {
                answer = await this.#fetch(this.#url + request.path, {
                    method: request.method,
                    headers: { ...this.#headers(hasBody), ...request.headers },
                    signal: AbortSignal.timeout(this.#timeoutS * 1000),
                    ...(hasBody ? { body: JSON.stringify(request.body) } : {}),
                });
            }
            catch (error) {
                cause = error;
            }
            const isLast = attempt + 1 === this.#maxAttempts;
            if (answer !== null && (answer.ok || isLast || !(await isWorthAnother(request, answer))))
                return answer;
            if (answer === null && (isLast || !request.safe))
                break;
            await sleep(waitBefore(attempt, answer));
        }
        throw new UnreachableError(`no answer to ${request.method} ${request.path}`, { cause });
    }
}
/** What `sent` gives; what went wrong on the way as one of ours, an abort as it is. */
async function reaching(what, sent) {
    return sent.catch((cause) => {
        if (cause instanceof TypeError)
            throw new UnreachableError(`no answer from ${what}`, { cause });
        throw cause;
    });
}
async function isWorthAnother(request, answer) {
    if (answer.status === TOO_MANY)
        return true;
    if (answer.status === 409) {
        const body = (await answer.clone().json().catch(() => null));
        return RETRIED_CODES.has(body?.error?.code ?? "");
    }
    return request.safe === true && RETRIED.has(answer.status);
}
function waitBefore(attempt, answer) {
    const said = answer?.headers.get("retry-after");
    if (said && /^\d+$/.test(said))
        return Math.min(Number(said), MAX_WAIT_S);
    return Math.min(FIRST_WAIT_S * 2 ** attempt, MAX_WAIT_S) * (0.5 + Math.random() / 2);
}
async function dataOf(answer) {
    const text = await answer.text();
    let body = text;
    try {
        body = JSON.parse(text);
    }
    catch {
        // No JSON: the text is what there is.
    }
    if (!answer.ok)
        throw apiError(answer.status, body, answer.headers.get("x-request-id"));
    const isWrapped = typeof body === "object" && body !== null && "data" in body && "code" in body;
    return isWrapped ? body.data : body;
}
function chatBody(model, messages, options) {
    return { model, messages: typeof messages === "string" ? [{ role: "user", content: messages }] : messages, ...options };
}
function queryOf(values) {
    const known = Object.entries(values).filter((pair) => pair[1] !== undefined);
    return known.length === 0 ? "" : `?${new URLSearchParams(known)}`;
}
async function* linesOf(stream) {
    const decoder = new TextDecoder();
    const reader = stream.getReader();
    let rest = "";
    try {
        for (;;) {
            const { done, value } = await reader.read();
            if (done)
                break;
            rest += decoder.decode(value, { stream: true });
            const lines = rest.split(/\r?\n/);
            rest = lines.pop() ?? "";
            yield* lines;
        }
        if (rest)
            yield rest;
    }
    finally {
        await reader.cancel().catch(() => undefined);
    }
}
