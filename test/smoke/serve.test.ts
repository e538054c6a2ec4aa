// `npm run serve`: the production build on a machine of its own.

import { once } from "node:events";
import { readdir, readFile, readlink, stat, writeFile } from "node:fs/promises";
import { type IncomingHttpHeaders, request as sendRequest } from "node:http";
import path from "node:path";
import { expect, it } from "vitest";
import { say as asUser, chat, startVendor, storeModel } from "./chat/vendor";
import { run as runScript } from "./commands";
import { emptyPlace, type Gateway, initServed, kill, newPlace, readyServed, serve, until } from "./launcher";

const ORIGIN = "https://skills.example.org";

/** Sends a request with a raw path and any headers, which `fetch` does not allow. */
async function raw(gateway: Gateway, target: string, headers: Record<string, string> = {}, method = "GET", body = "") {
  const { hostname, port } = new URL(gateway.url);
  const sent = sendRequest({ hostname, port, path: target, method, headers });
  sent.end(body);
  const [response] = await once(sent, "response");
  response.resume();
  await once(response, "end");
  return { status: response.statusCode as number, headers: response.headers as IncomingHttpHeaders };
}

it("does not start without its settings, and --init creates them once", async () => {
  const place = await emptyPlace();
  const options = ["--state", place.state, "--origin", ORIGIN];
  const missing = await runScript("serve", options);
  expect(missing).toMatchObject({ code: 1, stdout: "" });
  expect(missing.stderr.trim().split("\n")).toEqual([
    expect.stringMatching(/^\S+gateway\.env does not exist\. Create it with: npm run serve -- --state \S+ --init$/),
  ]);

  expect(await initServed(place)).toMatch(/^sgw_/);
  const file = path.join(place.state, "gateway.env");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const again = await runScript("serve", ["--state", place.state, "--init"]);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("exists already. It was not changed.") });

  for (const [origin, problem] of [
    ["http://skills.example.org", "is not an https address without a path"],
    ["https://skills.example.org/gateway", "is not an https address without a path"],
    ["skills.example.org", "is not an https address without a path"],
  ] as const)
    expect(await runScript("serve", ["--state", place.state, "--origin", origin])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(problem),
    });
  await writeFile(file, "", { mode: 0o644 });
  expect(await runScript("serve", options)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("gateway.env has no GATEWAY_ADMIN_KEY and no SECRETS_KEY. Add a value."),
  });
});

it("serves as a deployment does, and its log has no key and no link", async () => {
  const place = await emptyPlace();
  const key = await initServed(place);
  const run = serve(place);
  const gateway = await readyServed(run, key);

  expect(await (await gateway.fetch("/health/live")).json()).toMatchObject({ status: "ok" });
  expect(await (await gateway.fetch("/health")).json()).toMatchObject({ status: "ok", checks: { rates: "ok" } });
  // Links and cookies are those of the origin, whatever address the request was sent to.
  const json = { "content-type": "application/json" };
  const page = { origin: ORIGIN, "sec-fetch-site": "same-origin", "x-skillgate-console": "1" };
  const session = await raw(gateway, "/console/api/session", { ...json, ...page }, "POST", JSON.stringify({ key }));
  expect(session).toMatchObject({
    status: 201,
    headers: { "set-cookie": [expect.stringMatching(/^__Host-skillgate_console=.*; Secure; SameSite=Strict$/)] },
  });
  const link = await gateway.fetch("/api/v1/sign-ins", { method: "POST", headers: json, body: '{"user_id":"alice"}' });
  expect(await link.json()).toMatchObject({ url: expect.stringMatching(/^https:\/\/skills\.example\.org\//) });
  // No demo model, and no http or private addresses.
  expect(await (await gateway.fetch("/openai/v1/models")).json()).toMatchObject({ data: [] });
  for (const url of [
    "http://127.0.0.1:1/mcp",
    "https://127.0.0.1/mcp",
    "http://mcp.example.com/mcp",
    "https://localhost/mcp",
  ]) {
    const body = JSON.stringify({ url });
    await gateway.fetch("/api/v1/mcp-servers/inner", { method: "PUT", headers: json, body });
    const tried = await gateway.fetch("/api/v1/mcp-servers/inner/test", { method: "POST" });
    expect([url, await tried.json()]).toMatchObject([
      url,
      { reachable: false, error: expect.stringContaining("is not allowed") },
    ]);
  }

  // The state folder is not among the files.
  for (const target of [
    "/../gateway.env",
    "/..%2fgateway.env",
    "/%2e%2e/gateway.env",
    "//gateway.env",
    "/v3/",
    "/gateway.lock",
  ])
    expect([target, (await raw(gateway, target)).status]).toEqual([target, 404]);
  expect(await raw(gateway, "/health", { host: "evil.example" })).toMatchObject({ status: 421 });
  expect(await raw(gateway, "http://evil.example/health")).toMatchObject({ status: 400 });

  // Other programs of this machine cannot get past the server.
  const { runtime } = await run.lock();
  const inner = await until("the Worker's socket", async () => {
    const ports = await portsOf(runtime.pid);
    return ports.length > 0 && ports;
  });
  for (const port of inner) {
    const headers = {
      authorization: `Bearer ${key}`,
      "mf-cf-blob": '{"front":"guess"}',
      "cf-connecting-ip": "6.6.6.6",
    };
    const past = raw({ ...gateway, url: `http://127.0.0.1:${port}` }, `${ORIGIN}/api/v1/me`, headers);
    // Not every socket of workerd speaks HTTP.
    const status = await past.then((answer) => answer.status).catch((error: Error) => error.message);
    expect([403, "socket hang up"]).toContain(status);
  }

  // Invented addresses are not counted: 30 wrong keys per minute, whatever the header contains.
  const statuses: number[] = [];
  for (let n = 0; n < 40; n++) {
    const headers = {
      authorization: "Bearer sgw_wrong",
      "x-forwarded-for": `198.51.100.${n}`,
      "cf-connecting-ip": `6.6.6.${n}`,
    };
    statuses.push((await raw(gateway, "/api/v1/me", headers)).status);
  }
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);

  // A second process is refused.
  const second = await runScript("serve", ["--state", place.state, "--origin", ORIGIN, "--port", "0"]);
  expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining("A gateway is already running on") });

  await run.stop();
  expect(await run.exit).toBe(0);
  for (const line of run.stdout)
    expect(JSON.parse(line)).toMatchObject({ at: expect.any(String), event: expect.any(String) });
  const log = [...run.stdout, ...run.stderr].join("\n");
  expect(log).not.toContain(key);
  expect(log).not.toMatch(/https:\/\/skills\.example\.org\/\w/);
  expect(log).toContain("set TRUSTED_PROXIES");
});

it("behind a trusted proxy it counts clients, and reaches a model on this machine that the operator allows", async () => {
  const place = await newPlace();
  const key = await initServed(place);
  const vendor = await startVendor();
  try {
    const env = { TRUSTED_PROXIES: "127.0.0.1", MODEL_HOSTS: new URL(vendor.url).origin };
    const run = serve(place, { env });
    const gateway = await readyServed(run, key);
    const wrong = { authorization: "Bearer sgw_wrong" };
    for (let n = 0; n < 40; n++)
      expect((await raw(gateway, "/api/v1/me", { ...wrong, "x-forwarded-for": `198.51.100.${n}` })).status).toBe(401);
    expect(await raw(gateway, "/console", { "x-forwarded-proto": "http" })).toMatchObject({
      status: 308,
      headers: { location: `${ORIGIN}/console` },
    });

    // A stop: an answer ends with an event, a socket with a closing frame, and nothing is left.
    await storeModel(gateway, vendor, "gateway");
    const begun = chat(gateway, [asUser("hello")], { stream: true });
    (await vendor.asked()).say("Hel");
    const answer = await begun;
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toContain("data:");
    const json = { "content-type": "application/json" };
    await gateway.fetch("/api/v1/conversations", { method: "POST", headers: json, body: '{"id":"c"}' });
    const tickets = await gateway.fetch("/api/v1/conversations/c/tickets", {
      method: "POST",
      headers: json,
      body: "{}",
    });
    const { ticket, url } = (await tickets.json()) as { ticket: string; url: string };
    expect(url).toBe("wss://skills.example.org/api/v1/conversations/c/socket");
    const socket = new WebSocket(`${gateway.url.replace("http", "ws")}${new URL(url).pathname}`, [
      "skill-gateway.v1",
      `ticket.${ticket}`,
    ]);
    const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener("close", resolve));
    await new Promise((resolve) => socket.addEventListener("open", resolve));

    run.process.kill("SIGTERM");
    const { code, reason } = await closed;
    expect({ code, reason }).toEqual({ code: 1012, reason: "The gateway is stopping. Try again." });
    let rest = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) rest += part.value;
    expect(rest).toMatch(/event: error\ndata: \{.*"code":"GATEWAY_STOPPING".*\}\n\n$/);
    expect(await run.exit).toBe(0);
    expect(run.stdout.at(-1)).toContain('"event":"stopped"');
  } finally {
    vendor.close();
  }
});

it("a signal while the built-in skills are published ends it without an error", async () => {
  const place = await emptyPlace();
  await initServed(place);
  const run = serve(place);
  await run.line(/"route":"\/api\/v1\/kinds\/skills\/public\/list"/);
  run.process.kill("SIGTERM");
  expect(await run.exit).toBe(0);
  expect([...run.stdout, ...run.stderr].join("\n")).not.toMatch(/Error/);
});

it("answers 503 while workerd is replaced, and then works again", async () => {
  const place = await newPlace();
  const run = serve(place, { env: { GATEWAY_ADMIN_KEY: `sgw_${"a".repeat(64)}`, SECRETS_KEY: btoa("k".repeat(32)) } });
  const gateway = await readyServed(run, `sgw_${"a".repeat(64)}`);
  kill((await run.lock()).runtime.pid);
  const statuses = new Set<number>();
  await until("it answers again", async () => {
    const { status } = await gateway.fetch("/api/v1/me");
    statuses.add(status);
    return status === 200 && statuses.has(503);
  });
  expect([...statuses].sort()).toEqual([200, 503]);
});

/** The ports of this machine on which a process listens. Linux only, as in the launcher. */
async function portsOf(pid: number): Promise<number[]> {
  const names = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => "")));
  const sockets = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
  const rows = (await readFile("/proc/net/tcp", "utf8")).split("\n").map((row) => row.trim().split(/\s+/));
  return rows
    .filter((row) => row[3] === "0A" && sockets.has(row[9] ?? ""))
    .map((row) => Number.parseInt(row[1]!.split(":")[1]!, 16));
}
