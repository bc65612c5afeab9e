import type { Client, WaitOptions } from "./client.js";
import type { BatchResult, BatchStatus, WorkflowStatus } from "./types.js";
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
export declare class Workflow {
    private readonly client;
    /** The workflow at the last request. */
    seen: WorkflowStatus;
    constructor(client: Client, 
    /** The workflow at the last request. */
    seen: WorkflowStatus);
    get id(): string;
    /** Request the workflow as it is now. */
    status(): Promise<WorkflowStatus>;
    /** The finished workflow. Throws `WorkflowFailedError` and `WaitTimeoutError`. */
    wait(options?: WaitForOptions<WorkflowStatus>): Promise<WorkflowStatus>;
    /** The workflow after each of its changes, until it has ended. */
    stream(options?: {
        signal?: AbortSignal;
    }): AsyncGenerator<WorkflowStatus>;
    /** Start no further step. The money of steps that do not run is returned. */
    cancel(): Promise<WorkflowStatus>;
}
/** A batch of text requests under way. */
export declare class Batch {
    private readonly client;
    /** The batch at the last request. */
    seen: BatchStatus;
    constructor(client: Client, 
    /** The batch at the last request. */
    seen: BatchStatus);
    get id(): string;
    /** Request the batch as it is now. */
    status(): Promise<BatchStatus>;
    /** The batch at its end: completed, expired or cancelled. Throws `BatchFailedError` and `WaitTimeoutError`. */
    wait(options?: WaitForOptions<BatchStatus>): Promise<BatchStatus>;
    /** Begin no further request. Requests that run are completed. */
    cancel(): Promise<BatchStatus>;
    /** The results of an ended batch: first the responses, then the errors. */
    results(): AsyncGenerator<BatchResult>;
}
/** Reads the workflows in a stream of server-sent events. */
export declare class EventReader {
    #private;
    lastId: string | undefined;
    /** The workflow of a line, if it has one. */
    read(line: string): WorkflowStatus | null;
}
export declare function hasEnded(seen: WorkflowStatus): boolean;
/** Requests as the lines of a batch's file. `requests` has the body of each request by your own id. */
export declare function linesOfBatch(requests: Record<string, unknown>, endpoint: string): string;
/** The result in a line of a batch's files. */
export declare function resultOf(line: string): BatchResult;
