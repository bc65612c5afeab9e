// A generation, and the wait for its end.
import type { Client } from "./client.js";
import { TaskExpiredError, TaskFailedError } from "./errors.js";
import { untilEnded } from "./pauses.js";
import type { Progress, RemoteFile, TaskStatus } from "./types.js";

/** Longer than any model's deadline, so the task has ended by then. */
const DEFAULT_WAIT_S = 3600;
const ENDED = new Set(["finished", "failed", "expired"]);

export interface WaitOptions {
  timeoutS?: number;
  onProgress?: (progress: Progress) => void;
  signal?: AbortSignal;
}

/** A generation. */
export class Task {
  constructor(
    private readonly client: Client,
    /** The task's state from the last request. */
    public seen: TaskStatus,
  ) {}

  get id(): string {
    return this.seen.taskId;
  }

  get files(): RemoteFile[] {
    return this.seen.files ?? [];
  }

  /** Request the current state of the task. */
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

  /** Cancel the task. It is refunded if it ends without a result. */
  async cancel(): Promise<TaskStatus> {
    return (this.seen = await this.client.cancel(this.id));
  }

  /** Delete the files of the task, which must have ended; the task stays, with its price. */
  async deleteFiles(): Promise<TaskStatus> {
    return (this.seen = await this.client.deleteFiles(this.id));
  }
}
