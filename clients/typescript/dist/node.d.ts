import type { Client } from "./client.js";
import type { RemoteFile } from "./types.js";
/** A local file to put into any media field. */
export declare function fromPath(path: string): Promise<File>;
/** Save a file in a folder, and return its path. If that fails, no file remains. */
export declare function save(client: Client, file: RemoteFile, folder?: string): Promise<string>;
