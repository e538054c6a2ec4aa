// All decisions that depend on a path read it as the router does: an encoded letter changes nothing, and no other path matches.

import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { answer } from "../../src/edges";
import { keyFor } from "../support/call";
import { ConsolePage, verdict } from "../support/console";

const ORIGIN = "https://gateway.test";
const SETTINGS = { ALLOWED_ORIGINS: "https://page.test", LOG_REQUESTS: "false" };

/** Paths whose prefix decides something: the edge, the kind of key, the error format, CORS, or the metadata in a 401. */
const PLAIN = [
  "/api/v1/me",
  "/api/v1/keys",
  "/api/v1/skills",
  "/api/v1/users/nobody/export",
  "/api/search",
  "/anthropic/v1/models",
  "/anthropic/v1/skills",
  "/openai/v1/models",
  "/openai/v1/skills",
  "/openai/v1/responses/x",
  "/mcp",
  "/mcp/x",
  "/mcp/servers/x",
  "/metrics",
  "/oauth/token",
  "/oauth/authorize",
  "/register",
  "/health",
  "/.well-known/skills/index.json",
  "/.well-known/agent-skills/index.json",
  "/.well-known/clawhub.json",
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-protected-resource/mcp",
  "/s/own/.well-known/skills/index.json",
  "/s/public/.well-known/skills/index.json",
  "/s/group/x/openai/v1/skills",
  "/s/group/x/anthropic/v1/skills",
  "/t/x/.well-known/skills/index.json",
  "/console/api/session",
  "/console/api/v1/me",
  "/console/api/openai/v1/models",
  "/console/api/openai/v1/skills",
  "/console/api/anthropic/v1/skills",
  "/console/api/metrics",
];

const hex = (char: string) => `%${char.charCodeAt(0).toString(16).padStart(2, "0")}`;
const lastLetter = (path: string) =>
  path.replace(/([a-z])([^a-z]*)$/, (_, letter: string, rest: string) => hex(letter) + rest);

/** Other spellings of the same path. */
const SAME: Record<string, (path: string) => string> = {
  "its first letter encoded": (path) => path.replace(/[a-z]/, hex),
  "its last letter encoded": lastLetter,
  "every letter encoded": (path) => path.replace(/[a-z]/g, hex),
  "in capital digits": (path) => path.replace(/[a-z]/g, (letter) => hex(letter).toUpperCase()),
  "a step into a folder and out of it": (path) => `/x/..${path}`,
  "the same with encoded dots": (path) => `/x/%2e%2E${path}`,
  "a dot for where one is": (path) => path.replace(/\/([^/]*)$/, "/%2e/$1"),
};

/** Paths that look like it and are others: the gateway has nothing there, or something with a parameter. */
const OTHER: Record<string, (path: string) => string> = {
  "letters encoded twice": (path) => path.replace(/[a-z]/g, (letter) => hex(letter).replace("%", "%25")),
  "an encoded slash": (path) => path.replace(/^\/([^/]*)\//, "/$1%2f"),
  "two slashes": (path) => path.replace(/^\/([^/]*)\//, "/$1//"),
  "another case": (path) => path.toUpperCase(),
  "overlong UTF-8": (path) => path.replace(/[a-z]/, (letter) => overlong(letter)),
  "a full-width letter": (path) => path.replace(/[a-z]/, (letter) => encodeURIComponent(wide(letter))),
};

/** Returns an overlong UTF-8 encoding of a letter, which decoders must reject. */
function overlong(letter: string): string {
  const code = letter.charCodeAt(0);
  return [0xc0 | (code >> 6), 0x80 | (code & 0x3f)].map((byte) => `%${byte.toString(16)}`).join("");
}

function wide(letter: string): string {
  return String.fromCharCode(letter.charCodeAt(0) + 0xfee0);
}

/** Behind the last segment. The vendors' APIs of skills must not be reached below the console so either. */
const TAILS = [
  ";",
  ";x",
  ".",
  "..%2f",
  "%2e",
  "%2f",
  "%2F",
  "%00",
  "%20",
  "%5c",
  "%3b",
  "%3f",
  "%23",
  "//",
  "/./",
  "/%2e/",
];

async function ask(path: string, headers: Record<string, string> = {}): Promise<string[]> {
  const execution = createExecutionContext();
  const request = new Request(ORIGIN + path, {
    redirect: "manual",
    headers: { origin: "https://page.test", ...headers },
  });
  const begun = await answer(request, { ...env, ...SETTINGS } as Env, execution);
  const [status, code] = await verdict(begun);
  await waitOnExecutionContext(execution);
  const marks = ["content-type", "access-control-allow-origin", "access-control-expose-headers", "cache-control"];
  const challenge = begun.headers
    .get("www-authenticate")
    ?.replace(/resource_metadata="[^"]*"/, (text) => decodeURIComponent(text));
  return [`${status}`, code ?? "", ...marks.map((name) => begun.headers.get(name) ?? ""), challenge ?? ""];
}

/** Responses for the plain path, without a key and with one, requested once. */
const plain = new Map<string, string[]>();

async function plainAnswer(path: string, headers: Record<string, string>): Promise<string[]> {
  const name = `${path} ${Object.keys(headers).join()}`;
  const known = plain.get(name) ?? (await ask(path, headers));
  plain.set(name, known);
  return known;
}

describe("a path that is spelt in another way", () => {
  it.each(Object.entries(SAME))("is the same one: %s", async (_, spell) => {
    const key = await keyFor("one-path");
    for (const path of PLAIN) {
      for (const sent of [null, `Bearer ${key}`]) {
        const headers: Record<string, string> = sent === null ? {} : { authorization: sent };
        const expected = await plainAnswer(path, headers);
        expect([path, expected[0]]).not.toEqual([path, "503"]);
        expect([spell(path), ...(await ask(spell(path), headers))]).toEqual([spell(path), ...expected]);
      }
    }
  });

  it.each(Object.entries(OTHER))("is another one: %s", async (_, spell) => {
    const key = await keyFor("one-path");
    for (const path of PLAIN) {
      if (spell(path) === path) continue;
      const [status = "", , type = ""] = await ask(spell(path), { authorization: `Bearer ${key}` });
      // Below /console every path that is not the API's is a place in the console, which answers with its page.
      const isPage = status === "200" && type.startsWith("text/html");
      const isRefused = isPage || ["401", "403", "404", "405"].includes(status);
      expect([spell(path), isRefused ? "refused" : status]).toEqual([spell(path), "refused"]);
    }
  });
});

describe("below the console", () => {
  const BASE = "/console/api/openai/v1";

  it("no other spelling reaches the vendors' skills APIs", async () => {
    const page = await new ConsolePage().signIn(await keyFor("one-path"));
    expect((await page.ask("GET", `${BASE}/models`)).status).toBe(200);
    for (const path of [`${BASE}/skills`, `${BASE}/skills/x`]) {
      const spellings = [...Object.values(SAME), ...Object.values(OTHER)].map((spell) => spell(path));
      const tails = TAILS.map((tail) => path + tail);
      for (const asked of [path, ...spellings, ...tails, ...tails.map((tail) => tail.replace("skills", "%73kills"))]) {
        const answered = await page.ask("GET", asked);
        const isPage =
          answered.status === 200 && answered.headers.get("content-type")?.startsWith("text/html") === true;
        expect([asked, isPage ? 404 : answered.status]).toEqual([asked, 404]);
      }
    }
  });

  it("every spelling of the chat endpoint is", async () => {
    const page = await new ConsolePage().signIn(await keyFor("one-path"));
    for (const spell of Object.values(SAME)) {
      const asked = spell(`${BASE}/models`);
      expect([asked, (await page.ask("GET", asked)).status]).toEqual([asked, 200]);
    }
  });
});
