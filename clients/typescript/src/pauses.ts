// The pauses between requests.
import { WaitTimeoutError } from "./errors.js";
import type { BatchStatus, TaskStatus, WorkflowStatus } from "./types.js";

const FIRST_POLL_S = 0.5;
const MAX_POLL_S = 10;

interface Waiting<Seen> {
  isOver: (seen: Seen) => boolean;
  boundS: number;
  /** Called with each state, and the seconds since the start. */
  tell: (seen: Seen, elapsedS: number) => void;
  /** The pause that the service suggests. */
  pauseOf?: (seen: Seen) => number | null | undefined;
  signal?: AbortSignal | undefined;
}

/** Look until it is over. Throws `WaitTimeoutError`. */
export async function untilEnded<Seen extends TaskStatus | WorkflowStatus | BatchStatus>(
  one: { seen: Seen; status(): Promise<Seen> },
  { isOver, boundS, tell, pauseOf, signal }: Waiting<Seen>,
): Promise<void> {
  const began = Date.now();
  let pauseS = FIRST_POLL_S;
  for (;;) {
    const elapsedS = (Date.now() - began) / 1000;
    tell(one.seen, elapsedS);
    if (isOver(one.seen)) return;
    if (elapsedS >= boundS) throw new WaitTimeoutError(one.seen, boundS);
    await sleep(Math.min(pauseOf?.(one.seen) ?? pauseS, Math.max(boundS - elapsedS, 0.05)), signal);
    await one.status();
    pauseS = Math.min(pauseS * 1.5, MAX_POLL_S);
  }
}

export function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });
}
