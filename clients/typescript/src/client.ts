// The client: one operation a method, each request sent again where that is safe.
import {
  apiError,
  ConfigurationError,
  TaskExpiredError,
  TaskFailedError,
  TollgateError,
  UnreachableError,
} from "./errors.js";
import type { Inputs } from "../inputs.js";
import type {
  BatchResult,
  BatchStatus,
  Chat,
  ChatMessage,
  Estimate,
  Model,
  Progress,
  RemoteFile,
  TaskStatus,
  Upload,
  WorkflowEstimate,
  WorkflowStatus,
  WorkflowStep,
} from "./types.js";
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

export interface ClientOptions {
  /** Default: the variable `TOLLGATE_API_KEY`. */
  apiKey?: string;
  /** Default: the variable `TOLLGATE_URL`. */
  baseUrl?: string;
  /** Seconds for one request. */
  timeoutS?: number;
  /** Of one request: the first, and those after a failure. */
  maxAttempts?: number;
  /** Another `fetch`. */
  fetch?: typeof fetch;
}

export interface CreateOptions {
  /** A repeat with the same key and input gives the same task. Default: a new one for each call. */
  idempotencyKey?: string;
  /** Called with a signed event when the task has ended. */
  webhook?: string;
  metadata?: Record<string, unknown>;
  /** Refuse to cost more. */
  maxCostCents?: number;
  /** An estimate's: refuse other prices than it had (`PriceChangedError`). */
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

export interface WaitOptions {
  timeoutS?: number;
  onProgress?: (progress: Progress) => void;
  signal?: AbortSignal;
}

/** The input of a model: typed for the models that this version knows, open for others. */
export type InputOf<M extends string> = M extends keyof Inputs ? Inputs[M] : Record<string, unknown>;
/** A model's id: completed by an editor, open for others. */
export type ModelId = keyof Inputs | (string & {});

interface Request {
  method: "GET" | "POST" | "DELETE";
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Whether a repeat changes nothing: reads, and what carries an idempotency key. */
  safe?: boolean;
  signal?: AbortSignal;
}

/** A generation under way. */
export class Task {
  constructor(
    private readonly client: Client,
    /** The task as it was last seen. */
    public seen: TaskStatus,
  ) {}

  get id(): string {
    return this.seen.taskId;
  }

  get files(): RemoteFile[] {
    return this.seen.files ?? [];
  }

  /** Ask for the task as it is now. */
  async status(): Promise<TaskStatus> {
    return (this.seen = await this.client.status(this.id));
  }

  /** The finished task. Throws `TaskFailedError`, `TaskExpiredError` and `WaitTimeoutError`. */
  async wait(options: WaitOptions = {}): Promise<TaskStatus> {
    await untilEnded(this, {
      isOver: (seen) => ENDED.has(seen.status),
      boundS: options.timeoutS ?? DEFAULT_WAIT_S,
      tell: (task, elapsedS) => options.onProgress?.({ task, elapsedS }),
      pauseOf: (seen) => seen.pollAfterS,
      signal: options.signal,
    });
    if (this.seen.status === "finished") return this.seen;
    throw new (this.seen.status === "expired" ? TaskExpiredError : TaskFailedError)(this.seen);
  }

  /** Ask for the end of the task: refunded where nothing will be made. */
  async cancel(): Promise<TaskStatus> {
    return (this.seen = await this.client.cancel(this.id));
  }

  /** Delete the files of the task, which must have ended; the task stays, with its price. */
  async deleteFiles(): Promise<TaskStatus> {
    return (this.seen = await this.client.deleteFiles(this.id));
  }
}

/** Tollgate, with one API key. */
export class Client {
  readonly #key: string;
  readonly #url: string;
  readonly #timeoutS: number;
  readonly #maxAttempts: number;
  readonly #fetch: typeof fetch;

  constructor(options: ClientOptions = {}) {
    const env = (globalThis as { process?: { env: Record<string, string | undefined> } }).process?.env ?? {};
    const key = options.apiKey ?? env["TOLLGATE_API_KEY"];
    const url = options.baseUrl ?? env["TOLLGATE_URL"];
    if (!key) throw new ConfigurationError("No API key: pass apiKey or set TOLLGATE_API_KEY.");
    if (!url) throw new ConfigurationError("No address: pass baseUrl or set TOLLGATE_URL.");
    this.#key = key;
    this.#url = url.replace(/\/+$/, "").replace(/\/api\/v1$/, "");
    this.#timeoutS = options.timeoutS ?? REQUEST_TIMEOUT_S;
    this.#maxAttempts = options.maxAttempts ?? MAX_ATTEMPTS;
    this.#fetch = options.fetch ?? fetch;
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
    const headers = { "idempotency-key": options.idempotencyKey ?? `ts-${crypto.randomUUID()}` };
    const created = await this.#data<TaskStatus>({
      method: "POST",
      path: "/api/v1/generation/create",
      body,
      headers,
      safe: true,
    });
    return new Task(this, created);
  }

  /** Exactly what `submit` would charge for the same input. */
  async estimate<M extends ModelId>(model: M, input: InputOf<M>): Promise<Estimate> {
    const ready = await this.#uploaded(model, input as Record<string, unknown>);
    return this.#data({ method: "POST", path: "/api/v1/generation/estimate", body: { model, input: ready }, safe: true });
  }

  /** A task that was created before. */
  async task(taskId: string): Promise<Task> {
    return new Task(this, await this.status(taskId));
  }

  async status(taskId: string): Promise<TaskStatus> {
    return this.#data({ method: "GET", path: `/api/v1/task/status/${encodeURIComponent(taskId)}`, safe: true });
  }

  async cancel(taskId: string): Promise<TaskStatus> {
    return this.#data({ method: "POST", path: `/api/v1/task/cancel/${encodeURIComponent(taskId)}`, safe: true });
  }

  async deleteFiles(taskId: string): Promise<TaskStatus> {
    return this.#data({ method: "DELETE", path: `/api/v1/task/files/${encodeURIComponent(taskId)}`, safe: true });
  }

  /** The account's tasks, the newest first, page by page as they are needed. */
  async *tasks(filters: { status?: string; model?: string } = {}): AsyncGenerator<TaskStatus> {
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const query = queryOf({ ...filters, limit: String(PAGE_SIZE), cursor });
      const found = await this.#data<{ tasks: TaskStatus[]; cursor?: string | null }>({
        method: "GET",
        path: `/api/v1/tasks${query}`,
        safe: true,
      });
      yield* found.tasks;
      if (!found.cursor) return;
      cursor = found.cursor;
    }
  }

  /** The catalog. */
  async models(filters: { kind?: "media" | "llm"; capability?: string } = {}): Promise<Model[]> {
    return this.#data({ method: "GET", path: `/api/v1/catalog${queryOf(filters)}`, safe: true });
  }

  async model(id: string): Promise<Model> {
    return this.#data({ method: "GET", path: `/api/v1/catalog/${encodeURIComponent(id)}`, safe: true });
  }

  /** The account's balance in cents. The key needs the scope `account`. */
  async balanceCents(): Promise<number> {
    return (await this.#data<{ balance: number }>({ method: "GET", path: "/api/v1/user/me", safe: true })).balance;
  }

  /** Upload a file; its `id` goes into any media field, many times. */
  async upload(file: LocalFile): Promise<Upload> {
    const blob = file instanceof Blob ? file : new Blob([file as Uint8Array<ArrayBuffer>]);
    const filename = file instanceof File ? file.name : "file";
    const contentType = blob.type || (await typeOf(blob));
    const granted = await this.#data<Upload & { upload: { url: string; fields: Record<string, string> } }>({
      method: "POST",
      path: "/api/v1/files",
      body: { filename, contentType, bytes: blob.size },
      safe: true,
    });
    const form = new FormData();
    for (const [name, value] of Object.entries(granted.upload.fields)) form.append(name, value);
    form.append("file", blob, filename);
    const answer = await reaching(granted.upload.url, this.#fetch(granted.upload.url, { method: "POST", body: form }));
    if (!answer.ok) throw new TollgateError(`the upload of ${filename} was refused: HTTP ${answer.status}`);
    const { upload: _, ...kept } = granted;
    return kept;
  }

  /** Delete an uploaded file before its time. */
  async deleteFile(id: string): Promise<void> {
    await this.#data({ method: "DELETE", path: `/api/v1/files/${encodeURIComponent(id)}`, safe: true });
  }

  /** A text model's answer. It is not asked again where no answer came: the first one may be billed. */
  async chat(model: string, messages: string | ChatMessage[], options: Record<string, unknown> = {}): Promise<Chat> {
    const answer = await this.#send({
      method: "POST",
      path: "/api/v1/chat/completions",
      body: chatBody(model, messages, options),
    });
    const data = (await dataOf(answer)) as Record<string, unknown>;
    const cost = answer.headers.get("x-tollgate-cost-micro-usd");
    const choices = data["choices"] as Array<{ message?: { content?: string | null } }> | undefined;
    return {
      text: choices?.[0]?.message?.content ?? "",
      usage: (data["usage"] as Record<string, unknown> | undefined) ?? null,
      costMicroUsd: cost === null ? null : Number(cost),
      data,
    };
  }

  /** The answer's text as it comes. Throws `TollgateError` where it breaks off. */
  async *streamChat(
    model: string,
    messages: string | ChatMessage[],
    options: Record<string, unknown> & { signal?: AbortSignal } = {},
  ): AsyncGenerator<string> {
    const { signal, ...more } = options;
    const request: RequestInit = {
      method: "POST",
      headers: this.#headers(true),
      body: JSON.stringify({ ...chatBody(model, messages, more), stream: true }),
    };
    if (signal) request.signal = signal;
    const path = "/api/v1/chat/completions";
    const answer = await reaching(path, this.#fetch(this.#url + path, request));
    if (!answer.ok || answer.body === null) await dataOf(answer);
    for await (const line of linesOf(answer.body as ReadableStream<Uint8Array>)) {
      if (!line.startsWith("data:")) continue;
      const said = line.slice("data:".length).trim();
      if (said === "[DONE]") return;
      const chunk = JSON.parse(said) as {
        error?: { message?: string };
        choices?: Array<{ delta?: { content?: string | null } }>;
      };
      if (chunk.error) throw new TollgateError(`the response broke off: ${chunk.error.message ?? said}`);
      const text = chunk.choices?.[0]?.delta?.content;
      if (text) yield text;
    }
    throw new TollgateError("the response broke off");
  }

  /** Reserve the money of a workflow and start it, once. */
  async createWorkflow(steps: WorkflowStep[], options: WorkflowOptions = {}): Promise<Workflow> {
    const { idempotencyKey, ...more } = options;
    const headers = { "idempotency-key": idempotencyKey ?? `ts-${crypto.randomUUID()}` };
    const body = { steps, ...more };
    return new Workflow(this, await this.#data({ method: "POST", path: "/api/v1/workflows", body, headers, safe: true }));
  }

  /** The amount that `createWorkflow` would reserve for the same steps. */
  async estimateWorkflow(steps: WorkflowStep[]): Promise<WorkflowEstimate> {
    return this.#data({ method: "POST", path: "/api/v1/workflows/estimate", body: { steps }, safe: true });
  }

  /** A workflow that was created before. */
  async workflow(id: string): Promise<Workflow> {
    return new Workflow(this, await this.#data({ method: "GET", path: `/api/v1/workflows/${encodeURIComponent(id)}`, safe: true }));
  }

  async cancelWorkflow(id: string): Promise<WorkflowStatus> {
    return this.#data({ method: "POST", path: `/api/v1/workflows/${encodeURIComponent(id)}/cancel`, safe: true });
  }

  /** The account's workflows, the newest first, page by page as they are needed. */
  async *workflows(): AsyncGenerator<WorkflowStatus> {
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const found = await this.#data<{ workflows: WorkflowStatus[]; cursor?: string }>({
        method: "GET",
        path: `/api/v1/workflows${queryOf({ cursor })}`,
        safe: true,
      });
      yield* found.workflows;
      if (!found.cursor) return;
      cursor = found.cursor;
    }
  }

  /** The states of a workflow until its end. A stream that ends before is opened again. */
  async *workflowEvents(id: string, options: { signal?: AbortSignal } = {}): AsyncGenerator<WorkflowStatus> {
    const path = `/api/v1/workflow/stream/${encodeURIComponent(id)}`;
    const events = new EventReader();
    let lost = 0;
    for (let stream = 0; stream < MAX_STREAMS; stream++) {
      const last: Record<string, string> = events.lastId === undefined ? {} : { "last-event-id": events.lastId };
      const request: RequestInit = { headers: { ...this.#headers(false), ...last }, ...options };
      try {
        const answer = await this.#fetch(this.#url + path, request);
        if (!answer.ok || answer.body === null) await dataOf(answer);
        for await (const line of linesOf(answer.body as ReadableStream<Uint8Array>)) {
          const seen = events.read(line);
          if (seen === null) continue;
          lost = 0;
          yield seen;
          if (hasEnded(seen)) return;
        }
      } catch (cause) {
        // A connection that breaks is a `TypeError` of `fetch`.
        if (!(cause instanceof TypeError)) throw cause;
        if (++lost === this.#maxAttempts) throw new UnreachableError(`no answer from ${path}`, { cause });
      }
      await sleep(RECONNECT_S, options.signal);
    }
    throw new TollgateError(`the workflow ${id} has not ended after ${MAX_STREAMS} streams`);
  }

  /** Create a batch of text requests, once. `requests` has the body of each request by your own id. */
  async createBatch(requests: Record<string, unknown>, options: BatchOptions = {}): Promise<Batch> {
    const endpoint = options.endpoint ?? "/v1/chat/completions";
    const lines = new File([linesOfBatch(requests, endpoint)], "batch.jsonl", { type: "application/jsonl" });
    const file = await this.upload(lines);
    const headers = { "idempotency-key": options.idempotencyKey ?? `ts-${crypto.randomUUID()}` };
    const body = { input_file_id: file.id, endpoint, completion_window: "24h", metadata: options.metadata };
    return new Batch(this, await this.#data({ method: "POST", path: "/api/v1/batches", body, headers, safe: true }));
  }

  /** A batch that was created before. */
  async batch(id: string): Promise<Batch> {
    return new Batch(this, await this.#data({ method: "GET", path: `/api/v1/batches/${encodeURIComponent(id)}`, safe: true }));
  }

  async cancelBatch(id: string): Promise<BatchStatus> {
    return this.#data({ method: "POST", path: `/api/v1/batches/${encodeURIComponent(id)}/cancel`, safe: true });
  }

  /** The account's batches, the newest first, page by page as they are needed. */
  async *batches(): AsyncGenerator<BatchStatus> {
    let after: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const found = await this.#data<{ data: BatchStatus[]; last_id: string | null; has_more: boolean }>({
        method: "GET",
        path: `/api/v1/batches${queryOf({ after })}`,
        safe: true,
      });
      yield* found.data;
      if (!found.has_more || found.last_id === null) return;
      after = found.last_id;
    }
  }

  /** The results in a file of a batch. */
  async *batchResults(fileId: string): AsyncGenerator<BatchResult> {
    const path = `/api/v1/files/${encodeURIComponent(fileId)}/content`;
    const answer = await reaching(path, this.#fetch(this.#url + path, { headers: this.#headers(false) }));
    if (!answer.ok || answer.body === null) await dataOf(answer);
    for await (const line of linesOf(answer.body as ReadableStream<Uint8Array>)) if (line.trim()) yield resultOf(line);
  }

  /** The bytes of a file. */
  async download(file: RemoteFile): Promise<Uint8Array> {
    const answer = await reaching(file.fileUrl, this.#fetch(file.fileUrl));
    if (!answer.ok) throw new TollgateError(`${file.fileUrl}: HTTP ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
  }

  async #uploaded(model: string, input: Record<string, unknown>): Promise<Record<string, unknown>> {
    const ids = new Map<LocalFile, string>();
    for (const file of uploadsIn(input)) ids.set(file, (await this.upload(file)).id);
    return ids.size === 0 ? input : (withUploads(input, ids) as Record<string, unknown>);
  }

  #headers(hasBody: boolean): Record<string, string> {
    return {
      authorization: `Bearer ${this.#key}`,
      "user-agent": `tollgate-typescript/${VERSION}`,
      ...(hasBody ? { "content-type": "application/json" } : {}),
    };
  }

  async #data<T>(request: Request): Promise<T> {
    return (await dataOf(await this.#send(request))) as T;
  }

  /** Send a request until it is answered or not worth another attempt. */
  async #send(request: Request): Promise<Response> {
    const hasBody = request.body !== undefined;
    let cause: unknown;
    for (let attempt = 0; attempt < this.#maxAttempts; attempt++) {
      let answer: Response | null = null;
      try {
        answer = await this.#fetch(this.#url + request.path, {
          method: request.method,
          headers: { ...this.#headers(hasBody), ...request.headers },
          signal: AbortSignal.timeout(this.#timeoutS * 1000),
          ...(hasBody ? { body: JSON.stringify(request.body) } : {}),
        });
      } catch (error) {
        cause = error;
      }
      const isLast = attempt + 1 === this.#maxAttempts;
      if (answer !== null && (answer.ok || isLast || !(await isWorthAnother(request, answer)))) return answer;
      if (answer === null && (isLast || !request.safe)) break;
      await sleep(waitBefore(attempt, answer));
    }
    throw new UnreachableError(`no answer to ${request.method} ${request.path}`, { cause });
  }
}

/** What `sent` gives; what went wrong on the way as one of ours, an abort as it is. */
async function reaching(what: string, sent: Promise<Response>): Promise<Response> {
  return sent.catch((cause: unknown) => {
    if (cause instanceof TypeError) throw new UnreachableError(`no answer from ${what}`, { cause });
    throw cause;
  });
}

async function isWorthAnother(request: Request, answer: Response): Promise<boolean> {
  if (answer.status === TOO_MANY) return true;
  if (answer.status === 409) {
    const body = (await answer.clone().json().catch(() => null)) as { error?: { code?: string } } | null;
    return RETRIED_CODES.has(body?.error?.code ?? "");
  }
  return request.safe === true && RETRIED.has(answer.status);
}

function waitBefore(attempt: number, answer: Response | null): number {
  const said = answer?.headers.get("retry-after");
  if (said && /^\d+$/.test(said)) return Math.min(Number(said), MAX_WAIT_S);
  return Math.min(FIRST_WAIT_S * 2 ** attempt, MAX_WAIT_S) * (0.5 + Math.random() / 2);
}

async function dataOf(answer: Response): Promise<unknown> {
  const text = await answer.text();
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // No JSON: the text is what there is.
  }
  if (!answer.ok) throw apiError(answer.status, body, answer.headers.get("x-request-id"));
  const isWrapped = typeof body === "object" && body !== null && "data" in body && "code" in body;
  return isWrapped ? (body as { data: unknown }).data : body;
}

function chatBody(model: string, messages: string | ChatMessage[], options: Record<string, unknown>): object {
  return { model, messages: typeof messages === "string" ? [{ role: "user", content: messages }] : messages, ...options };
}

function queryOf(values: Record<string, string | undefined>): string {
  const known = Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return known.length === 0 ? "" : `?${new URLSearchParams(known)}`;
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      rest += decoder.decode(value, { stream: true });
      const lines = rest.split(/\r?\n/);
      rest = lines.pop() ?? "";
      yield* lines;
    }
    if (rest) yield rest;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
