// Workflows and batches: what a client gives for them, and the lines of their streams and files.
import { BatchFailedError, TollgateError, WorkflowFailedError } from "./errors.js";
import { untilEnded } from "./pauses.js";
/** Longer than any model's deadline. */
const WORKFLOW_WAIT_S = 3600;
/** Longer than the 24 hours of a batch. */
const BATCH_WAIT_S = 25 * 3600;
const BATCH_ENDED = new Set(["completed", "failed", "expired", "cancelled"]);
/** A workflow under way. */
export class Workflow {
    client;
    seen;
    constructor(client, 
    /** The workflow at the last request. */
    seen) {
        this.client = client;
        this.seen = seen;
    }
    get id() {
        return this.seen.id;
    }
    /** Request the workflow as it is now. */
    async status() {
        return (this.seen = (await this.client.workflow(this.id)).seen);
    }
    /** The finished workflow. Throws `WorkflowFailedError` and `WaitTimeoutError`. */
    async wait(options = {}) {
        await waited(this, hasEnded, WORKFLOW_WAIT_S, options);
        if (this.seen.status === "failed")
            throw new WorkflowFailedError(this.seen);
        return this.seen;
    }
    /** The workflow after each of its changes, until it has ended. */
    async *stream(options = {}) {
        for await (const seen of this.client.workflowEvents(this.id, options))
            yield (this.seen = seen);
    }
    /** Start no further step. The money of steps that do not run is returned. */
    async cancel() {
        return (this.seen = await this.client.cancelWorkflow(this.id));
    }
}
/** A batch of text requests under way. */
export class Batch {
    client;
    seen;
    constructor(client, 
    /** The batch at the last request. */
    seen) {
        this.client = client;
        this.seen = seen;
    }
    get id() {
        return this.seen.id;
    }
    /** Request the batch as it is now. */
    async status() {
        return (this.seen = (await this.client.batch(this.id)).seen);
    }
    /** The batch at its end: completed, expired or cancelled. Throws `BatchFailedError` and `WaitTimeoutError`. */
    async wait(options = {}) {
        await waited(this, (seen) => BATCH_ENDED.has(seen.status), BATCH_WAIT_S, options);
        if (this.seen.status === "failed")
            throw new BatchFailedError(this.seen);
        return this.seen;
    }
    /** Begin no further request. Requests that run are completed. */
    async cancel() {
        return (this.seen = await this.client.cancelBatch(this.id));
    }
    /** The results of an ended batch: first the responses, then the errors. */
    async *results() {
        if (!BATCH_ENDED.has(this.seen.status))
            throw new TollgateError(`Batch ${this.id} is ${this.seen.status}. Call wait() before results().`);
        for (const id of [this.seen.output_file_id, this.seen.error_file_id])
            if (id !== null)
                yield* this.client.batchResults(id);
    }
}
/** Reads the workflows in a stream of server-sent events. */
export class EventReader {
    lastId;
    #name = "";
    /** The workflow of a line, if it has one. */
    read(line) {
        const at = line.indexOf(": ");
        const [field, value] = [line.slice(0, Math.max(at, 0)), line.slice(at + 2)];
        if (field === "event")
            this.#name = value;
        else if (field === "id")
            this.lastId = value;
        else if (field === "data" && ["progress", "end"].includes(this.#name))
            return JSON.parse(value);
        return null;
    }
}
export function hasEnded(seen) {
    return seen.status !== "running";
}
/** Requests as the lines of a batch's file. `requests` has the body of each request by your own id. */
export function linesOfBatch(requests, endpoint) {
    const lines = Object.entries(requests).map(([custom_id, body]) => ({ custom_id, method: "POST", url: endpoint, body }));
    return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}
/** The result in a line of a batch's files. */
export function resultOf(line) {
    const { custom_id, response, error } = JSON.parse(line);
    return { customId: custom_id, status: response?.status_code ?? null, body: response?.body ?? null, error: error ?? null };
}
function waited(one, isOver, defaultS, options) {
    const { timeoutS, onProgress, signal } = options;
    return untilEnded(one, { isOver, boundS: timeoutS ?? defaultS, tell: (seen) => onProgress?.(seen), signal });
}
