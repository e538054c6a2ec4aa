// Imitates an executor in workerd. A script's input lists the requests that it sends, and its output is what it received.

import { expect } from "vitest";

export const FAKE_EXECUTOR = {
  EXECUTOR_URL: "https://executor.example",
  EXECUTOR_KEY: "the key of an executor of the tests",
};

/** A request of a script. `$NAME` is its variable of this name. */
export interface ScriptRequest {
  url: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** The script that does in an isolate what the imitated executor does. */
export const SENDING_SCRIPT = `const { env, requests } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const all = { ...process.env, ...env };
const fill = (text) => text.replaceAll(/\\$(\\w+)/g, (_, name) => all[name] ?? "");
async function send({ url, method = "GET", headers = {}, body }) {
  const filled = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, fill(text)]));
  const answer = await fetch(fill(url), { method, headers: filled, ...(body === undefined ? {} : { body: fill(body) }) });
  return answer.status + " " + (await answer.text());
}
(async () => {
  const results = [];
  for (const request of requests) results.push(await send(request).catch((error) => String(error.cause?.message ?? error.message)));
  console.log(JSON.stringify(results));
  console.log(process.env.TOKEN);
})();`;

interface Run {
  id: string;
  replies: Map<number, PromiseWithResolvers<FormData>>;
}

const runs = new Map<string, Run>();

/** Answers a request to the executor, or returns `null` if it is for another host. */
export async function fakeExecutor(request: Request): Promise<Response | null> {
  if (!request.url.startsWith(FAKE_EXECUTOR.EXECUTOR_URL)) return null;
  expect(request.headers.get("authorization")).toBe(`Bearer ${FAKE_EXECUTOR.EXECUTOR_KEY}`);
  if (new URL(request.url).pathname === "/v1/executor")
    return Response.json({ protocol: 1, packages: {}, modules: { python: ["numpy"] }, commands: [] });
  const form = await request.formData();
  const [, id, number] = /\/v1\/runs\/([^/]+)\/responses\/(\d+)$/.exec(request.url) ?? [];
  if (id === undefined) return start(JSON.parse(String(form.get("run"))));
  runs.get(id)?.replies.get(Number(number))?.resolve(form);
  return new Response(null, { status: 204 });
}

function start(asked: { input: string; env?: Record<string, string>; network?: { id: string } }): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const write = (text: string) => writer.write(new TextEncoder().encode(text));
  const work = async () => {
    const { env, requests } = JSON.parse(asked.input) as { env: Record<string, string>; requests: ScriptRequest[] };
    const all: Record<string, string> = { ...asked.env, ...env };
    const results =
      asked.network === undefined ? ["no network"] : await sendAll(asked.network.id, requests, all, write);
    const result = new FormData();
    const stdout = `${JSON.stringify(results)}\n`;
    const text = JSON.stringify({ exit_code: 0, stdout, stderr: "", reason: null, left: [] });
    result.set("result", new File([text], "result.json"));
    const packed = new Response(result);
    await write(`${JSON.stringify({ result: { type: packed.headers.get("content-type") } })}\n`);
    await writer.write(new Uint8Array(await packed.arrayBuffer()));
    await writer.close();
  };
  work().catch((error) => writer.abort(error).catch(() => undefined));
  return new Response(readable, { headers: { "content-type": "application/x-skill-run" } });
}

async function sendAll(
  id: string,
  requests: ScriptRequest[],
  variables: Record<string, string>,
  write: (text: string) => Promise<void>,
): Promise<string[]> {
  const run: Run = { id, replies: new Map() };
  runs.set(id, run);
  const fill = (text: string) => text.replaceAll(/\$(\w+)/g, (_, name: string) => variables[name] ?? "");
  const results: string[] = [];
  for (const [index, { url, method = "GET", headers = {}, body }] of requests.entries()) {
    const reply = Promise.withResolvers<FormData>();
    run.replies.set(index, reply);
    const filled = Object.entries(headers).map(([name, text]) => [name, fill(text)]);
    const sent = body === undefined ? null : btoa(fill(body));
    await write(`${JSON.stringify({ request: { id: index, method, url: fill(url), headers: filled, body: sent } })}\n`);
    const form = await reply.promise;
    const head = JSON.parse(String(form.get("response"))) as { status: number; error?: string };
    const answered = form.get("body");
    const text = answered === null || typeof answered === "string" ? "" : await (answered as File).text();
    results.push(head.error ?? `${head.status} ${text}`);
  }
  runs.delete(id);
  return results;
}
