// Checks the key of a request to the executor and selects the container of its session.

/** The container that is only asked what it has. */
const ABOUT = "about";
const SESSION = /^[\w-]{16,128}$/;

/**
 * @param {Request} request
 * @param {{ key: string | undefined, get: (name: string) => { fetch: (request: Request) => Promise<Response> } }} options `get`: returns the
 * container with a name. Each session has its own, so users and conversations share none.
 */
export async function routeToContainer(request, { key, get }) {
  if (key === undefined || !(await isEqual(request.headers.get("authorization") ?? "", `Bearer ${key}`)))
    return refusal(401, "UNAUTHORIZED", "The key is wrong. Set EXECUTOR_KEY.");
  const { pathname } = new URL(request.url);
  if (request.method === "GET" && pathname === "/v1/executor") return get(ABOUT).fetch(request);
  if (request.method !== "POST" || !/^\/v1\/runs(?:\/|$)/.test(pathname))
    return refusal(404, "NOT_FOUND", "Path not found. See docs/executor.md.");
  const session = request.headers.get("executor-session") ?? "";
  if (!SESSION.test(session))
    return refusal(422, "INVALID_RUN", "The header 'Executor-Session' is missing or invalid. See docs/executor.md.");
  return get(`session-${session}`).fetch(request);
}

/** Compares digests, so that the time does not depend on the position of the first difference. */
async function isEqual(given, expected) {
  const digest = async (text) => new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  const [one, two] = await Promise.all([digest(given), digest(expected)]);
  return one.reduce((difference, byte, at) => difference | (byte ^ two[at]), 0) === 0;
}

const refusal = (status, code, message) => Response.json({ error: { code, message } }, { status });
