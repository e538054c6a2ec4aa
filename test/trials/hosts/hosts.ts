// Hosts as users have them: configured as in docs/mcp.md, with a scripted model and a prompt.

import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { root } from "../../support/harness";

const modules = path.join(import.meta.dirname, "node_modules");
/** These hosts require Node 22. The gateway's own tools do not. */
const node = path.join(path.dirname(createRequire(import.meta.url).resolve("node/package.json")), "bin");
/** Packages that only start a native program; the others have a Node script. */
const programs = {
  claude: `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
  copilot: `@github/copilot-${process.platform}-${process.arch}/copilot`,
  opencode: `opencode-${process.platform}-${process.arch}/bin/opencode`,
  codex: ".bin/codex",
  gemini: ".bin/gemini",
  qwen: ".bin/qwen",
};

/** Turns off telemetry and update checks. */
const QUIET = {
  ...{ NO_COLOR: "1", CI: "1", DISABLE_TELEMETRY: "1", DO_NOT_TRACK: "1", DISABLE_AUTOUPDATER: "1" },
  ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", COPILOT_AUTO_UPDATE: "false" },
  ...{ OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1", GEMINI_TELEMETRY_ENABLED: "false" },
};
const PATIENCE = 90_000;

/** The machine of a user with one host: a home folder with a project. */
export interface Desk {
  home: string;
  project: string;
}

export interface Host {
  name: keyof typeof programs;
  /** The bold text before its block in docs/mcp.md. */
  title: string;
  /** The file for the block, or `null` if the block is a command. */
  file: ((desk: Desk) => string) | null;
  /** Connects the host to the scripted model, in its own files. */
  settle?(desk: Desk, model: string): Promise<void>;
  /** The same as text in front of the block from the docs. */
  before?(model: string): string;
  /** The same as environment variables. */
  env(model: string): Record<string, string>;
  args(prompt: string): string[];
  /** The reason why the host does not notice a changed tool list within a chat, or `null` if it does. A test checks this as well. */
  missesChanges: string | null;
}

export const HOSTS: readonly Host[] = [
  {
    name: "claude",
    title: "Claude Code",
    file: null,
    env: (model) => ({ ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: "sk-trial" }),
    args: (prompt) => ["-p", prompt, "--model", "trial", "--allowedTools", "mcp__skills"],
    missesChanges: null,
  },
  {
    name: "codex",
    title: "Codex",
    file: ({ home }) => path.join(home, ".codex", "config.toml"),
    // Both settings share one file. The block from the docs is a TOML table, so top-level keys must precede it.
    before: (model) => `model = "trial"\nmodel_provider = "trial"\n\n[model_providers.trial]\nname = "trial"
base_url = "${model}/v1"\nwire_api = "responses"\nenv_key = "TRIAL_KEY"\n\n`,
    env: () => ({ TRIAL_KEY: "sk-trial" }),
    args: (prompt) => ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt],
    missesChanges: "goes by the list that it read when it started",
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    file: ({ project }) => path.join(project, ".gemini", "settings.json"),
    async settle({ home }) {
      await mkdir(path.join(home, ".gemini"), { recursive: true });
      const settings = {
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
      };
      await writeFile(path.join(home, ".gemini", "settings.json"), JSON.stringify(settings));
    },
    // Confirms that the folder is trusted. The host ignores settings in untrusted folders.
    env: (model) => ({ GEMINI_API_KEY: "trial", GOOGLE_GEMINI_BASE_URL: model, GEMINI_CLI_TRUST_WORKSPACE: "true" }),
    args: (prompt) => ["--yolo", "-m", "gemini-2.5-pro", "-p", prompt],
    missesChanges: null,
  },
  {
    name: "opencode",
    title: "opencode",
    file: ({ project }) => path.join(project, "opencode.json"),
    async settle({ home }, model) {
      const folder = path.join(home, ".config", "opencode");
      await mkdir(folder, { recursive: true });
      const provider = {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: `${model}/v1`, apiKey: "sk-trial" },
        models: { trial: { name: "Trial", tool_call: true } },
      };
      await writeFile(path.join(folder, "opencode.json"), JSON.stringify({ provider: { trial: provider } }));
    },
    env: () => ({}),
    args: (prompt) => ["run", "--model", "trial/trial", prompt],
    missesChanges: null,
  },
  {
    name: "copilot",
    title: "Copilot CLI",
    file: ({ home }) => path.join(home, ".copilot", "mcp-config.json"),
    env: (model) => ({
      ...{ COPILOT_PROVIDER_BASE_URL: `${model}/v1`, COPILOT_PROVIDER_TYPE: "openai", COPILOT_PROVIDER_API_KEY: "sk" },
      ...{ COPILOT_MODEL: "trial", COPILOT_OFFLINE: "true" },
    }),
    args: (prompt) => ["--allow-all-tools", "-p", prompt],
    missesChanges: null,
  },
  {
    name: "qwen",
    title: "Qwen Code",
    file: ({ project }) => path.join(project, ".qwen", "settings.json"),
    env: (model) => ({ OPENAI_API_KEY: "sk-trial", OPENAI_BASE_URL: `${model}/v1`, OPENAI_MODEL: "trial" }),
    args: (prompt) => ["--auth-type", "openai", "--yolo", "-p", prompt],
    missesChanges: "goes by the list that it read when it started",
  },
];

export interface Ended {
  code: number | null;
  text: string;
}

/** Returns a machine with the host configured as the docs describe, for this URL and with this key in its environment. */
export async function seat(host: Host, place: { url: string; key: string; model: string }) {
  const home = await mkdtemp(path.join(tmpdir(), "try-hosts-"));
  const desk: Desk = { home, project: path.join(home, "project") };
  await mkdir(desk.project, { recursive: true });
  const env = {
    ...{ PATH: `${path.join(modules, ".bin")}:${node}:/usr/bin:/bin`, HOME: home },
    ...QUIET,
    ...{ GATEWAY_KEY: place.key },
    ...host.env(place.model),
  };
  const block = (await snippetOf(host)).replaceAll("https://gateway.example/mcp/my-project", place.url);
  await host.settle?.(desk, place.model);
  if (host.file === null) {
    const { code, text } = await run("sh", ["-c", block.replace(/^claude /, `'${programOf(host)}' `)], { desk, env });
    if (code !== 0) throw new Error(text);
  } else {
    const file = host.file(desk);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, (host.before?.(place.model) ?? "") + block);
  }
  return {
    desk,
    ask: (prompt: string) => run(programOf(host), host.args(prompt), { desk, env }),
    leave: () => rm(home, { recursive: true, force: true }),
  };
}

/** Returns the block that the docs show for a host, below its name in bold. */
async function snippetOf({ title }: Host): Promise<string> {
  const page = await readFile(path.join(root, "docs", "mcp.md"), "utf8");
  const [, below] = page.split(`\n**${title}**`);
  const [, block] = /^```\w+\n([\s\S]*?)^```$/m.exec(below ?? "") ?? [];
  if (block === undefined) throw new Error(`docs/mcp.md prints nothing for ${title}.`);
  return block;
}

const programOf = ({ name }: Host) => path.join(modules, programs[name]);

function run(
  command: string,
  args: string[],
  { desk, env }: { desk: Desk; env: Record<string, string> },
): Promise<Ended> {
  const child = spawn(command, args, { cwd: desk.project, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (text += String(part)));
  // Kills the process group, including processes that the host started.
  const late = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), PATIENCE);
  return new Promise<Ended>((done, failed) =>
    child.once("error", failed).once("close", (code) => done({ code, text })),
  ).finally(() => clearTimeout(late));
}
