/** A file to upload. In Node, `fromPath` of "tollgate-client/node" makes one of a path. */
export type LocalFile = Blob | Uint8Array;
/** A file's type by its first bytes, as the service tells it. */
export declare function typeOf(file: Blob): Promise<string>;
/** Every local file of an input, each once. */
export declare function uploadsIn(value: unknown, depth?: number): Set<LocalFile>;
/** The input with an upload's id in the place of each local file. */
export declare function withUploads(value: unknown, ids: ReadonlyMap<LocalFile, string>): unknown;
