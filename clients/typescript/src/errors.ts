// What can go wrong, as classes to catch.
//
// TollgateError
// ├── ConfigurationError          no API key or address
// ├── UnreachableError            no answer from the service, after every attempt
// ├── ApiError                    the service refused: status, code, requestId
// │   ├── InvalidInputError       400  `problems` names every field
// │   ├── AuthenticationError     401
// │   ├── InsufficientBalanceError 402 also a key's spending limit
// │   ├── PermissionDeniedError   403
// │   ├── NotFoundError           404
// │   ├── ConflictError           409, 422
// │   │   └── PriceChangedError   the prices are not those of the estimate
// │   ├── PayloadTooLargeError    413
// │   ├── RateLimitError          429
// │   └── ServiceError            5xx
// ├── TaskFailedError             the generation failed; it was refunded
// │   └── TaskExpiredError        it took too long; it was refunded
// ├── WorkflowFailedError         a step of the workflow has no result
// ├── BatchFailedError            the requests of the batch cannot be read; none has run
// ├── WaitTimeoutError            still running after the time that you gave it
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

/** No answer, after every attempt. A create can be sent again with the same `idempotencyKey`. */
export class UnreachableError extends TollgateError {}

/** The service refused a request: HTTP `status`, stable `code`, `requestId` to quote when asking. */
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

/** One thing wrong with an input: `path` is a JSON pointer from the body's root. */
export interface Problem {
  path: string;
  message: string;
  allowed?: unknown;
}

/** The input breaks the model's schema. */
export class InvalidInputError extends ApiError {
  /** Every problem found. */
  get problems(): Problem[] {
    const details = (this.body as { error?: { details?: unknown } } | null)?.error?.details;
    return Array.isArray(details) ? (details as Problem[]) : [];
  }
}

/** The API key is missing, mistyped or revoked. */
export class AuthenticationError extends ApiError {}

/** The balance, or what this key may spend, does not cover the request. */
export class InsufficientBalanceError extends ApiError {}

/** The API key may not do this. */
export class PermissionDeniedError extends ApiError {}

/** No such task, model or file of yours. */
export class NotFoundError extends ApiError {}

/** The same idempotency key with another body, or two requests at the same moment. */
export class ConflictError extends ApiError {}

/** The prices are not those of the `priceVersion` that was sent; nothing was charged. */
export class PriceChangedError extends ConflictError {
  /** What the request costs now. */
  get costCents(): number {
    return (this.body as { error: { costCents: number } }).error.costCents;
  }
}

/** The request body is larger than allowed. */
export class PayloadTooLargeError extends ApiError {}

/** Too many requests, after every attempt. */
export class RateLimitError extends ApiError {}

/** The service or every provider failed, after every attempt. */
export class ServiceError extends ApiError {}

/** The generation failed. `task` has its error and what was refunded. */
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
 * The task still runs; `task` is how it was last seen. Waiting again costs nothing.
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

/** A webhook whose signature, time or headers are wrong. */
export class SignatureError extends TollgateError {}

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

/** The error that an answer stands for; `body` is its JSON, or its text where it is none. */
export function apiError(status: number, body: unknown, requestId: string | null): ApiError {
  const said = (body as { error?: { message?: string; code?: string } } | null)?.error ?? {};
  const Kind = BY_CODE[said.code ?? ""] ?? BY_STATUS[status] ?? (status >= FIRST_SERVER_ERROR ? ServiceError : ApiError);
  return new Kind(status, said.code ?? "unknown", said.message ?? `HTTP ${status}`, body, requestId);
}
