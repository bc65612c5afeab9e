// What only Node has: files on disk.
import { openAsBlob } from "node:fs";
import { writeFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
const TYPES = {
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
export async function fromPath(path) {
    const type = TYPES[extname(path).toLowerCase()] ?? "application/octet-stream";
    return new File([await openAsBlob(path)], basename(path), { type });
}
/** Save a file in a folder; where it is. */
export async function save(client, file, folder = ".") {
    const path = join(folder, basename(new URL(file.fileUrl).pathname));
    await writeFile(path, await client.download(file));
    return path;
}
