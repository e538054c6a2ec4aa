// `npm run skill` as authors use it.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { localKeyFor } from "../../scripts/local/key.mjs";

const root = path.dirname(path.dirname(import.meta.dirname));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "skill-bench-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs `skill` for an author without a key. */
function keyless(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const { GATEWAY_KEY: _, ...env } = process.env;
  return runSkill({ ...env, GATEWAY_ADMIN_KEY: "sgw_of_this_machine", INIT_CWD: folder }, args);
}

function skill(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return runSkill({ ...process.env, INIT_CWD: folder, GATEWAY_KEY: "sgw_none" }, args);
}

function runSkill(
  env: NodeJS.ProcessEnv,
  args: string[],
  cwd = folder,
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const script = path.join(root, "scripts", "skill.mjs");
    execFile(process.execPath, [script, ...args], { cwd, env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
  });
}

async function write(name: string, files: Record<string, string>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    const target = path.join(folder, name, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text);
  }
}

const manifest = (more = "") => `---\nname: greeter\ndescription: Greets.\nversion: "1.0.0"\n${more}---\n\nGreet.\n`;
const PROVIDER = `export class Greeter {
  get providerName() { return "greeter" }
  get supportedTools() { return ["greet"] }
  createTool(_: string, context: { request(action: string, payload: unknown): Promise<unknown>; log(text: string): void }) {
    return { description: "Greets.", inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      async call({ name }: { name: string }) { context.log("greeting"); return { said: "Hello " + name, page: await context.request("show", { name }) } } };
  }
}`;

describe("the key of this machine", () => {
  it("is sent to the local gateway only", async () => {
    const project = path.join(folder, "project");
    const lock = path.join(project, ".wrangler", "state", "gateway.lock");
    await mkdir(path.dirname(lock), { recursive: true });
    await writeFile(path.join(project, ".dev.vars"), 'GATEWAY_ADMIN_KEY="sgw_here"\n');
    const keyFor = (url: string) => localKeyFor(url, "GATEWAY_KEY", project);
    expect(await keyFor("http://127.0.0.1:8787")).toBe("sgw_here");
    await writeFile(lock, '{"port":9123}');
    expect(await keyFor("http://localhost:9123/")).toBe("sgw_here");
    for (const url of [
      "http://127.0.0.1:8787",
      "https://127.0.0.1:9123",
      "http://127.0.0.1:9123@evil.example",
      "http://127.0.0.1.evil.example:9123",
      "https://gateway.example",
      "127.0.0.1:9123",
      "nonsense",
    ])
      await expect(keyFor(url), url).rejects.toThrow("is not sent to");
  });

  it("is not sent with a push to another gateway, which names the setting", async () => {
    await write("pushed", { "SKILL.md": manifest() });
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.url} ${request.headers.authorization}`);
      response.end("{}");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const pushed = await keyless("push", "pushed", "--url", url);
      expect(pushed).toMatchObject({ code: 3, stderr: expect.stringContaining("Set GATEWAY_KEY") });
      expect(seen).toEqual([]);
      await skill("push", "pushed", "--url", url);
      expect(seen).toEqual(["/api/v1/kinds/skills/upload Bearer sgw_none"]);
    } finally {
      server.close();
    }
  });

  it("is used for the gateway of this checkout, even after another sign-in", async () => {
    const config = path.join(folder, "config");
    await mkdir(path.join(config, "skillgate"), { recursive: true });
    const kept = { current: "http://127.0.0.1:9", keys: { "http://127.0.0.1:9": "sgw_elsewhere" } };
    await writeFile(path.join(config, "skillgate", "gateways.json"), JSON.stringify(kept));
    const env = { ...process.env, INIT_CWD: folder, GATEWAY_KEY: "sgw_none", XDG_CONFIG_HOME: config };
    const { stderr } = await runSkill(env, ["list"]);
    expect(stderr).not.toContain("127.0.0.1:9 ");
  });
});

describe("the bench", () => {
  it("checks a folder: warnings with their lines, costs, tools", async () => {
    await write("greeter", {
      "SKILL.md": `${manifest("provider: { module: provider, class: Greeter }\ntools: [greet, leave]\n")}\nSee [it](gone.md).\n`,
      "provider.ts": PROVIDER,
      "scripts/broken.js": "\nimport 'zod'",
    });
    const { code, stdout } = await skill("check", "greeter");
    expect(stdout).toContain("greeter 1.0.0: valid, 3 files");
    expect(stdout).toContain(
      "scripts/broken.js:2  MODULE_INVALID  It needs 'zod', which is neither in the package nor built into Node.",
    );
    expect(stdout).toMatch(/SKILL.md:\d+ {2}low {2}FILE_MISSING {2}The file 'gone.md' is mentioned/);
    expect(stdout).toMatch(/in the list: \d+, when loaded: \d+, /);
    expect(stdout).toContain("greet(name)  Greets.");
    expect(stdout).toContain("leave  NOT AVAILABLE: TypeError: The class's supportedTools does not list 'leave'.");
    expect(code).toBe(1);
  });

  it("calls a tool, with the page's answer, and a script", async () => {
    await write("greeter", {
      "scripts/count.ts": "const n: number = process.argv.length - 2; console.log(n); process.exit(n);",
    });
    const called = await skill("call", "greeter", "greet", '{"name":"Ann"}', "--answer", '{"ok":true}');
    expect(called).toMatchObject({ code: 0 });
    expect(JSON.parse(called.stdout)).toEqual({ said: "Hello Ann", page: { success: true, result: { ok: true } } });
    expect(called.stderr).toBe('log: greeting\nrequest show: {"name":"Ann"}\n');
    expect(await skill("call", "greeter", "scripts/count.ts", '{"args":["a","b"]}')).toEqual({
      code: 2,
      stdout: "2\n",
      stderr: "",
    });
    const unfit = await skill("call", "greeter", "greet", '{"name":["Ann"]}');
    expect(unfit).toMatchObject({ code: 1, stderr: "" });
    expect(unfit.stdout).toContain("'name' must be a string, and is an array");
    expect((await skill("call", "greeter", "nothing")).stderr).toContain("neither a tool nor a script");
  });

  it("passes files to a script like the gateway, and lists the written ones", async () => {
    await write("greeter", {
      "scripts/copy.js":
        "const fs = require('fs'); fs.writeFileSync('out.txt', fs.readFileSync('in/a.txt', 'utf8') + '!');",
    });
    const call = (...files: object[]) => skill("call", "greeter", "scripts/copy.js", JSON.stringify({ files }));
    const left = { code: 0, stdout: "", stderr: "file: /workspace/out.txt, 4 bytes\n" };
    expect(await call({ path: "in/a.txt", text: "abc" })).toEqual(left);
    const wrong = await call({ path: "../a.txt", text: "" }, { path: "b", kept: "fil_1" });
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toMatch(/files\.0\.path: .*\nfiles\.1\.kept: /);
  });

  it("shows what a tool sends in its last step", async () => {
    await write("teller", {
      "SKILL.md": manifest("provider: { module: provider, class: Teller }\ntools: [tell]\n").replace(
        "greeter",
        "teller",
      ),
      "provider.js": `export class Teller {
        get supportedTools() { return ["tell"] }
        createTool(_, context) {
          return { description: "Tells.", async call() { context.log("hi"); context.emit("progress", { n: 1 }); throw new Error("late") } };
        }
      }`,
    });
    const { code, stdout } = await skill("call", "teller", "tell", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ logs: ["hi"], told: [{ emit: "progress", payload: { n: 1 } }] });
    expect(code).toBe(1);
  });

  it("prints errors with the usage", async () => {
    await write("bad", { "SKILL.md": "---\nname: bad\n---\n" });
    const bad = await skill("check", "bad");
    expect(bad.code).toBe(1);
    expect(bad.stdout).toContain("DESCRIPTION_MISSING");
    expect((await skill("check", "nowhere")).stderr).toContain("has no SKILL.md");
    expect((await skill("dance", "bad")).stderr).toContain("Use: npm run skill");
    expect((await skill("call", "greeter", "greet", "{")).stderr).toContain("is not valid JSON");
  });

  it("packs, and reports a gateway that does not respond", async () => {
    const packed = await skill("pack", "greeter", "--out", "out.zip");
    expect(packed).toMatchObject({ code: 0 });
    expect((await readFile(path.join(folder, "out.zip"))).subarray(0, 2).toString()).toBe("PK");
    // npm runs scripts in the project's folder. The output belongs in the user's current folder.
    const elsewhere = await runSkill({ ...process.env, INIT_CWD: folder }, ["pack", "greeter"], root);
    expect(elsewhere.stdout).toContain(path.join(folder, "greeter.zip"));
    expect((await skill("check", "greeter.zip")).stdout).toContain("greeter 1.0.0: valid");
    const pushed = await skill("push", "greeter", "--url", "http://127.0.0.1:9");
    expect(pushed).toMatchObject({ code: 4, stderr: expect.stringContaining("does not respond") });
  });

  it("begins a skill that passes its check, and nothing over another one", async () => {
    const made = await skill("new", "tide-tables");
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining("tide-tables/SKILL.md") });
    const checked = await skill("check", "tide-tables");
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining("tide-tables 0.1.0: valid, 1 files") });
    expect(checked.stdout).not.toContain("warnings");
    expect((await skill("new", "tide-tables")).stderr).toContain("tide-tables exists");
    for (const name of ["Tide", "../tide", "tide--tables", "a".repeat(65)])
      expect(await skill("new", name), name).toMatchObject({ code: 2 });
  });
});

describe("a push", () => {
  it("accepts several skills and a group, continues after an error, and suggests the next version", async () => {
    await write("first", { "SKILL.md": manifest() });
    await write("second", { "SKILL.md": manifest() });
    const seen: string[] = [];
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request.setEncoding("latin1")) body += chunk;
      const file = /filename="([^"]+)"/.exec(body)?.[1] ?? "";
      seen.push(`${request.url} ${file} ${/name="namespace"\r\n\r\n(.*)\r\n/.exec(body)?.[1]}`);
      const isFirst = file === "first.zip";
      response.writeHead(isFirst ? 409 : 201, { "content-type": "application/json" });
      const refused = { code: "VERSION_EXISTS", detail: "Version 1.0.0 exists.", version: "1.0.0" };
      const made = {
        metadata: { name: "second", labels: { id: "s" } },
        spec: {},
        status: { version_id: "v", warnings: [] },
      };
      response.end(JSON.stringify(isFirst ? refused : made));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const port = String((server.address() as AddressInfo).port);
    try {
      const pushed = await skill("push", "first", "second", "--group", "writers", "--port", port);
      expect(seen).toEqual([
        "/api/v1/kinds/skills/upload first.zip writers",
        "/api/v1/kinds/skills/upload second.zip writers",
      ]);
      expect(pushed).toMatchObject({ code: 6, stdout: expect.stringContaining("second  was published as v") });
      expect(pushed.stderr).toContain(
        "first: 409 VERSION_EXISTS: Version 1.0.0 exists. Raise `version` in SKILL.md, for example to 1.0.1",
      );
    } finally {
      server.close();
    }
  });
});
