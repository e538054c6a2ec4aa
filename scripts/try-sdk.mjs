// `npm run try:sdk`: packs the package and installs it in empty projects, as a new user does. Needs the npm registry.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { root } from "./kit/files.mjs";
import { readOptions } from "./kit/options.mjs";
import { fail, Refusal, say } from "./kit/refusal.mjs";

const USAGE = `Use: npm run try:sdk -- [--only PART]
  --only PART   node20, node24, types, browser, vite or next`;

/** The limit on the size of a browser page with the client, the hook and every operation, as gzip. */
const MOST_KIB = 15;
const run = promisify(execFile);

/** Each function receives the packed file and an empty folder. */
const PARTS = {
  node20: (given) => onNode(given, "20"),
  node24: (given) => onNode(given, "24"),
  types,
  browser,
  vite,
  next,
};

async function main() {
  const { values } = readOptions(USAGE, { only: { type: "string" } });
  const parts = values.only === undefined ? Object.keys(PARTS) : [values.only];
  for (const name of parts) if (!(name in PARTS)) throw new Refusal(`Unknown part ${name}.\n${USAGE}`);
  const folder = await mkdtemp(path.join(tmpdir(), "try-sdk-"));
  try {
    const packed = await pack(folder);
    for (const name of parts) {
      const began = Date.now();
      const project = path.join(folder, name);
      await mkdir(project);
      await writeFile(path.join(project, "package.json"), JSON.stringify({ name, private: true, type: "module" }));
      const outcome = await PARTS[name]({ packed, project });
      say(`${name}: ${outcome} (${Math.round((Date.now() - began) / 1_000)} s)`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Packs the package and checks that it contains its own files and no other package. */
async function pack(folder) {
  const { stdout } = await run("npm", ["pack", "-w", "sdk", "--pack-destination", folder, "--json", "--silent"], {
    cwd: root,
  });
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf("[")));
  const strange = files
    .map((file) => file.path)
    .filter((name) => !/^(?:dist\/.+\.(?:js|d\.ts)|bin\/skillgate\.js|package\.json|README\.md|LICENSE)$/.test(name));
  if (strange.length > 0) throw new Refusal(`The package has files that no other file imports: ${strange.join(", ")}`);
  const { dependencies = {} } = JSON.parse(await readFile(path.join(root, "sdk", "package.json"), "utf8"));
  if (Object.keys(dependencies).length > 0) throw new Refusal("The package has dependencies.");
  return path.join(folder, filename);
}

async function install({ packed, project }, ...packages) {
  await npm(project, "install", "--no-audit", "--no-fund", packed);
  const came = (await readdir(path.join(project, "node_modules"))).filter((name) => !name.startsWith("."));
  if (came.join() !== "skill-gateway") throw new Refusal(`Unexpected packages were installed: ${came.join(", ")}.`);
  if (packages.length > 0) await npm(project, "install", "--no-audit", "--no-fund", ...packages);
}

const npm = (cwd, ...given) => outcome(run("npm", given, { cwd }));
/** Adds the output of a failed command to its error. */
const outcome = (promise) =>
  promise.catch((error) => {
    throw new Refusal(`${error.message}\n${error.stdout}\n${error.stderr}`);
  });

const ENTRIES = ["", "/openai", "/anthropic", "/ai-sdk", "/client"].map((name) => `skill-gateway${name}`);

/** Returns an installed Node of this version. With a slow registry, a download took minutes. */
async function nodeOfMachine(major) {
  for (const folder of (process.env.PATH ?? "").split(path.delimiter)) {
    const file = path.join(folder, "node");
    const { stdout } = await run(file, ["--version"]).catch(() => ({ stdout: "" }));
    if (stdout.startsWith(`v${major}.`)) return file;
  }
  return null;
}

async function onNode(given, major) {
  const own = await nodeOfMachine(major);
  await install(given, ...(own === null ? [`node@${major}`] : []));
  const code = `
    const loaded = await Promise.all(${JSON.stringify(ENTRIES)}.map((name) => import(name)));
    const { SkillGateway } = loaded[0];
    const answer = () => Response.json({ user_id: "alice" });
    const me = await new SkillGateway({ url: "https://gateway.example", key: "k", fetch: async () => answer() }).call("me.get", {});
    if (me.user_id !== "alice") throw new Error("no answer");
    console.log(process.version, loaded.flatMap((module) => Object.keys(module)).length);`;
  await writeFile(path.join(given.project, "main.mjs"), code);
  const node = own ?? path.join(given.project, "node_modules", "node", "bin", "node");
  const { stdout } = await outcome(run(node, ["main.mjs"], { cwd: given.project }));
  // The command line under the name that the package defines, as `npx` finds it.
  const command = path.join(given.project, "node_modules", ".bin", "skillgate");
  for (const args of [
    ["init", "tide"],
    ["check", "tide"],
  ]) {
    const ended = await outcome(run(node, [command, ...args], { cwd: given.project, env: { PATH: process.env.PATH } }));
    if (!ended.stdout.includes("tide")) throw new Refusal(`skillgate ${args.join(" ")} printed ${ended.stdout}`);
  }
  return `${stdout.trim()}, skillgate init and check`;
}

const PAGE = `import { connect } from "skill-gateway/client";
import { useSkillGateway } from "skill-gateway/react";
export const connection = connect({ ticket: () => null });
export const usePage = (id: string) => useSkillGateway(id, { ticket: () => null }).active;
`;
const BACK_END = `import Anthropic from "@anthropic-ai/sdk";
import { streamText } from "ai";
import OpenAI from "openai";
import { SkillGateway } from "skill-gateway";
import { aiSdk } from "skill-gateway/ai-sdk";
import { withSkills as forAnthropic } from "skill-gateway/anthropic";
import { withSkills } from "skill-gateway/openai";
const gateway = new SkillGateway({ url: "https://gateway.example", key: "k" });
const chat = gateway.chat("chat", { user: "alice", failOpen: true });
export const openai: OpenAI = withSkills(new OpenAI({ apiKey: "k" }), chat);
export const answer = async () => (await openai.responses.create({ model: "gpt-6-sol", input: "Hello" })).output_text;
export const anthropic: Anthropic = forAnthropic(new Anthropic({ apiKey: "k" }), chat);
export const text = async () => streamText({ model: "openai/gpt-6-sol", ...(await aiSdk(chat, { messages: [{ role: "user" as const, content: "Hello" }] })) });
export const me = async (): Promise<string> => (await gateway.call("me.get", {})).user_id;
// @ts-expect-error a path is wanted
export const wrong = () => gateway.call("skills.get", {});
`;

async function types(given) {
  const { devDependencies: pinned } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
  const wanted = ["openai", "@anthropic-ai/sdk", "ai", "react", "@types/react", "@types/node"].map(
    (name) => `${name}@${pinned[name]}`,
  );
  await install(given, ...wanted, "ts5@npm:typescript@5.9", "ts7@npm:typescript@7");
  await writeFile(path.join(given.project, "page.ts"), PAGE);
  await writeFile(path.join(given.project, "back-end.ts"), BACK_END);
  const versions = [];
  for (const compiler of ["ts5", "ts7"])
    for (const resolution of ["bundler", "nodenext"]) {
      const compilerOptions = {
        strict: true,
        noEmit: true,
        target: "es2022",
        lib: ["es2022", "dom", "dom.iterable"],
        types: ["node"],
        skipLibCheck: true,
        exactOptionalPropertyTypes: true,
        module: resolution === "bundler" ? "esnext" : resolution,
        moduleResolution: resolution,
      };
      await writeFile(
        path.join(given.project, "tsconfig.json"),
        JSON.stringify({ compilerOptions, include: ["*.ts"] }),
      );
      await outcome(
        run(process.execPath, [path.join("node_modules", compiler, "bin", "tsc"), "-p", "."], { cwd: given.project }),
      );
      versions.push(`${compiler} ${resolution}`);
    }
  return versions.join(", ");
}

/** Returns the size of a bundled page that uses this code, as gzip in KiB. */
async function weight(project, code) {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: project, loader: "ts" },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    external: ["react"],
    write: false,
  });
  return gzipSync(outputFiles[0].contents).byteLength / 1_024;
}

async function browser(given) {
  await install(given, "react@19");
  const all = await weight(given.project, `${PAGE}export * from "skill-gateway";`);
  if (all > MOST_KIB)
    throw new Refusal(
      `A page with the whole package is too large (limit ${MOST_KIB} KiB, found ${all.toFixed(1)} KiB).`,
    );
  const page = await weight(given.project, PAGE);
  const error = await weight(
    given.project,
    'import { SkillGatewayError } from "skill-gateway"; console.log(SkillGatewayError);',
  );
  if (error > 1) throw new Refusal(`One class alone has ${error.toFixed(1)} KiB, so tree shaking does not work.`);
  return `all ${all.toFixed(1)} KiB gzip, a page ${page.toFixed(1)}, one class ${error.toFixed(1)}`;
}

async function vite(given) {
  await install(given, "vite@8", "react@19", "react-dom@19");
  await writeFile(
    path.join(given.project, "index.html"),
    '<div id="root"></div><script type="module" src="/main.ts"></script>',
  );
  await writeFile(path.join(given.project, "main.ts"), `${PAGE}console.log(connection.state.status);`);
  await npm(given.project, "exec", "vite", "build");
  const assets = await readdir(path.join(given.project, "dist", "assets"));
  return assets.join(", ");
}

async function next(given) {
  await install(given, "next@16", "react@19", "react-dom@19");
  const route = path.join(given.project, "app", "api", "chat");
  await mkdir(route, { recursive: true });
  await writeFile(
    path.join(given.project, "app", "layout.jsx"),
    "export default ({ children }) => <html><body>{children}</body></html>;",
  );
  await writeFile(
    path.join(given.project, "app", "page.jsx"),
    '"use client";\nimport { useSkillGateway } from "skill-gateway/react";\nexport default function Page() { return useSkillGateway(null, { ticket: () => null }).status; }',
  );
  await writeFile(
    path.join(route, "route.js"),
    'import { SkillGateway } from "skill-gateway";\nexport const POST = async () => Response.json(await new SkillGateway({ url: "https://gateway.example", key: "k" }).call("me.get", {}));',
  );
  await npm(given.project, "exec", "next", "build");
  return "built";
}

main().catch(fail);
