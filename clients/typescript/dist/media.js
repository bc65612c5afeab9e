// Files of yours inside an input: found, and replaced by the ids of their uploads.
const MAX_DEPTH = 6;
const HEAD_BYTES = 12;
const BY_START = [
    ["\x89PNG", "image/png"],
    ["\xff\xd8\xff", "image/jpeg"],
    ["GIF8", "image/gif"],
    ["\x1a\x45\xdf\xa3", "video/webm"],
    ["ID3", "audio/mpeg"],
    ["\xff\xfb", "audio/mpeg"],
    ["fLaC", "audio/flac"],
    ["OggS", "audio/ogg"],
    ["%PDF", "application/pdf"],
];
const BY_RIFF_FORM = { WEBP: "image/webp", WAVE: "audio/wav" };
const BY_BRAND = {
    "qt  ": "video/quicktime",
    "M4A ": "audio/mp4",
    avif: "image/avif",
    avis: "image/avif",
};
const UNKNOWN_TYPE = "application/octet-stream";
/** A file's type by its first bytes, as the service tells it. */
export async function typeOf(file) {
    const head = String.fromCharCode(...new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()));
    const [start, kind, name] = [head.slice(0, 4), head.slice(4, 8), head.slice(8, 12)];
    if (start === "RIFF")
        return BY_RIFF_FORM[name] ?? UNKNOWN_TYPE;
    if (kind === "ftyp")
        return BY_BRAND[name] ?? "video/mp4";
    return BY_START.find(([bytes]) => head.startsWith(bytes))?.[1] ?? UNKNOWN_TYPE;
}
function isLocal(value) {
    return value instanceof Blob || value instanceof Uint8Array;
}
/** Every local file of an input, each once. */
export function uploadsIn(value, depth = 0) {
    const found = new Set();
    if (isLocal(value))
        return found.add(value);
    if (typeof value === "object" && value !== null && depth < MAX_DEPTH)
        for (const one of Object.values(value))
            for (const file of uploadsIn(one, depth + 1))
                found.add(file);
    return found;
}
/** The input with an upload's id in the place of each local file. */
export function withUploads(value, ids) {
    if (isLocal(value))
        return ids.get(value);
    if (Array.isArray(value))
        return value.map((one) => withUploads(one, ids));
    if (typeof value === "object" && value !== null)
        return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withUploads(one, ids)]));
    return value;
}
