// The browser of a user who connects an MCP server, for scripts.

/**
 * Opens a link of `connect`, signs in to the gateway with the user's key, and follows the redirects through the issuer, which must not ask
 * anything.
 * @param {string} link
 * @param {string} key
 * @returns {Promise<string>} status and heading of the last page: `200 Connected` if it succeeds
 */
export async function followConnectLink(link, key) {
  const cookies = new Map();
  const send = async (url, init = {}) => {
    const headers = { cookie: [...cookies].map((pair) => pair.join("=")).join("; "), ...init.headers };
    const answer = await fetch(url, { redirect: "manual", ...init, headers });
    for (const set of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    return answer;
  };
  await (await send(link)).text();
  const { origin } = new URL(link);
  const signedIn = await send(link, {
    method: "POST",
    body: new URLSearchParams({ how: "key", key }),
    headers: { origin, "sec-fetch-site": "same-origin" },
  });
  const authorize = signedIn.headers.get("location");
  if (authorize === null) return `${signedIn.status} ${await signedIn.text()}`;
  const back = await fetch(authorize, { redirect: "manual" });
  const callback = back.headers.get("location");
  if (callback === null) return `${back.status} of the issuer`;
  const page = await send(callback);
  return `${page.status} ${/<h1>(.*?)<\/h1>/.exec(await page.text())?.[1]}`;
}
