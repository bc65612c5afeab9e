import type { BatchStatus, TaskStatus, WorkflowStatus } from "./types.js";
/** Everything that this package throws. */
export declare class TollgateError extends Error {
    get name(): string;
}
/** There is no API key or no address to send it to. */
export declare class ConfigurationError extends TollgateError {
}
/** No response after all attempts. A create can be sent again with the same `idempotencyKey`. */
export declare class UnreachableError extends TollgateError {
}
/** A stream broke off, so the part that has arrived is not the whole response. */
export declare class BrokenStreamError extends TollgateError {
}
/** The service returned an error: HTTP `status`, stable `code`, `requestId` for support requests. */
export declare class ApiError extends TollgateError {
    readonly status: number;
    readonly code: string;
    readonly body: unknown;
    readonly requestId: string | null;
    constructor(status: number, code: string, message: string, body: unknown, requestId: string | null);
    /** The address of the documentation of this error, if the service sent it. */
    get docsUrl(): string | null;
}
/** A problem of an input: `path` is a JSON pointer from the body's root. */
export interface Problem {
    path: string;
    message: string;
    allowed?: unknown;
}
/** The input does not match the model's schema. */
export declare class InvalidInputError extends ApiError {
    /** Every problem. */
    get problems(): Problem[];
}
/** The API key is missing, mistyped or revoked. */
export declare class AuthenticationError extends ApiError {
}
/** The balance, or the key's spending cap, does not cover the request. */
export declare class InsufficientBalanceError extends ApiError {
}
/** The API key lacks the permission. */
export declare class PermissionDeniedError extends ApiError {
}
/** The task, model or file does not exist, or belongs to another account. */
export declare class NotFoundError extends ApiError {
}
/** The idempotency key was used with another body, or two requests arrived at the same time. */
export declare class ConflictError extends ApiError {
}
/** The prices differ from the given `priceVersion`; nothing was charged. */
export declare class PriceChangedError extends ConflictError {
    /** The current price of the request in US cents. */
    get costCents(): number;
}
/** The request body is larger than allowed. */
export declare class PayloadTooLargeError extends ApiError {
}
/** Too many requests, after all attempts. */
export declare class RateLimitError extends ApiError {
}
/** The service or every provider failed, after all attempts. */
export declare class ServiceError extends ApiError {
}
/** The generation failed. `task` has its error and the refunded amount. */
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
 * The task is still running. `task` is its last known state. Waiting again is free.
 * After a wait for a workflow or a batch, `task` is its state.
 */
export declare class WaitTimeoutError extends TollgateError {
    readonly task: TaskStatus | WorkflowStatus | BatchStatus;
    constructor(task: TaskStatus | WorkflowStatus | BatchStatus, timeoutS: number);
}
/** The signature, time or headers of a webhook are wrong. */
export declare class SignatureError extends TollgateError {
}
/** The error for a request without a response. It names the address and the reason. */
export declare function unreachable(method: string, url: string, cause: unknown): UnreachableError;
/** The reason in an error of `fetch`, which often has it in its cause. */
export declare function reasonOf(error: unknown): string;
/** The error for a response. `body` is its JSON, or its text if it is not JSON. */
export declare function apiError(status: number, body: unknown, requestId: string | null): ApiError;
