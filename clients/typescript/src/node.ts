// What only Node has: files on disk.
import { openAsBlob } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { BrokenStreamError, reasonOf } from "./errors.js";
import type { Client } from "./client.js";
import type { RemoteFile } from "./types.js";

const TYPES: Record<string, string> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".webp": "image/webp",
  ".gif": "image/gif",
  ".avif": "image/avif",
  ".mp4": "video/mp4",
  ".mov": "video/quicktime",
  ".webm": "video/webm",
  ".mp3": "audio/mpeg",
  ".m4a": "audio/mp4",
  ".wav": "audio/wav",
  ".flac": "audio/flac",
  ".ogg": "audio/ogg",
  ".pdf": "application/pdf",
};

/** A local file to put into any media field. */
export async function fromPath(path: string): Promise<File> {
  const type = TYPES[extname(path).toLowerCase()] ?? "application/octet-stream";
  return new File([await openAsBlob(path)], basename(path), { type });
}

/** Save a file in a folder, and return its path. If that fails, no file remains. */
export async function save(client: Client, file: RemoteFile, folder = "."): Promise<string> {
  const path = join(folder, basename(new URL(file.fileUrl).pathname));
  const part = `${path}.part`;
  try {
    await writeFile(part, Readable.fromWeb((await client.open(file)) as ReadableStream));
    await rename(part, path);
  } catch (cause) {
    await rm(part, { force: true });
    throw cause instanceof TypeError ? new BrokenStreamError(`${path}: ${reasonOf(cause)}`, { cause }) : cause;
  }
  return path;
}
