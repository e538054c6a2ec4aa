// The page's key: from a link that `npm start` prints, or typed in. It stays in this tab.

const KEY = "skill-gateway-key";
const LOOPBACK = ["127.0.0.1", "localhost"];

export const LINK_ENDED = "A link opens the demo for 12 hours, and npm start prints a new one. Or type a key.";

/**
 * Takes a key out of the address, before anything else happens in the page: it is in no address that is shown, kept or copied after
 * that. Elsewhere than on one's own machine it does not count, since a link of somebody else would begin a chat that they can read.
 * @returns {{ key: string | null, problem: string }}
 */
export function takeKey() {
  const given = new URLSearchParams(location.hash.slice(1)).get("key");
  if (given === null) return { key: sessionStorage.getItem(KEY), problem: "" };
  history.replaceState(null, "", location.pathname + location.search);
  if (LOOPBACK.includes(location.hostname)) return { key: given, problem: "" };
  return {
    key: null,
    problem: "A key in a link counts only for a gateway on one's own machine. Type it, if it is yours.",
  };
}

export const keepKey = (key) => sessionStorage.setItem(KEY, key);

/** Forgets a key that is no good, and without one whatever is kept. */
export function dropKey(key = sessionStorage.getItem(KEY)) {
  if (sessionStorage.getItem(KEY) === key) sessionStorage.removeItem(KEY);
}
