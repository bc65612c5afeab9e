import type { Inputs } from "../inputs.js";
import { Batch, Workflow, type BatchOptions, type WorkflowOptions } from "./many.js";
import { type LocalFile } from "./media.js";
import { Task, type WaitOptions } from "./task.js";
import { type ClientOptions } from "./transport.js";
import type { BatchResult, BatchStatus, Chat, ChatMessage, Estimate, Model, RemoteFile, TaskStatus, Upload, WorkflowEstimate, WorkflowStatus, WorkflowStep } from "./types.js";
export { Task, type WaitOptions } from "./task.js";
export { VERSION, type ClientOptions } from "./transport.js";
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
export declare class Client {
    #private;
    constructor(options?: ClientOptions);
    /** Make one generation and wait for it. Local files in the input are uploaded. */
    run<M extends ModelId>(model: M, input: InputOf<M>, options?: CreateOptions & WaitOptions): Promise<Task>;
    /** Create a generation and return at once. It is charged now, and once. */
    submit<M extends ModelId>(model: M, input: InputOf<M>, options?: CreateOptions): Promise<Task>;
    /** Exactly what `submit` would charge for the same input. */
    estimate<M extends ModelId>(model: M, input: InputOf<M>): Promise<Estimate>;
    /** A task that was created before. */
    task(taskId: string): Promise<Task>;
    status(taskId: string): Promise<TaskStatus>;
    cancel(taskId: string): Promise<TaskStatus>;
    deleteFiles(taskId: string): Promise<TaskStatus>;
    /** The account's tasks, the newest first, page by page as they are needed. */
    tasks(filters?: {
        status?: string;
        model?: string;
    }): AsyncGenerator<TaskStatus>;
    /** The catalog. */
    models(filters?: {
        kind?: "media" | "llm";
        capability?: string;
    }): Promise<Model[]>;
    model(id: string): Promise<Model>;
    /** The account's balance in cents. The key needs the scope `account`. */
    balanceCents(): Promise<number>;
    /** Upload a file; its `id` goes into any media field, many times. */
    upload(file: LocalFile): Promise<Upload>;
    /** Delete an uploaded file before its time. */
    deleteFile(id: string): Promise<void>;
    /** A text model's response. A request without a response is not repeated, because it may be billed. */
    chat(model: string, messages: string | ChatMessage[], options?: Record<string, unknown>): Promise<Chat>;
    /** The text of a response as it arrives. Throws `BrokenStreamError` if it breaks off. */
    streamChat(model: string, messages: string | ChatMessage[], options?: Record<string, unknown> & {
        signal?: AbortSignal;
    }): AsyncGenerator<string>;
    /** Reserve the money of a workflow and start it, once. */
    createWorkflow(steps: WorkflowStep[], options?: WorkflowOptions): Promise<Workflow>;
    /** The amount that `createWorkflow` would reserve for the same steps. */
    estimateWorkflow(steps: WorkflowStep[]): Promise<WorkflowEstimate>;
    /** A workflow that was created before. */
    workflow(id: string): Promise<Workflow>;
    cancelWorkflow(id: string): Promise<WorkflowStatus>;
    /** The account's workflows, the newest first, page by page as they are needed. */
    workflows(): AsyncGenerator<WorkflowStatus>;
    /** The states of a workflow until its end. A stream that ends before is opened again. */
    workflowEvents(id: string, options?: {
        signal?: AbortSignal;
    }): AsyncGenerator<WorkflowStatus>;
    /** Create a batch of text requests, once. `requests` has the body of each request by your own id. */
    createBatch(requests: Record<string, unknown>, options?: BatchOptions): Promise<Batch>;
    /** A batch that was created before. */
    batch(id: string): Promise<Batch>;
    cancelBatch(id: string): Promise<BatchStatus>;
    /** The account's batches, the newest first, page by page as they are needed. */
    batches(): AsyncGenerator<BatchStatus>;
    /** The results in a file of a batch. */
    batchResults(fileId: string): AsyncGenerator<BatchResult>;
    /** The bytes of a file. */
    download(file: RemoteFile): Promise<Uint8Array>;
    /** The bytes of a file as they arrive. */
    open(file: RemoteFile): Promise<ReadableStream<Uint8Array>>;
}
