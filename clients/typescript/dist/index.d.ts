export * from "./client.js";
export * from "./errors.js";
export { Batch, Workflow, type BatchOptions, type WaitForOptions, type WorkflowOptions } from "./many.js";
export type * from "../inputs.js";
export type { LocalFile } from "./media.js";
export type * from "./types.js";
export { verifyWebhook, type WebhookEvent } from "./webhooks.js";
