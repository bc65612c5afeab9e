import type { Client } from "./client.js";
import type { Progress, RemoteFile, TaskStatus } from "./types.js";
export interface WaitOptions {
    timeoutS?: number;
    onProgress?: (progress: Progress) => void;
    signal?: AbortSignal;
}
/** A generation under way. */
export declare class Task {
    private readonly client;
    /** The task as it was last seen. */
    seen: TaskStatus;
    constructor(client: Client, 
    /** The task as it was last seen. */
    seen: TaskStatus);
    get id(): string;
    get files(): RemoteFile[];
    /** Ask for the task as it is now. */
    status(): Promise<TaskStatus>;
    /** The finished task. Throws `TaskFailedError`, `TaskExpiredError` and `WaitTimeoutError`. */
    wait(options?: WaitOptions): Promise<TaskStatus>;
    /** Ask for the end of the task: refunded where nothing will be made. */
    cancel(): Promise<TaskStatus>;
    /** Delete the files of the task, which must have ended; the task stays, with its price. */
    deleteFiles(): Promise<TaskStatus>;
}
