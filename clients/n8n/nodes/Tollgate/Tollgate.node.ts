import { NodeApiError, NodeOperationError } from "n8n-workflow";
import type {
  IBinaryKeyData,
  IDataObject,
  IExecuteFunctions,
  IHttpRequestOptions,
  INodeExecutionData,
  INodeType,
  INodeTypeDescription,
  JsonObject,
} from "n8n-workflow";

import { properties } from "./descriptions";

/** The service holds a status request for at most this long. */
const HELD_S = 20;
const ENDED = new Set(["finished", "failed", "expired"]);

interface TaskFile {
  fileUrl: string;
  contentType: string;
}

interface Task extends IDataObject {
  taskId: string;
  status: string;
  error?: { code: string; message: string };
}

/** Images, videos, music and text from a Tollgate service. */
export class Tollgate implements INodeType {
  description: INodeTypeDescription = {
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
    properties,
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const items: INodeExecutionData[] = [];
    for (let index = 0; index < this.getInputData().length; index += 1) {
      try {
        items.push(...(await itemsOf.call(this, index)));
      } catch (error) {
        if (!this.continueOnFail()) throw error;
        items.push({ json: { error: (error as Error).message }, pairedItem: { item: index } });
      }
    }
    return [items];
  }
}

/** Carry out the operation of one item. */
async function itemsOf(this: IExecuteFunctions, index: number): Promise<INodeExecutionData[]> {
  const resource = this.getNodeParameter("resource", index) as string;
  const operation = this.getNodeParameter("operation", index) as string;
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
      return [{ ...(await withFiles.call(this, index, task as Task)), pairedItem }];
    }
    case "task.wait": {
      const task = await ended.call(this, index, taskId.call(this, index));
      return [{ ...(await withFiles.call(this, index, task)), pairedItem }];
    }
    case "task.getAll": {
      const limit = this.getNodeParameter("limit", index) as number;
      const page = await data.call(this, index, "GET", "/tasks", { qs: { limit } });
      return (page.tasks as IDataObject[]).map((json) => ({ json, pairedItem }));
    }
    default:
      throw new NodeOperationError(this.getNode(), `Unknown operation: ${resource}.${operation}`, { itemIndex: index });
  }
}

function taskId(this: IExecuteFunctions, index: number): string {
  return encodeURIComponent(this.getNodeParameter("taskId", index) as string);
}

/** Return a field of type JSON, which an expression can give as an object. */
function objectOf(this: IExecuteFunctions, index: number, value: unknown, field: string): IDataObject {
  try {
    const found: unknown = typeof value === "string" ? JSON.parse(value || "{}") : value;
    if (found !== null && typeof found === "object" && !Array.isArray(found)) return found as IDataObject;
  } catch {
    // The error below names the field.
  }
  throw new NodeOperationError(this.getNode(), `${field} must be a JSON object`, { itemIndex: index });
}

function chatBody(this: IExecuteFunctions, index: number): IDataObject {
  const { body, system, ...more } = this.getNodeParameter("additionalFields", index, {}) as IDataObject;
  const messages = [{ role: "user", content: this.getNodeParameter("prompt", index) as string }];
  return {
    model: this.getNodeParameter("model", index) as string,
    messages: system ? [{ role: "system", content: system as string }, ...messages] : messages,
    ...more,
    ...objectOf.call(this, index, body ?? {}, "Body"),
  };
}

function mediaBody(this: IExecuteFunctions, index: number): IDataObject {
  const input = objectOf.call(this, index, this.getNodeParameter("input", index), "Input");
  return { model: this.getNodeParameter("model", index) as string, input };
}

/** Create a task, and wait for its end if the node is set so. */
async function created(this: IExecuteFunctions, index: number): Promise<INodeExecutionData> {
  const { idempotencyKey, metadata, ...more } = this.getNodeParameter("additionalFields", index, {}) as IDataObject;
  const body: IDataObject = { ...mediaBody.call(this, index), ...more };
  if (metadata !== undefined) body.metadata = objectOf.call(this, index, metadata, "Metadata");
  if (body.webhook === "") delete body.webhook;
  // A repeat of the same item in the same run of the node never pays twice.
  const { runIndex = 0 } = this as unknown as { runIndex?: number };
  const name = `n8n-${this.getExecutionId()}-${this.getNode().id}-${runIndex}-${index}`;
  const key = (idempotencyKey as string) || name;
  const made = await data.call(this, index, "POST", "/generation/create", { body, headers: { "Idempotency-Key": key } });
  if (!(this.getNodeParameter("wait", index) as boolean)) return { json: made };
  return await withFiles.call(this, index, await ended.call(this, index, made.taskId as string));
}

/** Wait for the end of a task. A task without a result and a timeout are errors. */
async function ended(this: IExecuteFunctions, index: number, id: string): Promise<Task> {
  const until = Date.now() + (this.getNodeParameter("timeoutS", index) as number) * 1000;
  for (;;) {
    const leftS = Math.ceil((until - Date.now()) / 1000);
    const wait = Math.max(0, Math.min(HELD_S, leftS));
    const task = (await data.call(this, index, "GET", `/task/status/${id}`, { qs: { wait } })) as Task;
    if (task.error !== undefined) {
      const message = `${task.error.code}: ${task.error.message}`;
      throw new NodeOperationError(this.getNode(), message, { itemIndex: index });
    }
    if (ENDED.has(task.status)) return task;
    if (leftS <= 0) {
      const message = `${id} has not ended in time. It continues: wait for it by its id.`;
      throw new NodeOperationError(this.getNode(), message, { itemIndex: index });
    }
  }
}

/** Return a task as an item, with its files as binary data if the node is set so. */
async function withFiles(this: IExecuteFunctions, index: number, task: Task): Promise<INodeExecutionData> {
  const files = (task.files ?? []) as unknown as TaskFile[];
  if (!(this.getNodeParameter("download", index, false) as boolean) || files.length === 0) return { json: task };
  const binary: IBinaryKeyData = {};
  for (const [place, file] of files.entries()) {
    // Without the key: the address of a file may be of another host.
    const bytes = (await this.helpers.httpRequest({
      url: file.fileUrl,
      encoding: "arraybuffer",
    })) as ArrayBuffer;
    const name = new URL(file.fileUrl).pathname.split("/").pop();
    binary[place === 0 ? "data" : `data_${place}`] = await this.helpers.prepareBinaryData(
      Buffer.from(bytes),
      name,
      file.contentType,
    );
  }
  return { json: task, binary };
}

/** Return the `data` of a response. */
async function data(
  this: IExecuteFunctions,
  index: number,
  method: IHttpRequestOptions["method"],
  path: string,
  options: Partial<IHttpRequestOptions> = {},
): Promise<IDataObject> {
  return (await ask.call(this, index, method, path, options)).data as IDataObject;
}

async function ask(
  this: IExecuteFunctions,
  index: number,
  method: IHttpRequestOptions["method"],
  path: string,
  options: Partial<IHttpRequestOptions> = {},
): Promise<IDataObject> {
  const { baseUrl } = await this.getCredentials<{ baseUrl: string }>("tollgateApi", index);
  const url = `${baseUrl.replace(/\/+$/, "")}/api/v1${path}`;
  try {
    return (await this.helpers.httpRequestWithAuthentication.call(this, "tollgateApi", {
      method,
      url,
      json: true,
      ...options,
    })) as IDataObject;
  } catch (error) {
    const said = saidBy(error);
    if (said === undefined) throw new NodeApiError(this.getNode(), error as JsonObject, { itemIndex: index });
    // n8n's own message of a status would hide the reason.
    throw new NodeApiError(this.getNode(), { ...said }, {
      message: said.message,
      description: said.code,
      httpCode: String((error as { httpCode?: string }).httpCode ?? ""),
      itemIndex: index,
    });
  }
}

/** Return the service's own words about an error. */
function saidBy(error: unknown): { message: string; code: string } | undefined {
  const { context } = error as { context?: { data?: { error?: { message: string; code: string } } } };
  const said = context?.data?.error;
  return said === undefined ? undefined : { message: said.message, code: said.code };
}
