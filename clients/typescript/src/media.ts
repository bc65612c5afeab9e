// Files of yours inside an input: found, and replaced by the ids of their uploads.

/** A file to upload. In Node, `fromPath` of "tollgate/node" makes one of a path. */
export type LocalFile = Blob | Uint8Array;

const MAX_DEPTH = 6;

function isLocal(value: unknown): value is LocalFile {
  return value instanceof Blob || value instanceof Uint8Array;
}

/** Every local file of an input, each once. */
export function uploadsIn(value: unknown, depth = 0): Set<LocalFile> {
  const found = new Set<LocalFile>();
  if (isLocal(value)) return found.add(value);
  if (typeof value === "object" && value !== null && depth < MAX_DEPTH)
    for (const one of Object.values(value)) for (const file of uploadsIn(one, depth + 1)) found.add(file);
  return found;
}

/** The input with an upload's id in the place of each local file. */
export function withUploads(value: unknown, ids: ReadonlyMap<LocalFile, string>): unknown {
  if (isLocal(value)) return ids.get(value);
  if (Array.isArray(value)) return value.map((one) => withUploads(one, ids));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withUploads(one, ids)]));
  return value;
}
