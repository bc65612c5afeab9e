import type { BatchStatus, TaskStatus, WorkflowStatus } from "./types.js";
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
export declare function untilEnded<Seen extends TaskStatus | WorkflowStatus | BatchStatus>(one: {
    seen: Seen;
    status(): Promise<Seen>;
}, { isOver, boundS, tell, pauseOf, signal }: Waiting<Seen>): Promise<void>;
export declare function sleep(seconds: number, signal?: AbortSignal): Promise<void>;
export {};
