export declare const VERSION = "0.1.0";
export interface ClientOptions {
    /** Default: the variable `TOLLGATE_API_KEY`. */
    apiKey?: string;
    /** Default: the variable `TOLLGATE_URL`. */
    baseUrl?: string;
    /** Seconds for one request. */
    timeoutS?: number;
    /** Of one request: the first, and those after a failure. */
    maxAttempts?: number;
    /** Another `fetch`. */
    fetch?: typeof fetch;
}
interface Request {
    method: "GET" | "POST" | "DELETE";
    path: string;
    body?: unknown;
    headers?: Record<string, string>;
    /** Whether a repeat has no effect: reads, and requests with an idempotency key. */
    safe?: boolean;
    signal?: AbortSignal;
}
/** A response that has arrived as a whole. */
export interface Reply {
    status: number;
    ok: boolean;
    headers: Headers;
    text: string;
}
/** The service, with one API key. */
export declare class Transport {
    #private;
    readonly maxAttempts: number;
    constructor(options?: ClientOptions);
    /** Read something. */
    get<T>(path: string): Promise<T>;
    /** Do something that a repeat does not do again. */
    post<T>(path: string, body?: unknown, headers?: Record<string, string>): Promise<T>;
    delete<T = void>(path: string): Promise<T>;
    /** The lines of a response, as they come. A request with a `body` is a POST. */
    lines(path: string, options?: RequestInit, body?: unknown): AsyncGenerator<string>;
    /** Call an address without the key. Throws `UnreachableError`, and an abort as it is. */
    fetch(url: string, init?: RequestInit): Promise<Response>;
    /** Send a request, with repeats while they are useful. Throws `UnreachableError`. */
    send(request: Request): Promise<Reply>;
}
/** The `data` of the envelope, or the whole body without an envelope. Throws `ApiError`. */
export declare function dataOf(reply: Reply): unknown;
export declare function queryOf(values: Record<string, string | undefined>): string;
export {};
