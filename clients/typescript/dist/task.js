import { TaskExpiredError, TaskFailedError } from "./errors.js";
import { untilEnded } from "./pauses.js";
/** Longer than any model's deadline, so the task has ended by then. */
const DEFAULT_WAIT_S = 3600;
const ENDED = new Set(["finished", "failed", "expired"]);
/** A generation. */
export class Task {
    client;
    seen;
    constructor(client, 
    /** The task's state from the last request. */
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
    /** Request the current state of the task. */
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
    /** Cancel the task. It is refunded if it ends without a result. */
    async cancel() {
        return (this.seen = await this.client.cancel(this.id));
    }
    /** Delete the files of the task, which must have ended; the task stays, with its price. */
    async deleteFiles() {
        return (this.seen = await this.client.deleteFiles(this.id));
    }
}
