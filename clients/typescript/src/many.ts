// Workflows and batches: what a client gives for them, and the lines of their streams and files.
import { BatchFailedError, TollgateError, WorkflowFailedError } from "./errors.js";
import type { Client, WaitOptions } from "./client.js";
import type { BatchResult, BatchStatus, WorkflowStatus } from "./types.js";
import { untilEnded } from "./pauses.js";

/** Longer than any model's deadline. */
const WORKFLOW_WAIT_S = 3600;
/** Longer than the 24 hours of a batch. */
const BATCH_WAIT_S = 25 * 3600;
const BATCH_ENDED = new Set(["completed", "failed", "expired", "cancelled"]);

export interface WorkflowOptions {
  name?: string;
  /** Called with one signed event at the end. */
  webhook?: string;
  /** Refuse to cost more. */
  maxCostCents?: number;
  /** A repeat with the same key and steps gives the same workflow. Default: a new one for each call. */
  idempotencyKey?: string;
}

export interface BatchOptions {
  /** The route of each request. Default: `/v1/chat/completions`. */
  endpoint?: string;
  metadata?: Record<string, string>;
  idempotencyKey?: string;
}

export interface WaitForOptions<Seen> extends Omit<WaitOptions, "onProgress"> {
  onProgress?: (seen: Seen) => void;
}

/** A workflow under way. */
export class Workflow {
  constructor(
    private readonly client: Client,
    /** The workflow at the last request. */
    public seen: WorkflowStatus,
  ) {}

  get id(): string {
    return this.seen.id;
  }

  /** Request the workflow as it is now. */
  async status(): Promise<WorkflowStatus> {
    return (this.seen = (await this.client.workflow(this.id)).seen);
  }

  /** The finished workflow. Throws `WorkflowFailedError` and `WaitTimeoutError`. */
  async wait(options: WaitForOptions<WorkflowStatus> = {}): Promise<WorkflowStatus> {
    await waited(this, hasEnded, WORKFLOW_WAIT_S, options);
    if (this.seen.status === "failed") throw new WorkflowFailedError(this.seen);
    return this.seen;
  }

  /** The workflow after each of its changes, until it has ended. */
  async *stream(options: { signal?: AbortSignal } = {}): AsyncGenerator<WorkflowStatus> {
    for await (const seen of this.client.workflowEvents(this.id, options)) yield (this.seen = seen);
  }

  /** Start no further step. The money of steps that do not run is returned. */
  async cancel(): Promise<WorkflowStatus> {
    return (this.seen = await this.client.cancelWorkflow(this.id));
  }
}

/** A batch of text requests under way. */
export class Batch {
  constructor(
    private readonly client: Client,
    /** The batch at the last request. */
    public seen: BatchStatus,
  ) {}

  get id(): string {
    return this.seen.id;
  }

  /** Request the batch as it is now. */
  async status(): Promise<BatchStatus> {
    return (this.seen = (await this.client.batch(this.id)).seen);
  }

  /** The batch at its end: completed, expired or cancelled. Throws `BatchFailedError` and `WaitTimeoutError`. */
  async wait(options: WaitForOptions<BatchStatus> = {}): Promise<BatchStatus> {
    await waited(this, (seen) => BATCH_ENDED.has(seen.status), BATCH_WAIT_S, options);
    if (this.seen.status === "failed") throw new BatchFailedError(this.seen);
    return this.seen;
  }

  /** Begin no further request. Requests that run are completed. */
  async cancel(): Promise<BatchStatus> {
    return (this.seen = await this.client.cancelBatch(this.id));
  }

  /** The results of an ended batch: first the responses, then the errors. */
  async *results(): AsyncGenerator<BatchResult> {
    if (!BATCH_ENDED.has(this.seen.status))
      throw new TollgateError(`Batch ${this.id} is ${this.seen.status}. Call wait() before results().`);
    for (const id of [this.seen.output_file_id, this.seen.error_file_id])
      if (id !== null) yield* this.client.batchResults(id);
  }
}

/** Reads the workflows in a stream of server-sent events. */
export class EventReader {
  lastId: string | undefined;
  #name = "";

  /** The workflow of a line, if it has one. */
  read(line: string): WorkflowStatus | null {
    const at = line.indexOf(": ");
    const [field, value] = [line.slice(0, Math.max(at, 0)), line.slice(at + 2)];
    if (field === "event") this.#name = value;
    else if (field === "id") this.lastId = value;
    else if (field === "data" && ["progress", "end"].includes(this.#name)) return JSON.parse(value) as WorkflowStatus;
    return null;
  }
}

export function hasEnded(seen: WorkflowStatus): boolean {
  return seen.status !== "running";
}

/** Requests as the lines of a batch's file. `requests` has the body of each request by your own id. */
export function linesOfBatch(requests: Record<string, unknown>, endpoint: string): string {
  const lines = Object.entries(requests).map(([custom_id, body]) => ({ custom_id, method: "POST", url: endpoint, body }));
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** The result in a line of a batch's files. */
export function resultOf(line: string): BatchResult {
  const { custom_id, response, error } = JSON.parse(line) as {
    custom_id: string;
    response: { status_code: number; body: unknown } | null;
    error: BatchResult["error"];
  };
  return { customId: custom_id, status: response?.status_code ?? null, body: response?.body ?? null, error: error ?? null };
}

function waited<Seen extends WorkflowStatus | BatchStatus>(
  one: { seen: Seen; status(): Promise<Seen> },
  isOver: (seen: Seen) => boolean,
  defaultS: number,
  options: WaitForOptions<Seen>,
): Promise<void> {
  const { timeoutS, onProgress, signal } = options;
  return untilEnded(one, { isOver, boundS: timeoutS ?? defaultS, tell: (seen) => onProgress?.(seen), signal });
}
