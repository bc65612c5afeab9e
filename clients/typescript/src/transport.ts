// How requests reach the service: sent again where that is safe, read as JSON or line by line.
import { apiError, ConfigurationError, UnreachableError } from "./errors.js";
import { sleep } from "./pauses.js";

export const VERSION = "0.1.0";
const MAX_ATTEMPTS = 5;
const REQUEST_TIMEOUT_S = 60;
const FIRST_WAIT_S = 0.5;
const MAX_WAIT_S = 30;
const TOO_MANY = 429;
const RETRIED = new Set([408, 425, TOO_MANY, 500, 502, 503, 504]);
/** Codes of 409 that mean: the same request is still under way. */
const RETRIED_CODES = new Set(["idempotency_conflict"]);

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
  /** Whether a repeat changes nothing: reads, and what carries an idempotency key. */
  safe?: boolean;
  signal?: AbortSignal;
}

/** The service, with one API key. */
export class Transport {
  readonly #key: string;
  readonly #url: string;
  readonly #timeoutS: number;
  readonly maxAttempts: number;
  readonly #fetch: typeof fetch;

  constructor(options: ClientOptions = {}) {
    const env = (globalThis as { process?: { env: Record<string, string | undefined> } }).process?.env ?? {};
    const key = options.apiKey ?? env["TOLLGATE_API_KEY"];
    const url = options.baseUrl ?? env["TOLLGATE_URL"];
    if (!key) throw new ConfigurationError("No API key: pass apiKey or set TOLLGATE_API_KEY.");
    if (!url) throw new ConfigurationError("No address: pass baseUrl or set TOLLGATE_URL.");
    this.#key = key;
    this.#url = url.replace(/\/+$/, "").replace(/\/api\/v1$/, "");
    this.#timeoutS = options.timeoutS ?? REQUEST_TIMEOUT_S;
    this.maxAttempts = options.maxAttempts ?? MAX_ATTEMPTS;
    this.#fetch = options.fetch ?? fetch;
  }

  /** Read something. */
  async get<T>(path: string): Promise<T> {
    return this.#data({ method: "GET", path, safe: true });
  }

  /** Do something that a repeat does not do again. */
  async post<T>(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
    return this.#data({ method: "POST", path, body, headers, safe: true });
  }

  async delete<T = void>(path: string): Promise<T> {
    return this.#data({ method: "DELETE", path, safe: true });
  }

  /** The lines of a response, as they come. A request with a `body` is a POST. */
  async *lines(path: string, options: RequestInit = {}, body?: unknown): AsyncGenerator<string> {
    const hasBody = body !== undefined;
    const headers = { ...this.#headers(hasBody), ...(options.headers as Record<string, string> | undefined) };
    const request: RequestInit = { ...options, headers };
    if (hasBody) Object.assign(request, { method: "POST", body: JSON.stringify(body) });
    const answer = await reaching(path, this.#fetch(this.#url + path, request));
    if (!answer.ok || answer.body === null) await dataOf(answer);
    yield* linesOf(answer.body as ReadableStream<Uint8Array>);
  }

  /** Call an address outside of the API, without the key. */
  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    return reaching(url, this.#fetch(url, init));
  }

  #headers(hasBody: boolean): Record<string, string> {
    return {
      authorization: `Bearer ${this.#key}`,
      "user-agent": `tollgate-typescript/${VERSION}`,
      ...(hasBody ? { "content-type": "application/json" } : {}),
    };
  }

  async #data<T>(request: Request): Promise<T> {
    return (await dataOf(await this.send(request))) as T;
  }

  /** Send a request until it is answered or not worth another attempt. */
  async send(request: Request): Promise<Response> {
    const hasBody = request.body !== undefined;
    let cause: unknown;
    for (let attempt = 0; attempt < this.maxAttempts; attempt++) {
      let answer: Response | null = null;
      try {
        answer = await this.#fetch(this.#url + request.path, {
          method: request.method,
          headers: { ...this.#headers(hasBody), ...request.headers },
          signal: AbortSignal.timeout(this.#timeoutS * 1000),
          ...(hasBody ? { body: JSON.stringify(request.body) } : {}),
        });
      } catch (error) {
        cause = error;
      }
      const isLast = attempt + 1 === this.maxAttempts;
      if (answer !== null && (answer.ok || isLast || !(await isWorthAnother(request, answer)))) return answer;
      if (answer === null && (isLast || !request.safe)) break;
      await sleep(waitBefore(attempt, answer));
    }
    throw new UnreachableError(`no answer to ${request.method} ${request.path}`, { cause });
  }
}

/** What `sent` gives; what went wrong on the way as one of ours, an abort as it is. */
async function reaching(what: string, sent: Promise<Response>): Promise<Response> {
  return sent.catch((cause: unknown) => {
    if (cause instanceof TypeError) throw new UnreachableError(`no answer from ${what}`, { cause });
    throw cause;
  });
}

async function isWorthAnother(request: Request, answer: Response): Promise<boolean> {
  if (answer.status === TOO_MANY) return true;
  if (answer.status === 409) {
    const body = (await answer.clone().json().catch(() => null)) as { error?: { code?: string } } | null;
    return RETRIED_CODES.has(body?.error?.code ?? "");
  }
  return request.safe === true && RETRIED.has(answer.status);
}

function waitBefore(attempt: number, answer: Response | null): number {
  const said = answer?.headers.get("retry-after");
  if (said && /^\d+$/.test(said)) return Math.min(Number(said), MAX_WAIT_S);
  return Math.min(FIRST_WAIT_S * 2 ** attempt, MAX_WAIT_S) * (0.5 + Math.random() / 2);
}

export async function dataOf(answer: Response): Promise<unknown> {
  const text = await answer.text();
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // No JSON: the text is what there is.
  }
  if (!answer.ok) throw apiError(answer.status, body, answer.headers.get("x-request-id"));
  const isWrapped = typeof body === "object" && body !== null && "data" in body && "code" in body;
  return isWrapped ? (body as { data: unknown }).data : body;
}

export function queryOf(values: Record<string, string | undefined>): string {
  const known = Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return known.length === 0 ? "" : `?${new URLSearchParams(known)}`;
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      rest += decoder.decode(value, { stream: true });
      const lines = rest.split(/\r?\n/);
      rest = lines.pop() ?? "";
      yield* lines;
    }
    if (rest) yield rest;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
