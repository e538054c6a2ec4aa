// Runs the shell scripts of one package in an isolate of the Worker Loader. This code protects nothing: skill code in the same isolate can
// modify it, so its output is checked outside. The shell is just-bash with an in-memory file system.

import { WorkerEntrypoint } from "cloudflare:workers";
import { Bash } from "just-bash/browser";
import { ownCommands } from "./commands.js";
import { RunFiles } from "./files.js";
import { otherLanguages } from "./languages.js";
import { shellCommands } from "./shells.js";
import { tarCommand } from "./tar.js";

/** Milliseconds before the deadline at which a script is stopped, so that its output is still returned. */
const EARLY = 300;

// The runtime's console writes to the operator's log, where output of scripts must not appear.
for (const name of ["debug", "error", "info", "log", "trace", "warn"]) console[name] = () => {};

/** Sorts text like LANG=C.UTF-8. */
Object.defineProperty(String.prototype, "localeCompare", {
  value(other) {
    const [a, b] = [String(this), String(other)];
    return a < b ? -1 : a > b ? 1 : 0;
  },
});

/** Called once per isolate, with the package and the limits. */
export function harness({ zip, files, limits }) {
  return class extends WorkerEntrypoint {
    /** Returns JSON text. Resolves when the work ends or when the host ends the call. */
    run(text, host, given) {
      const asked = JSON.parse(text);
      const stop = new AbortController();
      const over = host.over().then(
        () => stop.abort(),
        () => stop.abort(),
      );
      const work = serve({ asked, host, given, zip, files, limits, stop }).catch((error) =>
        JSON.stringify({ ok: false, message: String(error?.message ?? error).slice(0, 2_000) }),
      );
      return Promise.race([work, over.then(() => '{"over":true}')]);
    }
  };
}

async function serve({ asked, host, given, zip, files, limits, stop }) {
  const fs = new RunFiles();
  const place = (path, bytes, mode) => {
    fs.place(path, bytes, mode);
    fs.original.set(path, bytes);
  };
  const run = { asked, host, fs, limits, signal: stop.signal };
  const bash = new Bash({
    fs,
    cwd: limits.workspace,
    env: {
      HOME: limits.home,
      LANG: "C.UTF-8",
      PATH: "/usr/bin:/bin",
      PWD: limits.workspace,
      TMPDIR: limits.temporary,
      USER: "skill",
      ...asked.env,
    },
    customCommands: [...ownCommands(), ...shellCommands(), ...otherLanguages(run), tarCommand()],
    executionLimits: limits.shell,
    // With it, `curl` exists.
    ...(asked.network ? { fetch: (url, options) => sendRequest(host, url, options) } : {}),
    // The isolate is the security boundary. Patching its globals would only be slower.
    defenseInDepth: false,
    sleep: (ms) => sleep(ms, stop.signal),
  });
  for (const root of limits.roots) fs.mkdirSync(root, { recursive: true });
  const gone = new Set(asked.gone);
  for (const { path, offset, size, mode } of files) {
    const full = `${limits.skill}/${path}`;
    const bytes = new Uint8Array(zip, offset, size);
    fs.packaged.set(full, bytes);
    if (!gone.has(full)) place(full, bytes, mode);
  }
  for (const { path, bytes } of given) place(path, bytes);
  for (const device of ["/dev/random", "/dev/urandom"]) fs.place(device, new Uint8Array(), 0o666);
  fs.place("/dev/stdin", new TextEncoder().encode(asked.input), 0o644);
  for (const folder of asked.folders ?? []) fs.mkdirSync(folder, { recursive: true });
  fs.bound(limits);
  await host.begin();
  const due = setTimeout(() => stop.abort(), Math.max(asked.ms - EARLY, asked.ms / 2));
  try {
    const { stdout, stderr, exitCode } = await start(bash, run);
    const isLate = stop.signal.aborted;
    await putFiles(run);
    if (isLate) {
      await Promise.all([host.write("stdout", stdout), host.write("stderr", stderr)]).catch(() => {});
      return '{"over":true}';
    }
    const cut = (text) => text.slice(0, limits.outputChars + 1);
    return JSON.stringify({ ok: true, value: { exit: exitCode, stdout: cut(stdout), stderr: cut(stderr) } });
  } finally {
    clearTimeout(due);
  }
}

/** Starts a file by its path, as a separate program, or a text like `bash -c`. */
async function start(bash, { asked, fs, limits, signal }) {
  const options = {
    stdin: asked.input,
    signal,
    rawScript: true,
    ...(asked.cwd === undefined ? {} : { cwd: asked.cwd }),
  };
  if (asked.text !== undefined) return bash.exec(`bash -c ${quoted([asked.text, "bash", ...asked.args])}`, options);
  const path = asked.file ?? `${limits.skill}/${asked.path}`;
  const { mode } = await fs.stat(path);
  await fs.chmod(path, mode | 0o111);
  return bash.exec(quoted([path, ...asked.args]), options);
}

/** Sends a request of `curl` through the gateway. The thrown message is what `curl` prints. */
async function sendRequest(host, url, { method = "GET", headers, body }) {
  const given = [...new Headers(headers)].filter(([name]) => name !== "accept-encoding");
  const { value, error } = await host.fetch({ url, method, headers: given, body: bytesOf(body) });
  if (error !== undefined) throw new Error(error);
  return { ...value, headers: Object.fromEntries(value.headers) };
}

/** The shell keeps text as text, and bytes that are not UTF-8 as one character per byte. */
function bytesOf(body) {
  if (body === undefined || body === null) return null;
  if (typeof body !== "string") return new Uint8Array(body);
  const isBinary = /^[\0-\xff]*$/.test(body) && /[\0\x80-\x9f]/.test(body);
  return isBinary ? Uint8Array.from(body, (char) => char.charCodeAt(0)) : new TextEncoder().encode(body);
}

const quoted = (words) => words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");

function sleep(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}

/** Sends new and changed files, up to the limit of the host. */
async function putFiles({ asked, fs, host, limits }) {
  let left = asked.toldFiles ?? limits.toldFiles;
  if (asked.isPart) for (const path of fs.removed()) await host.put(path, null);
  for (const { path, bytes } of fs.changed()) {
    if (left-- === 0) return;
    const { error } = await host.put(path, bytes);
    if (error !== undefined) throw new Error(error);
  }
}
