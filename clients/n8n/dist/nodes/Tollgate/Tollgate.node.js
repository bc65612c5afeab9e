"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Tollgate = void 0;
const n8n_workflow_1 = require("n8n-workflow");
const descriptions_1 = require("./descriptions");
/** The service holds a status request for at most this long. */
const HELD_S = 20;
const ENDED = new Set(["finished", "failed", "expired"]);
/** Images, videos, music and text from a Tollgate service. */
class Tollgate {
    description = {
        displayName: "Tollgate",
        name: "tollgate",
        icon: "file:tollgate.svg",
        group: ["transform"],
        version: 1,
        subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
        description: "Create images, videos, music and text from one API, paid from one balance",
        defaults: { name: "Tollgate" },
        usableAsTool: true,
        inputs: ["main"],
        outputs: ["main"],
        credentials: [{ name: "tollgateApi", required: true }],
        properties: descriptions_1.properties,
    };
    async execute() {
        const items = [];
        for (let index = 0; index < this.getInputData().length; index += 1) {
            try {
                items.push(...(await itemsOf.call(this, index)));
            }
            catch (error) {
                if (!this.continueOnFail())
                    throw error;
                items.push({ json: { error: error.message }, pairedItem: { item: index } });
            }
        }
        return [items];
    }
}
exports.Tollgate = Tollgate;
/** Carry out the operation of one item. */
async function itemsOf(index) {
    const resource = this.getNodeParameter("resource", index);
    const operation = this.getNodeParameter("operation", index);
    const pairedItem = { item: index };
    switch (`${resource}.${operation}`) {
        case "account.get":
            return [{ json: await data.call(this, index, "GET", "/user/me"), pairedItem }];
        case "chat.complete": {
            const body = chatBody.call(this, index);
            return [{ json: await ask.call(this, index, "POST", "/chat/completions", { body }), pairedItem }];
        }
        case "media.estimate": {
            const body = mediaBody.call(this, index);
            return [{ json: await data.call(this, index, "POST", "/generation/estimate", { body }), pairedItem }];
        }
        case "media.create":
            return [{ ...(await created.call(this, index)), pairedItem }];
        case "task.cancel":
            return [{ json: await data.call(this, index, "POST", `/task/cancel/${taskId.call(this, index)}`), pairedItem }];
        case "task.deleteFiles":
            return [{ json: await data.call(this, index, "DELETE", `/task/files/${taskId.call(this, index)}`), pairedItem }];
        case "task.get": {
            const task = await data.call(this, index, "GET", `/task/status/${taskId.call(this, index)}`);
            return [{ ...(await withFiles.call(this, index, task)), pairedItem }];
        }
        case "task.wait": {
            const task = await ended.call(this, index, taskId.call(this, index));
            return [{ ...(await withFiles.call(this, index, task)), pairedItem }];
        }
        case "task.getAll": {
            const limit = this.getNodeParameter("limit", index);
            const page = await data.call(this, index, "GET", "/tasks", { qs: { limit } });
            return page.tasks.map((json) => ({ json, pairedItem }));
        }
        default:
            throw new n8n_workflow_1.NodeOperationError(this.getNode(), `Unknown operation: ${resource}.${operation}`, { itemIndex: index });
    }
}
function taskId(index) {
    return encodeURIComponent(this.getNodeParameter("taskId", index));
}
/** Return a field of type JSON, which an expression can give as an object. */
function objectOf(index, value, field) {
    try {
        const found = typeof value === "string" ? JSON.parse(value || "{}") : value;
        if (found !== null && typeof found === "object" && !Array.isArray(found))
            return found;
    }
    catch {
        // The error below names the field.
    }
    throw new n8n_workflow_1.NodeOperationError(this.getNode(), `${field} must be a JSON object`, { itemIndex: index });
}
function chatBody(index) {
    const { body, system, ...more } = this.getNodeParameter("additionalFields", index, {});
    const messages = [{ role: "user", content: this.getNodeParameter("prompt", index) }];
    return {
        model: this.getNodeParameter("model", index),
        messages: system ? [{ role: "system", content: system }, ...messages] : messages,
        ...more,
        ...objectOf.call(this, index, body ?? {}, "Body"),
    };
}
function mediaBody(index) {
    const input = objectOf.call(this, index, this.getNodeParameter("input", index), "Input");
    return { model: this.getNodeParameter("model", index), input };
}
/** Create a task, and wait for its end if the node is set so. */
async function created(index) {
    const { idempotencyKey, metadata, ...more } = this.getNodeParameter("additionalFields", index, {});
    const body = { ...mediaBody.call(this, index), ...more };
    if (metadata !== undefined)
        body.metadata = objectOf.call(this, index, metadata, "Metadata");
    if (body.webhook === "")
        delete body.webhook;
    // A repeat of the same item in the same run of the node never pays twice.
    const { runIndex = 0 } = this;
    const name = `n8n-${this.getExecutionId()}-${this.getNode().id}-${runIndex}-${index}`;
    const key = idempotencyKey || name;
    const made = await data.call(this, index, "POST", "/generation/create", { body, headers: { "Idempotency-Key": key } });
    if (!this.getNodeParameter("wait", index))
        return { json: made };
    return await withFiles.call(this, index, await ended.call(this, index, made.taskId));
}
/** Wait for the end of a task. A task without a result and a timeout are errors. */
async function ended(index, id) {
    const until = Date.now() + this.getNodeParameter("timeoutS", index) * 1000;
    for (;;) {
        const leftS = Math.ceil((until - Date.now()) / 1000);
        const wait = Math.max(0, Math.min(HELD_S, leftS));
        const task = (await data.call(this, index, "GET", `/task/status/${id}`, { qs: { wait } }));
        if (task.error !== undefined) {
            const message = `${task.error.code}: ${task.error.message}`;
            throw new n8n_workflow_1.NodeOperationError(this.getNode(), message, { itemIndex: index });
        }
        if (ENDED.has(task.status))
            return task;
        if (leftS <= 0) {
            const message = `${id} has not ended in time. It continues: wait for it by its id.`;
            throw new n8n_workflow_1.NodeOperationError(this.getNode(), message, { itemIndex: index });
        }
    }
}
/** Return a task as an item, with its files as binary data if the node is set so. */
async function withFiles(index, task) {
    const files = (task.files ?? []);
    if (!this.getNodeParameter("download", index, false) || files.length === 0)
        return { json: task };
    const binary = {};
    for (const [place, file] of files.entries()) {
        // Without the key: the address of a file may be of another host.
        const bytes = (await this.helpers.httpRequest({
            url: file.fileUrl,
            encoding: "arraybuffer",
        }));
        const name = new URL(file.fileUrl).pathname.split("/").pop();
        binary[place === 0 ? "data" : `data_${place}`] = await this.helpers.prepareBinaryData(Buffer.from(bytes), name, file.contentType);
    }
    return { json: task, binary };
}
/** Return the `data` of a response. */
async function data(index, method, path, options = {}) {
    return (await ask.call(this, index, method, path, options)).data;
}
async function ask(index, method, path, options = {}) {
    const { baseUrl } = await this.getCredentials("tollgateApi", index);
    const url = `${baseUrl.replace(/\/+$/, "")}/api/v1${path}`;
    try {
        return (await this.helpers.httpRequestWithAuthentication.call(this, "tollgateApi", {
            method,
            url,
            json: true,
            ...options,
        }));
    }
    catch (error) {
        const said = saidBy(error);
        if (said === undefined)
            throw new n8n_workflow_1.NodeApiError(this.getNode(), error, { itemIndex: index });
        // n8n's own message of a status would hide the reason.
        throw new n8n_workflow_1.NodeApiError(this.getNode(), { ...said }, {
            message: said.message,
            description: said.code,
            httpCode: String(error.httpCode ?? ""),
            itemIndex: index,
        });
    }
}
/** Return the service's own words about an error. */
function saidBy(error) {
    const { context } = error;
    const said = context?.data?.error;
    return said === undefined ? undefined : { message: said.message, code: said.code };
}
