// Images, videos, music and text from one API.
//
// errors.ts     what can go wrong, as a tree of classes
// types.ts      what the service answers
// ../inputs.d.ts  the input of each model, typed; generated from the catalog
// media.ts      local files inside an input
// client.ts     the client; task.ts: a generation; many.ts: workflows and batches
// transport.ts  how requests are sent; pauses.ts: pauses between requests
// webhooks.ts   is a webhook Tollgate's?
// node.ts       ("tollgate-client/node") files on disk
export * from "./client.js";
export * from "./errors.js";
export { Batch, Workflow } from "./many.js";
export { verifyWebhook } from "./webhooks.js";
