import type { Client } from "./client.js";
import type { Progress, RemoteFile, TaskStatus } from "./types.js";
export interface WaitOptions {
    timeoutS?: number;
    onProgress?: (progress: Progress) => void;
    signal?: AbortSignal;
}
/** A generation. */
export declare class Task {
    private readonly client;
    /** The task's state from the last request. */
    seen: TaskStatus;
    constructor(client: Client, 
    /** The task's state from the last request. */
    seen: TaskStatus);
    get id(): string;
    get files(): RemoteFile[];
    /** Request the current state of the task. */
    status(): Promise<TaskStatus>;
    /** The finished task. Throws `TaskFailedError`, `TaskExpiredError` and `WaitTimeoutError`. */
    wait(options?: WaitOptions): Promise<TaskStatus>;
    /** Cancel the task. It is refunded if it ends without a result. */
    cancel(): Promise<TaskStatus>;
    /** Delete the files of the task, which must have ended; the task stays, with its price. */
    deleteFiles(): Promise<TaskStatus>;
}
