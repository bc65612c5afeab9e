import type { BatchStatus, TaskStatus, WorkflowStatus } from "./types.js";
/** Everything that this package throws. */
export declare class TollgateError extends Error {
    get name(): string;
}
/** There is no API key or no address to send it to. */
export declare class ConfigurationError extends TollgateError {
}
/** No answer, after every attempt. A create can be sent again with the same `idempotencyKey`. */
export declare class UnreachableError extends TollgateError {
}
/** The service refused a request: HTTP `status`, stable `code`, `requestId` to quote when asking. */
export declare class ApiError extends TollgateError {
    readonly status: number;
    readonly code: string;
    readonly body: unknown;
    readonly requestId: string | null;
    constructor(status: number, code: string, message: string, body: unknown, requestId: string | null);
    /** The address of the documentation of this error, if the service sent it. */
    get docsUrl(): string | null;
}
/** One thing wrong with an input: `path` is a JSON pointer from the body's root. */
export interface Problem {
    path: string;
    message: string;
    allowed?: unknown;
}
/** The input breaks the model's schema. */
export declare class InvalidInputError extends ApiError {
    /** Every problem found. */
    get problems(): Problem[];
}
/** The API key is missing, mistyped or revoked. */
export declare class AuthenticationError extends ApiError {
}
/** The balance, or what this key may spend, does not cover the request. */
export declare class InsufficientBalanceError extends ApiError {
}
/** The API key may not do this. */
export declare class PermissionDeniedError extends ApiError {
}
/** No such task, model or file of yours. */
export declare class NotFoundError extends ApiError {
}
/** The same idempotency key with another body, or two requests at the same moment. */
export declare class ConflictError extends ApiError {
}
/** The prices are not those of the `priceVersion` that was sent; nothing was charged. */
export declare class PriceChangedError extends ConflictError {
    /** What the request costs now. */
    get costCents(): number;
}
/** The request body is larger than allowed. */
export declare class PayloadTooLargeError extends ApiError {
}
/** Too many requests, after every attempt. */
export declare class RateLimitError extends ApiError {
}
/** The service or every provider failed, after every attempt. */
export declare class ServiceError extends ApiError {
}
/** The generation failed. `task` has its error and what was refunded. */
export declare class TaskFailedError extends TollgateError {
    readonly task: TaskStatus;
    constructor(task: TaskStatus);
}
/** The generation was not ready by its deadline. */
export declare class TaskExpiredError extends TaskFailedError {
}
/** A step of the workflow has no result. `workflow` has the results of the others, and each error. */
export declare class WorkflowFailedError extends TollgateError {
    readonly workflow: WorkflowStatus;
    constructor(workflow: WorkflowStatus);
}
/** The requests of the batch cannot be read, so none has run. `batch.errors` names the lines. */
export declare class BatchFailedError extends TollgateError {
    readonly batch: BatchStatus;
    constructor(batch: BatchStatus);
}
/**
 * The task still runs; `task` is how it was last seen. Waiting again costs nothing.
 * After a wait for a workflow or a batch, `task` is its state.
 */
export declare class WaitTimeoutError extends TollgateError {
    readonly task: TaskStatus | WorkflowStatus | BatchStatus;
    constructor(task: TaskStatus | WorkflowStatus | BatchStatus, timeoutS: number);
}
/** A webhook whose signature, time or headers are wrong. */
export declare class SignatureError extends TollgateError {
}
/** The error that an answer stands for; `body` is its JSON, or its text where it is none. */
export declare function apiError(status: number, body: unknown, requestId: string | null): ApiError;
