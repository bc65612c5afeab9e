// Webhooks: is an event Tollgate's, and what does it say? (Standard Webhooks, https://www.standardwebhooks.com)
import { SignatureError } from "./errors.js";
/** How old or how early an event may be: replays end here. */
const TOLERANCE_S = 300;
/**
 * The event of a request to your webhook URL. `body` is the request body as it came, `secret` what the
 * dashboard shows (`whsec_…`; two while one is rotated). Throws `SignatureError`.
 */
export async function verifyWebhook(body, headers, secret, nowS = Date.now() / 1000) {
    const header = (name) => {
        if (headers instanceof Headers)
            return headers.get(name) ?? "";
        const found = Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1];
        return (Array.isArray(found) ? found[0] : found) ?? "";
    };
    const id = header("webhook-id");
    const sentAt = header("webhook-timestamp");
    if (!id || !/^\d+$/.test(sentAt))
        throw new SignatureError("the webhook-id or webhook-timestamp header is missing or odd");
    if (Math.abs(nowS - Number(sentAt)) > TOLERANCE_S)
        throw new SignatureError("the webhook was signed too long ago");
    const signed = new TextEncoder().encode(`${id}.${sentAt}.${body}`);
    const given = header("webhook-signature")
        .split(" ")
        .filter((one) => one.startsWith("v1,"))
        .map((one) => bytesOf(one.slice("v1,".length)));
    for (const one of typeof secret === "string" ? [secret] : secret) {
        const raw = bytesOf(one.replace(/^whsec_/, ""));
        if (raw === null)
            throw new SignatureError("the secret is no whsec_… secret");
        const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
        for (const signature of given) {
            // Compares in constant time.
            if (signature !== null && (await crypto.subtle.verify("HMAC", key, signature, signed)))
                return { id, ...JSON.parse(body) };
        }
    }
    throw new SignatureError("no signature of the webhook fits");
}
function bytesOf(base64) {
    try {
        return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    }
    catch {
        return null;
    }
}
