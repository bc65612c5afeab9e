// The errors that this package throws.
//
// TollgateError
// ├── ConfigurationError          no API key or address
// ├── UnreachableError            no response from the service after all attempts
// ├── BrokenStreamError           the stream of a chat or of results broke off
// ├── ApiError                    the service returned an error: status, code, requestId
// │   ├── InvalidInputError       400  `problems` names every field
// │   ├── AuthenticationError     401
// │   ├── InsufficientBalanceError 402 also a key's spending cap
// │   ├── PermissionDeniedError   403
// │   ├── NotFoundError           404
// │   ├── ConflictError           409, 422
// │   │   └── PriceChangedError   the prices have changed since the estimate
// │   ├── PayloadTooLargeError    413
// │   ├── RateLimitError          429
// │   └── ServiceError            5xx
// ├── TaskFailedError             the generation failed; it was refunded
// │   └── TaskExpiredError        it took too long; it was refunded
// ├── WorkflowFailedError         a step of the workflow has no result
// ├── BatchFailedError            the requests of the batch cannot be read; none has run
// ├── WaitTimeoutError            still running after the timeout
// └── SignatureError              a webhook that Tollgate did not sign
import type { BatchStatus, TaskStatus, WorkflowStatus } from "./types.js";

/** Everything that this package throws. */
export class TollgateError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** There is no API key or no address to send it to. */
export class ConfigurationError extends TollgateError {}

/** No response after all attempts. A create can be sent again with the same `idempotencyKey`. */
export class UnreachableError extends TollgateError {}

/** A stream broke off, so the part that has arrived is not the whole response. */
export class BrokenStreamError extends TollgateError {}

/** The service returned an error: HTTP `status`, stable `code`, `requestId` for support requests. */
export class ApiError extends TollgateError {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly body: unknown,
    readonly requestId: string | null,
  ) {
    super(`${message} (${status} ${code})`);
  }

  /** The address of the documentation of this error, if the service sent it. */
  get docsUrl(): string | null {
    const found = (this.body as { error?: { docsUrl?: unknown } } | null)?.error?.docsUrl;
    return typeof found === "string" ? found : null;
  }
}

/** A problem of an input: `path` is a JSON pointer from the body's root. */
export interface Problem {
  path: string;
  message: string;
  allowed?: unknown;
}

/** The input does not match the model's schema. */
export class InvalidInputError extends ApiError {
  /** Every problem. */
  get problems(): Problem[] {
    const details = (this.body as { error?: { details?: unknown } } | null)?.error?.details;
    return Array.isArray(details) ? (details as Problem[]) : [];
  }
}

/** The API key is missing, mistyped or revoked. */
export class AuthenticationError extends ApiError {}

/** The balance, or the key's spending cap, does not cover the request. */
export class InsufficientBalanceError extends ApiError {}

/** The API key lacks the permission. */
export class PermissionDeniedError extends ApiError {}

/** The task, model or file does not exist, or belongs to another account. */
export class NotFoundError extends ApiError {}

/** The idempotency key was used with another body, or two requests arrived at the same time. */
export class ConflictError extends ApiError {}

/** The prices differ from the given `priceVersion`; nothing was charged. */
export class PriceChangedError extends ConflictError {
  /** The current price of the request in US cents. */
  get costCents(): number {
    return (this.body as { error: { costCents: number } }).error.costCents;
  }
}

/** The request body is larger than allowed. */
export class PayloadTooLargeError extends ApiError {}

/** Too many requests, after all attempts. */
export class RateLimitError extends ApiError {}

/** The service or every provider failed, after all attempts. */
export class ServiceError extends ApiError {}

/** The generation failed. `task` has its error and the refunded amount. */
export class TaskFailedError extends TollgateError {
  constructor(readonly task: TaskStatus) {
    super(`Task ${task.taskId} ${task.status}: ${task.error?.message ?? "no reason given"}`);
  }
}

/** The generation was not ready by its deadline. */
export class TaskExpiredError extends TaskFailedError {}

/** A step of the workflow has no result. `workflow` has the results of the others, and each error. */
export class WorkflowFailedError extends TollgateError {
  constructor(readonly workflow: WorkflowStatus) {
    const lost = workflow.steps.flatMap((step) => (step.error ? [`${step.id}: ${step.error.message}`] : []));
    super(`Workflow ${workflow.id} failed: ${lost.join("; ") || "no reason given"}`);
  }
}

/** The requests of the batch cannot be read, so none has run. `batch.errors` names the lines. */
export class BatchFailedError extends TollgateError {
  constructor(readonly batch: BatchStatus) {
    super(`Batch ${batch.id} failed: ${batch.errors?.data[0]?.message ?? "no reason given"}`);
  }
}

/**
 * The task is still running. `task` is its last known state. Waiting again is free.
 * After a wait for a workflow or a batch, `task` is its state.
 */
export class WaitTimeoutError extends TollgateError {
  constructor(
    readonly task: TaskStatus | WorkflowStatus | BatchStatus,
    timeoutS: number,
  ) {
    super(`${"taskId" in task ? `Task ${task.taskId}` : task.id} is still ${task.status} after ${timeoutS} s`);
  }
}

/** The signature, time or headers of a webhook are wrong. */
export class SignatureError extends TollgateError {}

/** The error for a request without a response. It names the address and the reason. */
export function unreachable(method: string, url: string, cause: unknown): UnreachableError {
  const address = url.split("?", 1)[0];
  return new UnreachableError(`No response to ${method} ${address}: ${reasonOf(cause)}`, { cause });
}

/** The reason in an error of `fetch`, which often has it in its cause. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string; code?: string } };
  return cause?.message || cause?.code || message || String(error);
}

const BY_STATUS: Record<number, typeof ApiError> = {
  400: InvalidInputError,
  401: AuthenticationError,
  402: InsufficientBalanceError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  413: PayloadTooLargeError,
  422: ConflictError,
  429: RateLimitError,
};
const BY_CODE: Record<string, typeof ApiError> = { price_changed: PriceChangedError };
const FIRST_SERVER_ERROR = 500;

/** The error for a response. `body` is its JSON, or its text if it is not JSON. */
export function apiError(status: number, body: unknown, requestId: string | null): ApiError {
  const said = (body as { error?: { message?: string; code?: string } } | null)?.error ?? {};
  const Kind = BY_CODE[said.code ?? ""] ?? BY_STATUS[status] ?? (status >= FIRST_SERVER_ERROR ? ServiceError : ApiError);
  return new Kind(status, said.code ?? "unknown", said.message ?? `HTTP ${status}`, body, requestId);
}
