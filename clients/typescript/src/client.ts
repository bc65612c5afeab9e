// The client: a method for each operation. Requests are repeated if a repeat is safe.
import { BrokenStreamError, TollgateError, UnreachableError } from "./errors.js";
import type { Inputs } from "../inputs.js";
import {
  Batch,
  EventReader,
  hasEnded,
  linesOfBatch,
  resultOf,
  Workflow,
  type BatchOptions,
  type WorkflowOptions,
} from "./many.js";
import { typeOf, uploadsIn, withUploads, type LocalFile } from "./media.js";
import { sleep } from "./pauses.js";
import { Task, type WaitOptions } from "./task.js";
import { dataOf, queryOf, Transport, type ClientOptions } from "./transport.js";
import type {
  BatchResult,
  BatchStatus,
  Chat,
  ChatMessage,
  Estimate,
  Model,
  RemoteFile,
  TaskStatus,
  Upload,
  WorkflowEstimate,
  WorkflowStatus,
  WorkflowStep,
} from "./types.js";

export { Task, type WaitOptions } from "./task.js";
export { VERSION, type ClientOptions } from "./transport.js";

const MAX_PAGES = 10_000;
const PAGE_SIZE = 100;
/** The pause before a stream of events is opened again, as the service suggests it. */
const RECONNECT_S = 2;
/** Streams of one workflow. Each is open for a minute, and no workflow takes a day. */
const MAX_STREAMS = 2_000;
const CHAT = "/api/v1/chat/completions";

export interface CreateOptions {
  /** A repeat with the same key and input gives the same task. Default: a new one for each call. */
  idempotencyKey?: string;
  /** Called with a signed event when the task has ended. */
  webhook?: string;
  metadata?: Record<string, unknown>;
  /** Refuse the create if it costs more. */
  maxCostCents?: number;
  /** The version from an estimate. If prices have changed since, `PriceChangedError` is thrown. */
  priceVersion?: string;
  /** Refund the task if it has no result after this many seconds. */
  finishByS?: number;
  /** Delete the files this many seconds after the task's end. */
  expiresInS?: number;
  /** Send events about the progress to the webhook too. */
  webhookProgress?: boolean;
  /** Give the files signed addresses, each valid for an hour. */
  private?: boolean;
}

/** The input of a model: typed for the models that this version knows, open for others. */
export type InputOf<M extends string> = M extends keyof Inputs ? Inputs[M] : Record<string, unknown>;
/** A model's id: completed by an editor, open for others. */
export type ModelId = keyof Inputs | (string & {});

/** Tollgate, with one API key. */
export class Client {
  readonly #api: Transport;

  constructor(options: ClientOptions = {}) {
    this.#api = new Transport(options);
  }

  /** Make one generation and wait for it. Local files in the input are uploaded. */
  async run<M extends ModelId>(
    model: M,
    input: InputOf<M>,
    options: CreateOptions & WaitOptions = {},
  ): Promise<Task> {
    const task = await this.submit(model, input, options);
    await task.wait(options);
    return task;
  }

  /** Create a generation and return at once. It is charged now, and once. */
  async submit<M extends ModelId>(model: M, input: InputOf<M>, options: CreateOptions = {}): Promise<Task> {
    const body = {
      model,
      input: await this.#uploaded(model, input as Record<string, unknown>),
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
  async estimate<M extends ModelId>(model: M, input: InputOf<M>): Promise<Estimate> {
    const ready = await this.#uploaded(model, input as Record<string, unknown>);
    return this.#api.post("/api/v1/generation/estimate", { model, input: ready });
  }

  /** A task that was created before. */
  async task(taskId: string): Promise<Task> {
    return new Task(this, await this.status(taskId));
  }

  async status(taskId: string): Promise<TaskStatus> {
    return this.#api.get(`/api/v1/task/status/${encodeURIComponent(taskId)}`);
  }

  async cancel(taskId: string): Promise<TaskStatus> {
    return this.#api.post(`/api/v1/task/cancel/${encodeURIComponent(taskId)}`);
  }

  async deleteFiles(taskId: string): Promise<TaskStatus> {
    return this.#api.delete(`/api/v1/task/files/${encodeURIComponent(taskId)}`);
  }

  /** The account's tasks, the newest first, page by page as they are needed. */
  async *tasks(filters: { status?: string; model?: string } = {}): AsyncGenerator<TaskStatus> {
    const query = { ...filters, limit: String(PAGE_SIZE) };
    yield* pages(async (cursor) => {
      const path = `/api/v1/tasks${queryOf({ ...query, cursor })}`;
      const found = await this.#api.get<{ tasks: TaskStatus[]; cursor?: string | null }>(path);
      return [found.tasks, found.cursor];
    });
  }

  /** The catalog. */
  async models(filters: { kind?: "media" | "llm"; capability?: string } = {}): Promise<Model[]> {
    return this.#api.get(`/api/v1/catalog${queryOf(filters)}`);
  }

  async model(id: string): Promise<Model> {
    return this.#api.get(`/api/v1/catalog/${encodeURIComponent(id)}`);
  }

  /** The account's balance in cents. The key needs the scope `account`. */
  async balanceCents(): Promise<number> {
    return (await this.#api.get<{ balance: number }>("/api/v1/user/me")).balance;
  }

  /** Upload a file; its `id` goes into any media field, many times. */
  async upload(file: LocalFile): Promise<Upload> {
    const blob = file instanceof Blob ? file : new Blob([file as Uint8Array<ArrayBuffer>]);
    const filename = file instanceof File ? file.name : "file";
    const contentType = blob.type || (await typeOf(blob));
    const granted = await this.#api.post<Upload & { upload: { url: string; fields: Record<string, string> } }>(
      "/api/v1/files",
      { filename, contentType, bytes: blob.size },
    );
    const form = new FormData();
    for (const [name, value] of Object.entries(granted.upload.fields)) form.append(name, value);
    form.append("file", blob, filename);
    const answer = await this.#api.fetch(granted.upload.url, { method: "POST", body: form });
    if (!answer.ok) throw new TollgateError(`the upload of ${filename} was refused: HTTP ${answer.status}`);
    const { upload: _, ...kept } = granted;
    return kept;
  }

  /** Delete an uploaded file before its time. */
  async deleteFile(id: string): Promise<void> {
    await this.#api.delete(`/api/v1/files/${encodeURIComponent(id)}`);
  }

  /** A text model's response. A request without a response is not repeated, because it may be billed. */
  async chat(model: string, messages: string | ChatMessage[], options: Record<string, unknown> = {}): Promise<Chat> {
    const answer = await this.#api.send({ method: "POST", path: CHAT, body: chatBody(model, messages, options) });
    const data = dataOf(answer) as Record<string, unknown>;
    const cost = answer.headers.get("x-tollgate-cost-micro-usd");
    const choices = data["choices"] as Array<{ message?: { content?: string | null } }> | undefined;
    return {
      text: choices?.[0]?.message?.content ?? "",
      usage: (data["usage"] as Record<string, unknown> | undefined) ?? null,
      costMicroUsd: cost === null ? null : Number(cost),
      data,
    };
  }

  /** The text of a response as it arrives. Throws `BrokenStreamError` if it breaks off. */
  async *streamChat(
    model: string,
    messages: string | ChatMessage[],
    options: Record<string, unknown> & { signal?: AbortSignal } = {},
  ): AsyncGenerator<string> {
    const { signal, ...more } = options;
    const body = { ...chatBody(model, messages, more), stream: true };
    for await (const line of this.#api.lines(CHAT, signal ? { signal } : {}, body)) {
      if (!line.startsWith("data:")) continue;
      const said = line.slice("data:".length).trim();
      if (said === "[DONE]") return;
      const chunk = JSON.parse(said) as {
        error?: { message?: string };
        choices?: Array<{ delta?: { content?: string | null } }>;
      };
      if (chunk.error) throw new BrokenStreamError(chunk.error.message ?? "The response broke off.");
      const text = chunk.choices?.[0]?.delta?.content;
      if (text) yield text;
    }
    throw new BrokenStreamError("The stream ended without its last event.");
  }

  /** Reserve the money of a workflow and start it, once. */
  async createWorkflow(steps: WorkflowStep[], options: WorkflowOptions = {}): Promise<Workflow> {
    const { idempotencyKey, ...more } = options;
    const body = { steps, ...more };
    return new Workflow(this, await this.#api.post("/api/v1/workflows", body, once(idempotencyKey)));
  }

  /** The amount that `createWorkflow` would reserve for the same steps. */
  async estimateWorkflow(steps: WorkflowStep[]): Promise<WorkflowEstimate> {
    return this.#api.post("/api/v1/workflows/estimate", { steps });
  }

  /** A workflow that was created before. */
  async workflow(id: string): Promise<Workflow> {
    return new Workflow(this, await this.#api.get(`/api/v1/workflows/${encodeURIComponent(id)}`));
  }

  async cancelWorkflow(id: string): Promise<WorkflowStatus> {
    return this.#api.post(`/api/v1/workflows/${encodeURIComponent(id)}/cancel`);
  }

  /** The account's workflows, the newest first, page by page as they are needed. */
  async *workflows(): AsyncGenerator<WorkflowStatus> {
    yield* pages(async (cursor) => {
      const path = `/api/v1/workflows${queryOf({ cursor })}`;
      const found = await this.#api.get<{ workflows: WorkflowStatus[]; cursor?: string }>(path);
      return [found.workflows, found.cursor];
    });
  }

  /** The states of a workflow until its end. A stream that ends before is opened again. */
  async *workflowEvents(id: string, options: { signal?: AbortSignal } = {}): AsyncGenerator<WorkflowStatus> {
    const path = `/api/v1/workflow/stream/${encodeURIComponent(id)}`;
    const events = new EventReader();
    let lost = 0;
    for (let stream = 0; stream < MAX_STREAMS; stream++) {
      const last: Record<string, string> = events.lastId === undefined ? {} : { "last-event-id": events.lastId };
      try {
        for await (const line of this.#api.lines(path, { headers: last, ...options })) {
          const seen = events.read(line);
          if (seen === null) continue;
          lost = 0;
          yield seen;
          if (hasEnded(seen)) return;
        }
      } catch (cause) {
        if (!(cause instanceof BrokenStreamError || cause instanceof UnreachableError)) throw cause;
        if (++lost === this.#api.maxAttempts) throw cause;
      }
      await sleep(RECONNECT_S, options.signal);
    }
    throw new TollgateError(`the workflow ${id} has not ended after ${MAX_STREAMS} streams`);
  }

  /** Create a batch of text requests, once. `requests` has the body of each request by your own id. */
  async createBatch(requests: Record<string, unknown>, options: BatchOptions = {}): Promise<Batch> {
    if (Object.keys(requests).length === 0) throw new TypeError("A batch needs at least one request.");
    const endpoint = options.endpoint ?? "/v1/chat/completions";
    const lines = new File([linesOfBatch(requests, endpoint)], "batch.jsonl", { type: "application/jsonl" });
    const file = await this.upload(lines);
    const body = { input_file_id: file.id, endpoint, completion_window: "24h", metadata: options.metadata };
    return new Batch(this, await this.#api.post("/api/v1/batches", body, once(options.idempotencyKey)));
  }

  /** A batch that was created before. */
  async batch(id: string): Promise<Batch> {
    return new Batch(this, await this.#api.get(`/api/v1/batches/${encodeURIComponent(id)}`));
  }

  async cancelBatch(id: string): Promise<BatchStatus> {
    return this.#api.post(`/api/v1/batches/${encodeURIComponent(id)}/cancel`);
  }

  /** The account's batches, the newest first, page by page as they are needed. */
  async *batches(): AsyncGenerator<BatchStatus> {
    yield* pages(async (after) => {
      const path = `/api/v1/batches${queryOf({ after })}`;
      const found = await this.#api.get<{ data: BatchStatus[]; last_id: string | null; has_more: boolean }>(path);
      return [found.data, found.has_more ? found.last_id : null];
    });
  }

  /** The results in a file of a batch. */
  async *batchResults(fileId: string): AsyncGenerator<BatchResult> {
    const path = `/api/v1/files/${encodeURIComponent(fileId)}/content`;
    for await (const line of this.#api.lines(path)) if (line.trim()) yield resultOf(line);
  }

  /** The bytes of a file. */
  async download(file: RemoteFile): Promise<Uint8Array> {
    return new Uint8Array(await new Response(await this.open(file)).arrayBuffer());
  }

  /** The bytes of a file as they arrive. */
  async open(file: RemoteFile): Promise<ReadableStream<Uint8Array>> {
    const answer = await this.#api.fetch(file.fileUrl);
    if (!answer.ok || answer.body === null) throw new TollgateError(`${file.fileUrl}: HTTP ${answer.status}`);
    return answer.body;
  }

  async #uploaded(model: string, input: Record<string, unknown>): Promise<Record<string, unknown>> {
    const ids = new Map<LocalFile, string>();
    for (const file of uploadsIn(input)) ids.set(file, (await this.upload(file)).id);
    return ids.size === 0 ? input : (withUploads(input, ids) as Record<string, unknown>);
  }
}

function chatBody(model: string, messages: string | ChatMessage[], options: Record<string, unknown>): object {
  return { model, messages: typeof messages === "string" ? [{ role: "user", content: messages }] : messages, ...options };
}

/** The header that makes a repeat harmless. */
function once(idempotencyKey?: string): Record<string, string> {
  return { "idempotency-key": idempotencyKey ?? `ts-${crypto.randomUUID()}` };
}

/** All items of a list. `read` returns a page, and the place of the next page, if there is one. */
async function* pages<Item>(
  read: (after?: string) => Promise<[Item[], string | null | undefined]>,
): AsyncGenerator<Item> {
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const [items, next] = await read(after);
    yield* items;
    if (!next) return;
    after = next;
  }
}
