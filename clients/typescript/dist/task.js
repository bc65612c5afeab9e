import { TaskExpiredError, TaskFailedError } from "./errors.js";
import { untilEnded } from "./pauses.js";
/** Longer than any model's deadline: a task has ended by then. */
const DEFAULT_WAIT_S = 3600;
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
