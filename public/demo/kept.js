// What a reload brings back: the thread, and what the page shows of it. It stays in this tab, and a chat back end would have a database.

const PREFIX = "skill-gateway-chat:";
/** Raise it with every change of what is kept: a tab may be open over an upgrade, and what an older page kept is not read. */
const SHAPE = 1;

/** @returns {{ shown: object[], requests: import("./backend.js").Seen[], model: Record<string, string>, chat: import("./backend.js").Kept } | null} */
export function recall(conversation) {
  const { shape, ...kept } = JSON.parse(sessionStorage.getItem(PREFIX + conversation)) ?? {};
  return shape === SHAPE ? kept : null;
}

/** Says whether there was room. */
export function remember(conversation, kept) {
  try {
    sessionStorage.setItem(PREFIX + conversation, JSON.stringify({ shape: SHAPE, ...kept }));
    return true;
  } catch (error) {
    if (error.name !== "QuotaExceededError") throw error;
    return false;
  }
}

export function forgetAll() {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(PREFIX)) sessionStorage.removeItem(name);
}
