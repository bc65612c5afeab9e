// What the service answers.

/** A file that a task made: `fileUrl` opens anywhere. */
export interface RemoteFile {
  fileUrl: string;
  fileType: "image" | "video" | "audio" | "3d" | (string & {});
  contentType?: string;
  bytes?: number;
  sha256?: string;
}

export type Status = "not_started" | "running" | "finished" | "failed" | "expired";

/** A task as it was when the service was asked. */
export interface TaskStatus {
  taskId: string;
  status: Status;
  model?: string;
  /** 0–100, where the provider tells. */
  progress?: number;
  costCents?: number;
  refundedCents?: number;
  files?: RemoteFile[];
  output?: Record<string, unknown>;
  error?: { code: string; message: string };
  metadata?: Record<string, unknown>;
  createdAt?: string;
  /** The same as `createdAt`. */
  createdTime?: string;
  finishedAt?: string;
  expiresAt?: string;
  /** When its customer had the files deleted. */
  filesDeletedAt?: string;
  /** The addresses of its files are valid for an hour. */
  private?: boolean;
  /** Seconds after which it is worth asking again. */
  pollAfterS?: number;
}

/** What a create would charge, in cents. */
export interface Estimate {
  model: string;
  price: number;
  currency: "USD";
  breakdown: Array<Record<string, unknown>>;
  priceVersion: string;
}

/** A file of yours that the service keeps for a while; `id` (`file_…`) goes into any media field. */
export interface Upload {
  id: string;
  url?: string;
  expiresAt?: string;
}

/** One input field of a model. */
export interface Param {
  name: string;
  label: string;
  description?: string;
  kind: "string" | "number" | "boolean" | "object";
  isArray: boolean;
  required: boolean;
  isMedia: boolean;
  options?: Array<{ value: string | number; label: string }>;
}

/** One model of the catalog. */
export interface Model {
  id: string;
  name: string;
  description: string;
  type: string;
  kind: "media" | "llm";
  vendor: string;
  capabilities: string[];
  pricing: Array<{ key: string; price: string; isDefault: boolean; dimensions?: Record<string, string> }>;
  priceFrom: string;
  priceUnit: string;
  params: Param[];
  protocols: string[];
}

/** How a task that is waited for is doing. */
export interface Progress {
  task: TaskStatus;
  elapsedS: number;
}

/** One message of a chat, in OpenAI's form. */
export interface ChatMessage {
  role: string;
  content: unknown;
  [more: string]: unknown;
}

/** A text answer, and what it cost where the service said so. */
export interface Chat {
  text: string;
  usage: Record<string, unknown> | null;
  costMicroUsd: number | null;
  data: Record<string, unknown>;
}

/** A step of a new workflow. The documentation of workflows describes each field. */
export interface WorkflowStep {
  id: string;
  model: string;
  input: Record<string, unknown>;
  dependsOn?: string[];
  provider?: Record<string, unknown>;
  private?: boolean;
  expiresInS?: number;
  finishByS?: number;
  metadata?: Record<string, unknown>;
}

/** A step of a workflow. A chat has its answer in `text`, a generation has `files`. */
export interface WorkflowStepStatus {
  id: string;
  kind: "media" | "chat";
  model: string;
  status: "not_started" | "running" | "finished" | "failed" | "skipped";
  priceMicroUsd: number;
  isExact: boolean;
  costMicroUsd: number;
  refundedMicroUsd: number;
  taskId?: string;
  requestId?: string;
  files?: RemoteFile[];
  filesDeletedAt?: string;
  private?: boolean;
  text?: string;
  isCut?: boolean;
  error?: { code: string; message: string };
  startedAt?: string;
  endedAt?: string;
}

/** A workflow at the time of the request, with its steps in the order of the create. */
export interface WorkflowStatus {
  id: string;
  status: "running" | "finished" | "failed";
  name?: string;
  createdAt: string;
  finishedAt?: string;
  totalMicroUsd: number;
  costMicroUsd: number;
  isCancelled: boolean;
  steps: WorkflowStepStatus[];
}

/** The amount that a workflow would reserve. */
export interface WorkflowEstimate {
  totalCents: number;
  totalMicroUsd: number;
  steps: Array<{ id: string; model: string; priceMicroUsd: number; isExact: boolean }>;
}

/** A batch at the time of the request, in OpenAI's shape. */
export interface BatchStatus {
  id: string;
  status: "validating" | "failed" | "in_progress" | "finalizing" | "completed" | "expired" | "cancelling" | "cancelled";
  endpoint: string;
  input_file_id: string;
  output_file_id: string | null;
  error_file_id: string | null;
  request_counts: { total: number; completed: number; failed: number };
  errors: { data: Array<{ code: string; message: string; line: number | null }> } | null;
  metadata: Record<string, string> | null;
  created_at: number;
  expires_at: number;
}

/** The result of one request of a batch: its `body` with an HTTP `status`, or an `error`. */
export interface BatchResult {
  customId: string;
  status: number | null;
  body: unknown;
  error: { code: string; message: string } | null;
}
