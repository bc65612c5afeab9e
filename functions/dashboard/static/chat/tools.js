// The functions that a model may call, and the calls in an answer. The chat shows them, and runs none.

export const EXAMPLE = JSON.stringify([
  { type: "function", function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } } },
]);
const NAME = /^[\w-]{1,64}$/;

// The list in a text, or null if it is no JSON list of functions in the form of chat completions.
export const toolsOf = (text) => {
  try {
    const found = JSON.parse(text);
    const isTool = (one) => one?.type === "function" && NAME.test(one.function?.name ?? "");
    return Array.isArray(found) && found.length && found.every(isTool) ? found : null;
  } catch {
    return null;
  }
};

// A call comes in pieces: the first has the name, the others continue the arguments at the same place.
export const addCall = (answer, piece) => {
  answer.calls ??= [];
  const call = (answer.calls[piece.index ?? 0] ??= { name: "", arguments: "" });
  call.name += piece.function?.name ?? "";
  call.arguments += piece.function?.arguments ?? "";
};

export const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text || "{}"), null, 2);
  } catch {
    return text;
  }
};
