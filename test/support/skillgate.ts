// Runs the command line program in a temporary folder, in this process or in its own, against a stub server.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { keptProgram } from "../../scripts/build/cli.mjs";
import { main } from "../../sdk/cli/main";

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

let built: Promise<string> | undefined;

/** Returns the path of the built program. */
export function program(): Promise<string> {
  built ??= keptProgram();
  return built;
}

/** A stream that stores the written text. */
class Written extends Writable {
  text = "";

  constructor() {
    super({ decodeStrings: false });
  }

  override _write(text: string, _encoding: BufferEncoding, done: () => void): void {
    this.text += text;
    done();
  }
}

/** Standard streams outside a terminal, with this text on stdin. */
export function streams(input = "") {
  return { stdin: Readable.from(input === "" ? [] : [input]), stdout: new Written(), stderr: new Written() };
}

/** A working folder without stored logins. */
export class WorkFolder {
  private constructor(readonly folder: string) {}

  static async make(): Promise<WorkFolder> {
    return new WorkFolder(await mkdtemp(path.join(tmpdir(), "skillgate-")));
  }

  /** Runs a command of the built program in its own process, as users do. */
  start(args: readonly string[]): { child: ChildProcess; ended: Promise<Ended> } {
    const begun = program().then((file) =>
      spawn(process.execPath, [file, ...args], {
        cwd: this.folder,
        env: this.env(),
        stdio: ["pipe", "pipe", "pipe"],
      }),
    );
    const ended = begun.then(
      (child) =>
        new Promise<Ended>((resolve) => {
          let [stdout, stderr] = ["", ""];
          child.stdout.setEncoding("utf8").on("data", (text) => {
            stdout += text;
          });
          child.stderr.setEncoding("utf8").on("data", (text) => {
            stderr += text;
          });
          // The program can end before it has read its input.
          child.stdin.on("error", () => {}).end();
          child.once("close", (code) => resolve({ code, stdout, stderr }));
        }),
    );
    const running: { child: ChildProcess; ended: Promise<Ended> } = { child: undefined as never, ended };
    begun.then((child) => {
      running.child = child;
    });
    return running;
  }

  /** Runs a command in this process. Starting the program takes several times the CPU of most commands. */
  run(...args: string[]): Promise<Ended> {
    return this.runWith({}, ...args);
  }

  /** Runs a command in this process with these additional variables and this text on stdin. */
  async runWith(
    { env = {}, input = "" }: { env?: Record<string, string>; input?: string },
    ...args: string[]
  ): Promise<Ended> {
    const { stdin, stdout, stderr } = streams(input);
    const code = await main({
      ...{ args, program: "skillgate", folder: this.folder, env: { ...this.env(), ...env }, checkout: null },
      ...{ stdin, stdout, stderr, signal: new AbortController().signal },
    }).catch((error: Error) => {
      // As Node ends a program.
      stderr.write(`${error.stack}\n`);
      return 1;
    });
    return { code, stdout: stdout.text, stderr: stderr.text };
  }

  private env() {
    const { GATEWAY_KEY: _key, GATEWAY_URL: _url, GITHUB_TOKEN: _token, INIT_CWD: _cwd, ...own } = process.env;
    return { ...own, XDG_CONFIG_HOME: path.join(this.folder, ".config") };
  }

  async write(files: Record<string, string | Uint8Array>): Promise<void> {
    for (const [file, content] of Object.entries(files)) {
      const target = path.join(this.folder, file);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, content);
    }
  }

  /** Returns all files below a folder, including dot-files, without stored logins. */
  async files(below = "."): Promise<string[]> {
    const all = await readdir(path.join(this.folder, below), { recursive: true }).catch(() => []);
    return all.filter((file) => !file.startsWith(".config")).sort();
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}

type Handler = (request: IncomingMessage & { body: Buffer }, response: ServerResponse) => void;

/** A local server. */
export class Stub {
  readonly seen: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** `keySet`: the keys of its signatures; without, it signs nothing. */
  static async open(handler: Handler, keySet?: object): Promise<Stub> {
    const server = createServer(async (request, response) => {
      if (request.url === "/.well-known/jwks.json")
        return send(response, keySet === undefined ? 404 : 200, keySet ?? {});
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece);
      stub.seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? "no key"}`);
      handler(Object.assign(request, { body: Buffer.concat(pieces) }), response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const stub = new Stub(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return stub;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Sends a JSON response. */
export function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

export const skillText = (name: string, body = "Do it.", version = "1.0.0") =>
  `---\nname: ${name}\ndescription: "Does ${name} well."\nversion: "${version}"\n---\n\n${body}\n`;

export interface TarEntry {
  path: string;
  text?: string;
  type?: "0" | "2" | "5" | "g" | "x";
  mode?: number;
}

/** Returns a tar archive of these entries, in the format of a Git host. */
export function tar(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ path: name, text = "", type = "0", mode = 0o644 }) => {
    const header = Buffer.alloc(512);
    const data = Buffer.from(text);
    header.write(name, 0, 100);
    header.write(mode.toString(8).padStart(7, "0"), 100);
    header.write(data.length.toString(8).padStart(11, "0"), 124);
    header.write("        ", 148);
    header.write(type, 156);
    header.write("ustar\x0000", 257);
    const sum = [...header].reduce((total: number, byte: number) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return [header, data, Buffer.alloc((512 - (data.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** Returns the pax header that contains the commit in archives of Git hosts. */
export const commitHeader = (commit: string): TarEntry => ({
  path: "pax_global_header",
  type: "g",
  text: `52 comment=${commit}\n`,
});
