// Sends requests, with repeats if they are safe, and reads the responses: JSON or lines.
import { apiError, BrokenStreamError, ConfigurationError, reasonOf, unreachable } from "./errors.js";
import { sleep } from "./pauses.js";
export const VERSION = "0.1.0";
const MAX_ATTEMPTS = 5;
/** Longer than the 100 s after which the service ends a chat without streaming. */
const REQUEST_TIMEOUT_S = 120;
const FIRST_WAIT_S = 0.5;
const MAX_WAIT_S = 30;
const TOO_MANY = 429;
const RETRIED = new Set([408, 425, TOO_MANY, 500, 502, 503, 504]);
/** Codes of 409 that mean that the same request is still running. */
const RETRIED_CODES = new Set(["idempotency_conflict"]);
/** The service, with one API key. */
export class Transport {
    #key;
    #url;
    #timeoutS;
    maxAttempts;
    #fetch;
    constructor(options = {}) {
        const env = globalThis.process?.env ?? {};
        const key = options.apiKey ?? env["TOLLGATE_API_KEY"];
        const url = options.baseUrl ?? env["TOLLGATE_URL"];
        if (!key)
            throw new ConfigurationError("No API key: pass apiKey or set TOLLGATE_API_KEY.");
        if (!url)
            throw new ConfigurationError("No address: pass baseUrl or set TOLLGATE_URL.");
        this.#key = key;
        this.#url = url.replace(/\/+$/, "").replace(/\/api\/v1$/, "");
        this.#timeoutS = options.timeoutS ?? REQUEST_TIMEOUT_S;
        this.maxAttempts = options.maxAttempts ?? MAX_ATTEMPTS;
        this.#fetch = options.fetch ?? fetch;
    }
    /** Read something. */
    async get(path) {
        return this.#data({ method: "GET", path, safe: true });
    }
    /** Do something that a repeat does not do again. */
    async post(path, body, headers = {}) {
        return this.#data({ method: "POST", path, body, headers, safe: true });
    }
    async delete(path) {
        return this.#data({ method: "DELETE", path, safe: true });
    }
    /** The lines of a response, as they come. A request with a `body` is a POST. */
    async *lines(path, options = {}, body) {
        const hasBody = body !== undefined;
        const headers = { ...this.#headers(hasBody), ...options.headers };
        const request = { ...options, headers };
        if (hasBody)
            Object.assign(request, { method: "POST", body: JSON.stringify(body) });
        const answer = await this.fetch(this.#url + path, request);
        if (!answer.ok || answer.body === null)
            dataOf(await replyOf(answer));
        yield* linesOf(answer.body);
    }
    /** Call an address without the key. Throws `UnreachableError`, and an abort as it is. */
    async fetch(url, init = {}) {
        return this.#fetch(url, init).catch((cause) => {
            throw cause instanceof TypeError ? unreachable(init.method ?? "GET", url, cause) : cause;
        });
    }
    #headers(hasBody) {
        return {
            authorization: `Bearer ${this.#key}`,
            "user-agent": `tollgate-typescript/${VERSION}`,
            ...(hasBody ? { "content-type": "application/json" } : {}),
        };
    }
    async #data(request) {
        return dataOf(await this.send(request));
    }
    /** Send a request, with repeats while they are useful. Throws `UnreachableError`. */
    async send(request) {
        const hasBody = request.body !== undefined;
        const url = this.#url + request.path;
        let cause;
        for (let attempt = 0; attempt < this.maxAttempts; attempt++) {
            let reply = null;
            try {
                reply = await replyOf(await this.#fetch(url, {
                    method: request.method,
                    headers: { ...this.#headers(hasBody), ...request.headers },
                    signal: AbortSignal.timeout(this.#timeoutS * 1000),
                    ...(hasBody ? { body: JSON.stringify(request.body) } : {}),
                }));
            }
            catch (error) {
                cause = error;
            }
            const isLast = attempt + 1 === this.maxAttempts;
            if (reply !== null && (reply.ok || isLast || !isWorthAnother(request, reply)))
                return reply;
            if (reply === null && (isLast || !request.safe))
                break;
            await sleep(waitBefore(attempt, reply));
        }
        throw unreachable(request.method, url, cause);
    }
}
async function replyOf(response) {
    const { status, ok, headers } = response;
    return { status, ok, headers, text: await response.text() };
}
function isWorthAnother(request, reply) {
    if (reply.status === TOO_MANY)
        return true;
    if (reply.status === 409) {
        const body = bodyOf(reply);
        return RETRIED_CODES.has(body?.error?.code ?? "");
    }
    return request.safe === true && RETRIED.has(reply.status);
}
function waitBefore(attempt, reply) {
    const said = reply?.headers.get("retry-after");
    if (said && /^\d+$/.test(said))
        return Math.min(Number(said), MAX_WAIT_S);
    return Math.min(FIRST_WAIT_S * 2 ** attempt, MAX_WAIT_S) * (0.5 + Math.random() / 2);
}
/** The JSON of a response, or its text if it is not JSON. */
function bodyOf(reply) {
    try {
        return JSON.parse(reply.text);
    }
    catch {
        return reply.text;
    }
}
/** The `data` of the envelope, or the whole body without an envelope. Throws `ApiError`. */
export function dataOf(reply) {
    const body = bodyOf(reply);
    if (!reply.ok)
        throw apiError(reply.status, body, reply.headers.get("x-request-id"));
    const isWrapped = typeof body === "object" && body !== null && "data" in body && "code" in body;
    return isWrapped ? body.data : body;
}
export function queryOf(values) {
    const known = Object.entries(values).filter((pair) => pair[1] !== undefined);
    return known.length === 0 ? "" : `?${new URLSearchParams(known)}`;
}
/** The lines of a stream. Throws `BrokenStreamError` if the connection breaks, and an abort as it is. */
async function* linesOf(stream) {
    const decoder = new TextDecoder();
    const reader = stream.getReader();
    let rest = "";
    try {
        for (;;) {
            const { done, value } = await reader.read().catch((cause) => {
                if (!(cause instanceof TypeError))
                    throw cause;
                throw new BrokenStreamError(`The stream broke off: ${reasonOf(cause)}`, { cause });
            });
            if (done)
                break;
            rest += decoder.decode(value, { stream: true });
            const lines = rest.split(/\r?\n/);
            rest = lines.pop() ?? "";
            yield* lines;
        }
        if (rest)
            yield rest;
    }
    finally {
        await reader.cancel().catch(() => undefined);
    }
}
