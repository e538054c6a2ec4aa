import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { PARTS, prepareAssets } from "../../scripts/build/static.mjs";

const root = path.dirname(path.dirname(import.meta.dirname));
const built = (name: string) => readFile(path.join(root, "public", "client", name), "utf8");

beforeAll(async () => {
  await prepareAssets();
  const made = spawnSync(process.execPath, [path.join(root, "sdk", "build.mjs")], { encoding: "utf8" });
  expect({ stdout: made.stdout, status: made.status }).toEqual({ stdout: "", status: 0 });
  await mkdir(path.join(root, "dist"), { recursive: true });
});

/** Type-checks files like a user's project. */
async function compiles(files: Record<string, string>, resolution: string): Promise<void> {
  const folder = await mkdtemp(path.join(root, "dist", "consumer-"));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      jsx: "react-jsx",
      lib: ["ES2022", "DOM"],
      types: ["node"],
      skipLibCheck: true,
      module: resolution === "bundler" ? "esnext" : resolution,
      moduleResolution: resolution,
    };
    const config = path.join(folder, "tsconfig.json");
    await writeFile(config, JSON.stringify({ compilerOptions, include: ["*.ts", "*.tsx"] }));
    const compiler = path.join(root, "node_modules/typescript/bin/tsc");
    const { stdout, status } = spawnSync(process.execPath, [compiler, "-p", config], { encoding: "utf8" });
    expect({ stdout, status }).toEqual({ stdout: "", status: 0 });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe("skill-gateway/client", () => {
  it("is under 4 KiB, the hooks under one and a half more", async () => {
    expect(gzipSync(await built("skill-gateway.js")).byteLength).toBeLessThan(4 * 1024);
    expect(gzipSync(await built("react.js")).byteLength).toBeLessThan(1536);
  });

  it("is in a page's bundle as far as the page uses it, and never more than 15 KiB", async () => {
    /** Returns the size of the bundle of a page with these lines, without React. */
    const bundled = async (contents: string) => {
      const made = await build({
        stdin: { contents, resolveDir: path.join(root, "sdk"), loader: "ts" },
        external: ["react"],
        ...{ bundle: true, write: false, minify: true, format: "esm", platform: "browser", logLevel: "error" },
      });
      const { text } = made.outputFiles[0]!;
      return { text, bytes: gzipSync(text).byteLength };
    };
    const all = await bundled(
      `export * from "skill-gateway/client"; export * from "skill-gateway/react"; export * from "skill-gateway/actions";`,
    );
    expect(all.bytes).toBeLessThan(15 * 1024);
    const one = await bundled(`import { connect } from "skill-gateway/client"; connect({ ticket: () => null });`);
    expect(one.bytes).toBeLessThan(all.bytes - 500);
    // Code for the state of skills belongs to the hook; a page that only connects does not load it.
    expect([all, one].map(({ text }) => text.includes('"leaving"'))).toEqual([true, false]);
    const types = await bundled(`import { skillsIn } from "skill-gateway/client"; console.log(skillsIn);`);
    expect([types.text.includes("WebSocket"), types.bytes < 600]).toEqual([false, true]);
    const nothing = await bundled(
      `import "skill-gateway/client"; import "skill-gateway/react"; import "skill-gateway";`,
    );
    expect(nothing.text.trim()).toBe("");
  });

  it("needs nothing; the hook needs React and the client", async () => {
    const imports = (text: string) => [...text.matchAll(/\b(?:from|import)\s*\(?"([^"]+)"/g)].map(([, name]) => name);
    expect(imports(await built("skill-gateway.js"))).toEqual([]);
    expect(imports(await built("react.js")).sort()).toEqual(["./skill-gateway.js", "react"]);
  });

  it("is what the package exports", async () => {
    const names = ["", "/client", "/client/react", "/react", "/actions", "/openai", "/anthropic", "/ai-sdk"].map(
      (name) => `skill-gateway${name}`,
    );
    const modules = await Promise.all(names.map((name) => import(/* @vite-ignore */ name)));
    expect(modules.map((module) => Object.keys(module).sort())).toEqual([
      ["Chat", "SkillGateway", "SkillGatewayError"],
      ["connect", "skillsIn"],
      ["Thumbs", "useFeedback", "useSkillGateway", "useSkills", "useToolCalls"],
      ["Thumbs", "useFeedback", "useSkillGateway", "useSkills", "useToolCalls"],
      ["action", "answering", "choose", "confirm", "form", "json", "pickFile"],
      ["withSkills"],
      ["withSkills"],
      ["aiSdk", "toolNameOf"],
    ]);
  });

  it.each(["bundler", "nodenext"])("has types for a project with resolution %s", async (resolution) => {
    const page = `import { connect, type State } from "skill-gateway/client";
import { useSkillGateway } from "skill-gateway/client/react";
const connection = connect({ ticket: async () => (await fetch("/ticket", { method: "POST" })).json() });
connection.on("render", async ({ code }: { code: string }, { signal }) => ({ svg: code, gone: signal.aborted }));
connection.subscribe((state: State) => state.active.map(({ skill, remaining }) => [skill, remaining]));
export const Page = () => useSkillGateway("c", { ticket: () => null, handlers: { pick: ({ n }: { n: number }) => n } }).turn;
// @ts-expect-error an answer says whether it is one
connection.answer("r", { result: 1 });
`;
    await compiles({ "page.ts": page }, resolution);
  });

  it("is used in docs/front-end.md as its types say", async () => {
    const text = await readFile(path.join(root, "docs", "front-end.md"), "utf8");
    const blocks = (language: string) =>
      [...text.matchAll(/^```(\w+)\n(.*?)^```/gms)].filter(([, given]) => given === language).map(([, , code]) => code);
    const components = Object.fromEntries(blocks("tsx").map((code, n) => [`chat-${n}.tsx`, code ?? ""]));
    expect(Object.keys(components)).toHaveLength(4);
    await compiles({ "page.ts": blocks("ts").join("\n"), ...components }, "bundler");
  });

  it("is made anew only when something changed, and whole", { tags: ["slow"] }, async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "assets-"));
    try {
      expect(await prepareAssets(folder)).toEqual(PARTS.map(({ output }) => output));
      expect(await prepareAssets(folder)).toEqual([]);
      await writeFile(path.join(folder, "client", "react.js"), "half");
      await writeFile(path.join(folder, "drawing", "left-over.js"), "");
      await rm(path.join(folder, "drawing", "renderer.js"));
      expect(await prepareAssets(folder)).toEqual(["drawing/", "client/"]);
      const both = ["client/react.js", "drawing/renderer.js"].map((name) => readFile(path.join(folder, name), "utf8"));
      expect((await Promise.all(both)).every((text) => text.length > 500)).toBe(true);
      await expect(readFile(path.join(folder, "drawing", "left-over.js"))).rejects.toThrow("ENOENT");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
