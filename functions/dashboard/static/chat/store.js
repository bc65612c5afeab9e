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

// Returns the store of an account; where the browser keeps nothing (a private window), one that forgets.
export const storeOf = async (account) => {
  const db = await open(`tollgate-chat-${account}`).catch(() => null);
  if (!db) return { all: async () => [], get: async () => undefined, put: async () => {}, drop: async () => {}, clear: async () => {} };
  const table = (mode = "readonly") => db.transaction(TABLE, mode).objectStore(TABLE);
  const all = async () => (await done(table().getAll())).sort((one, other) => other.at - one.at);
  const drop = (id) => done(table("readwrite").delete(id));
  return {
    all,
    get: (id) => done(table().get(id)),
    drop,
    clear: () => done(table("readwrite").clear()),
    put: async (conversation) => {
      await done(table("readwrite").put(conversation));
      for (const old of (await all()).slice(MAX_KEPT)) await drop(old.id);
    },
  };
};
