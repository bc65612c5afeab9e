// The conversations of an account, kept in this browser alone (IndexedDB): images are too large for localStorage.

const MAX_KEPT = 100;
const TABLE = "conversations";

const open = (name) =>
  new Promise((resolve, reject) => {
    const asked = indexedDB.open(name, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(TABLE, { keyPath: "id" });
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });

const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const aboutOf = ({ id, title, at, turns }) => {
  const said = turns.flatMap((turn) => [turn.text, ...turn.answers.map((answer) => answer.text)]);
  return { id, title, at, words: [title, ...said].join(" ").toLowerCase() };
};

// One after the other: all of them with their images at once may be too large.
const readAll = (table) =>
  new Promise((resolve, reject) => {
    const found = new Map();
    const asked = table.openCursor();
    asked.onerror = () => reject(asked.error);
    asked.onsuccess = () => {
      if (!asked.result) return resolve(found);
      found.set(asked.result.value.id, aboutOf(asked.result.value));
      asked.result.continue();
    };
  });

// Returns the store of an account. If the browser keeps nothing (a private window), it forgets with the page.
export const storeOf = async (account) => {
  const db = await open(`tollgate-chat-${account}`).catch(() => null);
  if (!db) return { find: async () => [], get: async () => undefined, put: async () => {}, drop: async () => {}, clear: async () => {} };
  const table = (mode = "readonly") => db.transaction(TABLE, mode).objectStore(TABLE);
  const reading = readAll(table());
  const newestFirst = async () => [...(await reading).values()].sort((one, other) => other.at - one.at);
  const drop = async (id) => {
    (await reading).delete(id);
    await done(table("readwrite").delete(id));
  };
  return {
    // What is known about the conversations with all words in their titles or messages: `{id, title, at}`.
    find: async (text) => {
      const words = text.toLowerCase().split(/\s+/).filter(Boolean);
      return (await newestFirst()).filter((one) => words.every((word) => one.words.includes(word)));
    },
    get: (id) => done(table().get(id)),
    drop,
    clear: async () => {
      (await reading).clear();
      await done(table("readwrite").clear());
    },
    put: async (conversation) => {
      await done(table("readwrite").put(conversation));
      (await reading).set(conversation.id, aboutOf(conversation));
      for (const old of (await newestFirst()).slice(MAX_KEPT)) await drop(old.id);
    },
  };
};
