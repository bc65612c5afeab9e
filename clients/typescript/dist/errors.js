/** Everything that this package throws. */
export class TollgateError extends Error {
    get name() {
        return this.constructor.name;
    }
}
/** There is no API key or no address to send it to. */
export class ConfigurationError extends TollgateError {
}
/** No response after all attempts. A create can be sent again with the same `idempotencyKey`. */
export class UnreachableError extends TollgateError {
}
/** A stream broke off, so the part that has arrived is not the whole response. */
export class BrokenStreamError extends TollgateError {
}
/** The service returned an error: HTTP `status`, stable `code`, `requestId` for support requests. */
export class ApiError extends TollgateError {
    status;
    code;
    body;
    requestId;
    constructor(status, code, message, body, requestId) {
        super(`${message} (${status} ${code})`);
        this.status = status;
        this.code = code;
        this.body = body;
        this.requestId = requestId;
    }
    /** The address of the documentation of this error, if the service sent it. */
    get docsUrl() {
        const found = this.body?.error?.docsUrl;
        return typeof found === "string" ? found : null;
    }
}
/** The input does not match the model's schema. */
export class InvalidInputError extends ApiError {
    /** Every problem. */
    get problems() {
        const details = this.body?.error?.details;
        return Array.isArray(details) ? details : [];
    }
}
/** The API key is missing, mistyped or revoked. */
export class AuthenticationError extends ApiError {
}
/** The balance, or the key's spending cap, does not cover the request. */
export class InsufficientBalanceError extends ApiError {
}
/** The API key lacks the permission. */
export class PermissionDeniedError extends ApiError {
}
/** The task, model or file does not exist, or belongs to another account. */
export class NotFoundError extends ApiError {
}
/** The idempotency key was used with another body, or two requests arrived at the same time. */
export class ConflictError extends ApiError {
}
/** The prices differ from the given `priceVersion`; nothing was charged. */
export class PriceChangedError extends ConflictError {
    /** The current price of the request in US cents. */
    get costCents() {
        return this.body.error.costCents;
    }
}
/** The request body is larger than allowed. */
export class PayloadTooLargeError extends ApiError {
}
/** Too many requests, after all attempts. */
export class RateLimitError extends ApiError {
}
/** The service or every provider failed, after all attempts. */
export class ServiceError extends ApiError {
}
/** The generation failed. `task` has its error and the refunded amount. */
export class TaskFailedError extends TollgateError {
    task;
    constructor(task) {
        super(`Task ${task.taskId} ${task.status}: ${task.error?.message ?? "no reason given"}`);
        this.task = task;
    }
}
/** The generation was not ready by its deadline. */
export class TaskExpiredError extends TaskFailedError {
}
/** A step of the workflow has no result. `workflow` has the results of the others, and each error. */
export class WorkflowFailedError extends TollgateError {
    workflow;
    constructor(workflow) {
        const lost = workflow.steps.flatMap((step) => (step.error ? [`${step.id}: ${step.error.message}`] : []));
        super(`Workflow ${workflow.id} failed: ${lost.join("; ") || "no reason given"}`);
        this.workflow = workflow;
    }
}
/** The requests of the batch cannot be read, so none has run. `batch.errors` names the lines. */
export class BatchFailedError extends TollgateError {
    batch;
    constructor(batch) {
        super(`Batch ${batch.id} failed: ${batch.errors?.data[0]?.message ?? "no reason given"}`);
        this.batch = batch;
    }
}
/**
 * The task is still running. `task` is its last known state. Waiting again is free.
 * After a wait for a workflow or a batch, `task` is its state.
 */
export class WaitTimeoutError extends TollgateError {
    task;
    constructor(task, timeoutS) {
        super(`${"taskId" in task ? `Task ${task.taskId}` : task.id} is still ${task.status} after ${timeoutS} s`);
        this.task = task;
    }
}
/** The signature, time or headers of a webhook are wrong. */
export class SignatureError extends TollgateError {
}
/** The error for a request without a response. It names the address and the reason. */
export function unreachable(method, url, cause) {
    const address = url.split("?", 1)[0];
    return new UnreachableError(`No response to ${method} ${address}: ${reasonOf(cause)}`, { cause });
}
/** The reason in an error of `fetch`, which often has it in its cause. */
export function reasonOf(error) {
    const { message, cause } = error;
    return cause?.message || cause?.code || message || String(error);
}
const BY_STATUS = {
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
const BY_CODE = { price_changed: PriceChangedError };
const FIRST_SERVER_ERROR = 500;
/** The error for a response. `body` is its JSON, or its text if it is not JSON. */
export function apiError(status, body, requestId) {
    const said = body?.error ?? {};
    const Kind = BY_CODE[said.code ?? ""] ?? BY_STATUS[status] ?? (status >= FIRST_SERVER_ERROR ? ServiceError : ApiError);
    return new Kind(status, said.code ?? "unknown", said.message ?? `HTTP ${status}`, body, requestId);
}
