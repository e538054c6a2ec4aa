// Runs a client as its user would: in its own folder and home, without files of this machine.

import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { Harness, root } from "../../support/harness";

const MODULES = path.join(root, "test/trials/skills/node_modules");
/** These clients require Node 22. The gateway's own tools do not. */
const NODE = path.join(path.dirname(createRequire(import.meta.url).resolve("node/package.json")), "bin");

const inNode = (script: string) => [path.join(NODE, "node"), path.join(MODULES, script)];

const COMMANDS = {
  skills: inNode("skills/bin/cli.mjs"),
  clawhub: inNode("clawhub/bin/clawdhub.js"),
  // These packages only start a native program.
  opencode: [path.join(MODULES, `opencode-${process.platform}-${process.arch}/bin/opencode`)],
  claude: [path.join(MODULES, `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`)],
  copilot: [path.join(MODULES, `@github/copilot-${process.platform}-${process.arch}/copilot`)],
} as const;

/** Turns off telemetry and update checks. */
const QUIET = {
  ...{ NO_COLOR: "1", CI: "1", DISABLE_TELEMETRY: "1", DO_NOT_TRACK: "1", CLAWHUB_DISABLE_TELEMETRY: "1" },
  ...{ OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1" },
  ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1", COPILOT_AUTO_UPDATE: "false" },
};

export interface Ended {
  code: number | null;
  /** Both of its outputs. */
  text: string;
}

/** A simulated machine of a user: a home folder with a project. */
export class Desk {
  private constructor(readonly home: string) {}

  static async open(): Promise<Desk> {
    const desk = new Desk(await mkdtemp(path.join(tmpdir(), "desk-")));
    await mkdir(desk.project, { recursive: true });
    return desk;
  }

  get project(): string {
    return path.join(this.home, "project");
  }

  /** Runs a client in the project. */
  run(client: keyof typeof COMMANDS, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
    const [program = "", ...first] = COMMANDS[client];
    const child = spawn(program, [...first, ...args], {
      cwd: this.project,
      env: { PATH: `${NODE}:/usr/bin:/bin`, HOME: this.home, ...QUIET, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (text += String(part)));
    return new Promise((done, failed) => child.once("error", failed).once("close", (code) => done({ code, text })));
  }

  /** Returns the files below a folder of the project with their contents. */
  async files(folder: string): Promise<Record<string, string>> {
    const base = path.join(this.project, folder);
    const names = await readdir(base, { recursive: true, withFileTypes: true });
    const files = names.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
    const read = async (file: string) => [path.relative(base, file), await readFile(file, "utf8")] as const;
    return Object.fromEntries(await Promise.all(files.sort().map(read)));
  }

  async close(): Promise<void> {
    await rm(this.home, { recursive: true, force: true });
  }
}

/** A gateway for the tests of a file, and a folder for each of them. */
export function deskAtGateway(): { gateway: Harness; desk: () => Desk } {
  const gateway = new Harness();
  let desk: Desk;
  beforeAll(() => gateway.start());
  afterAll(() => gateway.close());
  beforeEach(async () => {
    desk = await Desk.open();
  });
  afterEach(() => desk.close());
  return { gateway, desk: () => desk };
}

/** Returns the output of a client that succeeded, and throws otherwise. */
export function well({ code, text }: Ended): string {
  expect([code, text]).toEqual([0, text]);
  return text;
}
