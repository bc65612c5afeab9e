import type { TaskStatus } from "./types.js";
/** A verified event: `id` is the same at each delivery, so a handler can tell a repeat. */
export interface WebhookEvent {
    id: string;
    type: string;
    timestamp: string;
    data: TaskStatus;
}
/**
 * The event of a request to your webhook URL. `body` is the request body as it came, `secret` what the
 * dashboard shows (`whsec_…`; two while one is rotated). Throws `SignatureError`.
 */
export declare function verifyWebhook(body: string, headers: Headers | Record<string, string | string[] | undefined>, secret: string | string[], nowS?: number): Promise<WebhookEvent>;
