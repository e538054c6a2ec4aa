// Serves the executor protocol of docs/executor.md over HTTP, with runs confined by bubblewrap.

import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { availableParallelism } from "node:os";
import { FOLDERS, interpreterOf, NOBODY, probe, probeStart, runConfined } from "./bubblewrap.mjs";
import { Exchange } from "./exchange.mjs";
import { Installing, Layers, NotInstalled } from "./packages.mjs";
import { openProxy } from "./proxy.mjs";

const MiB = 1024 * 1024;
const BODY_BYTES = 32 * MiB;
const FILES = 5_000;
const WAITING = 16;
/** Milliseconds. */
const MOST_MS = 300_000;
const OUT = { files: 40, fileBytes: 8 * MiB, bytes: 16 * MiB };

/** Milliseconds for reading which packages and programs exist. */
const DESCRIBE_MS = 60_000;

/** Lists the packages of the machine's Python, and the modules that can be imported. */
const LIST_PACKAGES = `
import importlib.metadata, json, pkgutil, sys
packages = {one.metadata["Name"]: one.version for one in importlib.metadata.distributions() if one.metadata["Name"]}
modules = {one.name for one in pkgutil.iter_modules()} | set(sys.builtin_module_names)
print(json.dumps({"packages": packages, "modules": sorted(modules)}))
`;

/** Lists the programs of the machine. */
const LIST_COMMANDS = "IFS=:; for folder in $PATH; do ls $folder; done 2>/dev/null | sort -u";

/** The id of a run with a network, and the route for the response to one of its requests. */
const RUN_ID = /^[\w-]{16,64}$/;
const REPLY = /^POST \/v1\/runs\/([\w-]{16,64})\/responses\/(\d{1,9})$/;

/** An answer other than a result. */
class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * Starts the server. Throws with the reason if runs cannot be confined here: a script never runs unconfined.
 * @param {{ port?: number, host?: string, key: string, parallel?: number, layers?: Layers, checksFirst?: "all" | "start" | "none" }} options `layers`:
 * installs packages; if absent, nothing is installed. `checksFirst`: what is checked before the server listens. With `start` only that
 * bubblewrap starts. The first request waits for the rest, and is refused if runs cannot be confined
 * @returns {Promise<{ url: string, prepare: () => Promise<void>, close: () => Promise<void> }>} `prepare`: does now what the first request
 * needs, and throws if runs cannot be confined
 */
export async function serveExecutor({
  port = 0,
  host = "127.0.0.1",
  key,
  parallel = Math.max(1, availableParallelism()),
  layers = new Layers({ mode: "off", folder: "" }),
  checksFirst = "all",
}) {
  if (key.length < 20) throw new Error("The key of the executor is too short (at least 20 characters).");
  const closed = new AbortController();
  if (checksFirst === "start") throwUnlessOk(await probeStart());
  const confinement = new Once(async () => throwUnlessOk(await probe(closed.signal)));
  const about = new Once(() => describe(closed.signal));
  const places = new Places(parallel);
  /** The runs with a network, by the id that the gateway gave them. */
  const exchanges = new Map();
  if (checksFirst === "all") await confinement.get();
  const handle = async (request, response) => {
    if (!hasKey(request.headers.authorization, key))
      throw new Refusal(401, "UNAUTHORIZED", "The key is wrong. Set EXECUTOR_KEY.");
    const route = `${request.method} ${request.url}`;
    const isRun = route === "POST /v1/runs";
    const reply = REPLY.exec(route);
    if (reply !== null) return takeReply(request, response, exchanges.get(reply[1]), Number(reply[2]));
    if (!isRun && route !== "GET /v1/executor")
      throw new Refusal(404, "NOT_FOUND", "Path not found. See docs/executor.md.");
    await confinement.get().catch((error) => {
      throw new Refusal(503, "EXECUTOR_UNAVAILABLE", error.message);
    });
    if (isRun) return run(request, response, { places, layers, exchanges });
    json(response, 200, { ...(await about.get()), install: layers.mode, layers: await layers.list() });
  };
  const server = createServer((request, response) => {
    handle(request, response).catch((error) => {
      const refusal =
        error instanceof Refusal ? error : new Refusal(500, "EXECUTOR_FAILED", `The executor failed: ${error.message}`);
      if (response.headersSent || response.destroyed) return response.destroy();
      json(response, refusal.status, { error: { code: refusal.code, message: refusal.message } });
    });
  });
  server.listen(port, host);
  await once(server, "listening");
  return {
    url: `http://${host}:${server.address().port}`,
    prepare: async () => {
      await confinement.get();
      await about.get();
    },
    close: async () => {
      closed.abort();
      places.close();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function throwUnlessOk(probed) {
  if (!probed.ok) throw new Error(`Scripts cannot be confined here: ${probed.problem}. ${probed.fix}`);
}

/** Computes a value at the first use. After a failure the next use tries again. */
class Once {
  #compute;
  #value = null;

  constructor(compute) {
    this.#compute = compute;
  }

  async get() {
    this.#value ??= this.#compute();
    try {
      return await this.#value;
    } catch (error) {
      this.#value = null;
      throw error;
    }
  }
}

function hasKey(header, key) {
  const digest = (text) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(header ?? ""), digest(`Bearer ${key}`));
}

function json(response, status, value) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

async function describe(signal) {
  const [python, commands] = await Promise.all([
    runConfined({ command: interpreterOf("python"), args: ["-c", LIST_PACKAGES], ms: DESCRIBE_MS, signal }),
    runConfined({ command: interpreterOf("shell"), args: ["-c", LIST_COMMANDS], ms: DESCRIBE_MS, signal }),
  ]);
  const { packages, modules } = python.exit === 0 ? JSON.parse(python.stdout) : { packages: {}, modules: [] };
  return {
    protocol: 1,
    name: "bubblewrap",
    languages: ["python", "javascript", "shell"].filter((one) => one !== "python" || python.exit === 0),
    packages: { python: packages },
    modules: { python: modules },
    commands: commands.stdout.split("\n").filter((name) => name !== ""),
    network: true,
  };
}

async function run(request, response, { places, layers, exchanges }) {
  const { asked, files } = await readRun(request);
  // A shell script has requirements if it calls a Python script that has some.
  const needsPackages = asked.language === "python" || (asked.language === "shell" && asked.requirements.length > 0);
  const layer = needsPackages ? await packagesFor(asked, files, layers) : null;
  try {
    await runWith(response, { places, exchanges }, { asked, files, packages: layer?.folder ?? null });
  } finally {
    layer?.release();
  }
}

/** Receives the response to a request of a run. The request or its run can have ended meanwhile. */
async function takeReply(request, response, exchange, id) {
  const form = await readForm(request);
  const head = jsonOf(form.get("response"));
  const body = form.get("body");
  if (exchange === undefined) throw new Refusal(404, "RUN_NOT_FOUND", "The run has ended.");
  const bytes = body === null || typeof body === "string" ? Buffer.alloc(0) : Buffer.from(await body.arrayBuffer());
  if (!exchange.take(id, head, bytes)) throw invalid("The response has no 'status' or 'error'");
  response.writeHead(204);
  response.end();
}

/** Returns the packages that a run asks for, which are installed if they are not yet. */
async function packagesFor({ path, requirements }, files, layers) {
  try {
    return await layers.take({ path, files, requirements });
  } catch (error) {
    if (error instanceof Installing)
      throw new Refusal(429, "PACKAGES_INSTALLING", `${error.message} Try again in a moment.`);
    if (error instanceof NotInstalled)
      throw new Refusal(
        422,
        "PACKAGES_NOT_INSTALLED",
        `The packages of the skill could not be installed: ${error.message}`,
      );
    throw error;
  }
}

async function runWith(response, { places, exchanges }, { asked, files, packages }) {
  const ended = new AbortController();
  response.on("close", () => ended.abort());
  const leave = await places.take(ended.signal);
  if (leave === null) return;
  let proxy = null;
  const exchange = asked.network === undefined ? null : new Exchange(response);
  try {
    const command = commandOf(asked);
    if (exchange !== null) {
      if (exchanges.has(asked.network.id)) throw invalid("'network' has the id of another run");
      exchanges.set(asked.network.id, exchange);
      proxy = await openProxy({
        send: (each) => exchange.send(each),
        owner: process.getuid?.() === 0 ? NOBODY : null,
      });
    }
    const given = new Map(files.map((file) => [file.path, file.bytes]));
    const result = await runConfined({
      ...{ command, args: asked.args, input: asked.input, files, cwd: asked.cwd, env: asked.env },
      ...{ packages, network: proxy?.folder ?? null, ms: asked.ms, signal: ended.signal },
    });
    exchange?.end();
    if (!response.destroyed) await answer(response, result, given, exchange);
  } finally {
    leave();
    if (exchange !== null && exchanges.get(asked.network.id) === exchange) exchanges.delete(asked.network.id);
    await proxy?.close();
  }
}

function commandOf({ language, path }) {
  const interpreter = interpreterOf(language);
  if (interpreter === null) throw new Refusal(422, "LANGUAGE_UNSUPPORTED", `Language '${language}' does not run here.`);
  return [...interpreter, path];
}

/** Reads a body of parts. */
async function readForm(request) {
  const length = Number(request.headers["content-length"] ?? 0);
  if (length > BODY_BYTES) throw tooLarge();
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  const headers = { "content-type": request.headers["content-type"] ?? "" };
  return new Response(Buffer.concat(chunks), { headers }).formData().catch(() => {
    throw invalid("The body is not multipart/form-data");
  });
}

function jsonOf(part) {
  try {
    return JSON.parse(String(part));
  } catch {
    throw invalid("A part of the body is not JSON");
  }
}

/** Reads the parts of a request: `run` (JSON), and a file for each further part. */
async function readRun(request) {
  const form = await readForm(request);
  const asked = jsonOf(form.get("run"));
  const text = (value) => typeof value === "string" && !value.includes("\0");
  const {
    language,
    path,
    args = [],
    input = "",
    env = {},
    cwd = "/workspace",
    requirements = [],
    network,
    ms,
  } = Object(asked);
  if (!text(language) || !text(path) || !isInside(path)) throw invalid("'language' or 'path' is not valid");
  if (!Array.isArray(args) || !args.every(text) || typeof input !== "string")
    throw invalid("'args' or 'input' is not text");
  if (!Array.isArray(requirements) || !requirements.every(text)) throw invalid("'requirements' is not a list of texts");
  if (!text(cwd) || !(FOLDERS.includes(cwd) || isInside(cwd))) throw invalid("'cwd' is not a folder of a run");
  if (!Object.entries(Object(env)).every(([name, value]) => /^[A-Za-z_]\w*$/.test(name) && text(value)))
    throw invalid("'env' is not a table of texts");
  if (network !== undefined && !RUN_ID.test(Object(network).id)) throw invalid("'network' has no 'id'");
  if (!(ms > 0 && ms <= MOST_MS)) throw invalid(`'ms' is not a number of milliseconds up to ${MOST_MS}`);
  const entries = form.getAll("file");
  if (entries.length > FILES) throw invalid(`There are more than ${FILES} files`);
  const files = await Promise.all(entries.map(fileOf));
  return { asked: { language, path, args, input, env, cwd, requirements, network, ms }, files };
}

/** A file's name is its absolute path, percent-encoded. An executable file has the content type `application/x-executable`. */
async function fileOf(part) {
  if (typeof part === "string") throw invalid("A part 'file' has no file name");
  let path;
  try {
    path = decodeURIComponent(part.name);
  } catch {
    throw invalid("The name of a file is not percent-encoded");
  }
  if (!isInside(path)) throw invalid(`The path of a file is not in ${FOLDERS.join(", ")}`);
  const bytes = Buffer.from(await part.arrayBuffer());
  return { path, bytes, mode: part.type === "application/x-executable" ? 0o755 : 0o644 };
}

const isInside = (path) =>
  FOLDERS.some((folder) => path.startsWith(`${folder}/`)) &&
  !path.includes("\0") &&
  path
    .slice(1)
    .split("/")
    .every((part) => part !== "" && part !== "." && part !== "..");

const invalid = (problem) => new Refusal(422, "INVALID_RUN", `${problem}. See docs/executor.md.`);
const tooLarge = () =>
  new Refusal(413, "RUN_TOO_LARGE", `Run too large (limit ${BODY_BYTES / MiB} MiB). Send fewer or smaller files.`);

/** Files of /workspace come first, as in isolates. */
const placeOf = (path) => FOLDERS.findIndex((folder) => path.startsWith(`${folder}/`));
const byPlace = (a, b) => placeOf(a.path) - placeOf(b.path) || (a.path < b.path ? -1 : 1);

/** Returns the result and the new and changed files, and the names of those over a limit. */
async function answer(response, { exit, stdout, stderr, ms, reason, files }, given, exchange) {
  const form = new FormData();
  const left = [];
  let count = 0;
  let bytes = 0;
  for (const file of files.sort(byPlace)) {
    if (given.get(file.path)?.equals(file.bytes)) continue;
    const isTooLarge = file.bytes.length > OUT.fileBytes;
    if (isTooLarge || count >= OUT.files || bytes + file.bytes.length > OUT.bytes) {
      if (left.length < OUT.files) left.push({ path: file.path, reason: isTooLarge ? "TOO_LARGE" : "TOO_MANY" });
      continue;
    }
    count++;
    bytes += file.bytes.length;
    form.append("file", new Blob([file.bytes]), encodeURIComponent(file.path));
  }
  const result = { exit_code: exit, stdout, stderr, duration_ms: ms, reason, left };
  form.append("result", new Blob([JSON.stringify(result)], { type: "application/json" }), "result.json");
  const packed = new Response(form);
  const type = packed.headers.get("content-type");
  if (response.headersSent) exchange.write({ result: { type } });
  else response.writeHead(200, { "content-type": type });
  response.end(Buffer.from(await packed.arrayBuffer()));
}

/** Limits the concurrent runs. A run over the limit waits, and is refused if too many wait. */
class Places {
  #free;
  #queue = [];

  constructor(parallel) {
    this.#free = parallel;
  }

  /** Resolves with a function that frees the place, or with `null` if the caller has gone. */
  async take(signal) {
    if (this.#free > 0) this.#free--;
    else {
      if (this.#queue.length >= WAITING)
        throw new Refusal(429, "EXECUTOR_BUSY", "Too many runs at once. Try again in a moment.");
      const turn = Promise.withResolvers();
      const leave = () => {
        this.#queue = this.#queue.filter((one) => one !== turn.resolve);
        turn.resolve(false);
      };
      this.#queue.push(turn.resolve);
      signal.addEventListener("abort", leave, { once: true });
      if (signal.aborted) leave();
      if (!(await turn.promise)) return null;
    }
    return () => {
      const next = this.#queue.shift();
      if (next === undefined) this.#free++;
      else next(true);
    };
  }

  close() {
    for (const resolve of this.#queue.splice(0)) resolve(false);
  }
}
