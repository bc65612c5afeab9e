export declare const FIRST_POLL_S = 0.5;
export declare const MAX_POLL_S = 10;
export declare function sleep(seconds: number, signal?: AbortSignal): Promise<void>;
