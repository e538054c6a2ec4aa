// Runs the command and code blocks of README and docs as printed, here or in the named test. A block that is not run states the reason. A
// separate checkout has one gateway, started by the README's command. The blocks of a page run in order in one shell.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anyPort, probe } from "../../scripts/local/port.mjs";
import { type Block, blocksOf, isCode, isCommand, isShown, PAGES, root, shownAfter } from "../support/printed";

/** Blocks that another test runs as printed, by page and language. */
const ELSEWHERE: Record<string, Record<string, string>> = {
  "README.md": { diff: "test/sdk/docs.test.ts", js: "test/browser/printed.test.ts" },
  "docs/back-end.md": { js: "test/node/examples.test.ts" },
  "docs/front-end.md": { ts: "test/client/package.test.ts", tsx: "test/client/package.test.ts" },
  "docs/sdk.md": { diff: "test/sdk/docs.test.ts" },
  "docs/skill-code.md": { js: "test/smoke/printed.test.ts" },
};

const blocks = PAGES.flatMap((page) => blocksOf(page));
const toRun = blocks.filter((block) => isCommand(block) || isCode(block));
const testOf = ({ page, language }: Block) => ELSEWHERE[page]?.[language];
const here = toRun.filter((block) => block.notRun === null && testOf(block) === undefined);
const isStart = ({ page, code }: Block) => page === "README.md" && /\bnpm start$/m.test(code);
const at = ({ page, line }: Block) => `${page}:${line}`;

let folder: string;
let checkout: string;
let environment: NodeJS.ProcessEnv;
let gateway: ChildProcess;
let said = "";
/** The port in the pages, or another port if it is in use. */
let port = 8787;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "printed-"));
  checkout = path.join(folder, "checkout");
  await makeCheckout();
  environment = await makeHome();
  const isTaken = await probe(port).then(
    () => false,
    () => true,
  );
  if (isTaken) {
    port = await anyPort();
    console.log(`Somebody has port 8787: what is printed runs with ${port} instead.`);
  }
  await startGateway();
}, 120_000);
afterAll(async () => {
  await stopGateway();
  await rm(folder, { recursive: true, force: true });
});

/** Copies the files in git in their current state, with the results of `npm install` and earlier builds. CI tests both separately. */
async function makeCheckout(): Promise<void> {
  const { stdout } = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  const names = stdout.split("\0").filter((name) => name !== "");
  expect(names).toContain("README.md");
  await Promise.all(names.map((name) => cp(path.join(root, name), path.join(checkout, name)).catch(gone)));
  const built = spawnSync(process.execPath, [path.join(root, "sdk/build.mjs")], { encoding: "utf8" });
  expect(built.status, built.stdout + built.stderr).toBe(0);
  for (const made of ["public", "dist/kept"])
    await cp(path.join(root, made), path.join(checkout, made), { recursive: true }).catch(gone);
  await symlink(path.join(root, "node_modules"), path.join(checkout, "node_modules"));
}

/** The file was deleted without a commit, or never built. */
function gone(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

/** Creates a home folder in which curl fails on error responses and npm has a filled cache. */
async function makeHome(): Promise<NodeJS.ProcessEnv> {
  const bin = path.join(folder, "bin");
  await mkdir(bin, { recursive: true });
  await writeFile(path.join(folder, ".curlrc"), "fail-with-body\n");
  const npm = spawnSync("sh", ["-c", "command -v npm"], { encoding: "utf8" }).stdout.trim();
  await writeFile(path.join(bin, "npm"), `#!/bin/sh\n[ "$1" = install ] || exec ${npm} "$@"\n`);
  await chmod(path.join(bin, "npm"), 0o755);
  const { GATEWAY_KEY: _, GATEWAY_URL: __, GATEWAY_ADMIN_KEY: ___, ...inherited } = process.env;
  const PATH = [bin, path.join(root, "node_modules/.bin"), process.env.PATH].join(":");
  return {
    ...inherited,
    HOME: folder,
    PATH,
    NO_COLOR: "1",
    npm_config_update_notifier: "false",
    npm_config_loglevel: "silent",
  };
}

/** The printed code, without the executor of this machine, and with another port if the port is in use. */
const printed = ({ code }: Block) =>
  code
    .replaceAll("127.0.0.1:8787", `127.0.0.1:${port}`)
    .replace(/\bnpm start$/m, `npm start -- --no-executor --port ${port}`);

async function startGateway(): Promise<void> {
  const block = here.find(isStart);
  if (block === undefined) throw new Error("The README has no block that ends with npm start.");
  gateway = spawn("bash", ["-ec", printed(block)], { cwd: checkout, env: environment, detached: true });
  const ended = once(gateway, "exit").then(() => {
    throw new Error(`The gateway ended:\n${said}`);
  });
  const ready = new Promise<void>((resolve) => {
    for (const stream of [gateway.stdout, gateway.stderr])
      stream?.on("data", (data) => {
        said += data;
        if (/^ {2}Admin key .*\n/m.test(said)) resolve();
      });
  });
  await Promise.race([ready, ended]);
}

/** Ctrl-C in a terminal reaches all processes started there. */
async function stopGateway(): Promise<void> {
  if (gateway?.pid === undefined || gateway.exitCode !== null) return;
  const ended = once(gateway, "exit");
  process.kill(-gateway.pid, "SIGINT");
  await ended;
}

const MARK = "\u001e";

/** Runs blocks in one shell. Returns the output of each by its number, up to the one that failed. */
async function session(page: readonly Block[]): Promise<{ outputs: string[]; failed: string | null }> {
  const scripts = page.map(async (block, index) => {
    const file = path.join(checkout, `printed-${index}.${isCommand(block) ? "sh" : "mts"}`);
    await writeFile(file, printed(block));
    return `printf '${MARK}'\n${isCommand(block) ? "." : "node --disable-warning=ExperimentalWarning"} ${file}`;
  });
  const lines = ["set -eo pipefail", ...(await Promise.all(scripts))];
  const shell = spawn("bash", ["-c", lines.join("\n")], {
    cwd: checkout,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  shell.stdout.on("data", (data) => (stdout += data));
  shell.stderr.on("data", (data) => (stderr += data));
  const [code] = await once(shell, "close");
  const outputs = stdout.split(MARK).slice(1);
  const last = page[outputs.length - 1];
  const failed =
    code === 0 || last === undefined ? null : `${at(last)} ended with ${code}:\n${outputs.at(-1)}\n${stderr}`;
  return { outputs, failed };
}

it("each block of commands or code is run, or says why not", () => {
  const notRun = toRun.flatMap((block) => (block.notRun === null ? [] : [`${at(block)} ${block.notRun}`]));
  console.log(`Not run:\n  ${notRun.join("\n  ")}`);
  expect(here.length).toBeGreaterThan(15);
  // A block states a reason only if this file would otherwise run it, and no other test runs it.
  expect(blocks.filter((block) => block.notRun !== null && !toRun.includes(block)).map(at)).toEqual([]);
  expect(toRun.filter((block) => block.notRun !== null && testOf(block) !== undefined).map(at)).toEqual([]);
});

it.each(
  Object.entries(ELSEWHERE).flatMap(([page, tests]) =>
    Object.entries(tests).map(([language, test]) => [page, language, test]),
  ),
)("%s: blocks in %s are read by %s", async (page = "", language, test = "") => {
  expect(toRun.filter((block) => block.page === page && block.language === language).length).toBeGreaterThan(0);
  expect(await readFile(path.join(root, test), "utf8")).toContain(path.basename(page));
});

it("the README's first command starts a gateway, and prints what it shows", () => {
  const block = here.find(isStart);
  const shown = block === undefined ? null : shownAfter(block, blocks);
  expect(shown).not.toBeNull();
  expect(said).toSatisfy((output: string) => shown !== null && isShown({ ...shown, code: printed(shown) }, output));
});

describe.each([...new Set(here.map(({ page }) => page))])("%s", (name) => {
  const page = here.filter((block) => block.page === name && !isStart(block));
  it.runIf(page.length > 0)(`${page.length} blocks, as they are printed`, { timeout: 120_000 }, async () => {
    const { outputs, failed } = await session(page);
    expect(failed).toBeNull();
    expect(outputs).toHaveLength(page.length);
    const others = page.flatMap((block, index) => {
      const shown = shownAfter(block, blocks);
      return shown === null || isShown(shown, outputs[index] ?? "")
        ? []
        : [`${at(shown)} shows what is not in:\n…${outputs[index]?.slice(-2_000)}`];
    });
    expect(others).toEqual([]);
  });
});

it("docs/skill-code.md: its tool and its script run on the bench as they are printed", {
  timeout: 60_000,
}, async () => {
  const page = blocksOf("docs/skill-code.md");
  const manifest = page.find(({ code }) => code.startsWith("# SKILL.md\n"))?.code ?? "";
  const head = "name: greeter\ndescription: Greets somebody.\n";
  const files: Record<string, string> = { "SKILL.md": `---\n${head}${manifest}---\n\nGreet.\n` };
  for (const { code } of page.filter(({ language }) => language === "js")) {
    const [, name] = /^\/\/ (\S+)\n/.exec(code) ?? [];
    expect(name, code).toBeDefined();
    files[name ?? ""] = code;
  }
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(checkout, "greeter", name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  // test/api/skill-network runs the same as the last one, which calls a host.
  expect(Object.keys(files)).toEqual(["SKILL.md", "provider.js", "scripts/lines.js", "scripts/issues.js"]);
  const call = (what: string, given: object) =>
    spawnSync("npm", ["run", "--silent", "skill", "--", "call", "greeter", what, JSON.stringify(given)], {
      cwd: checkout,
      env: environment,
      encoding: "utf8",
    }).stdout;
  expect(call("greet", { name: "Ada" })).toContain("Hello, Ada!");
  expect(call("scripts/lines.js", { input: "one\ntwo" })).toMatch(/"lines":\s*2/);
});
