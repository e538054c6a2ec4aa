// Runs the built command line program in its own process, in a temporary folder, against a stub server.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildCli } from "../../scripts/build/cli.mjs";

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

let built: Promise<string> | undefined;

/** Returns the path of the program, which is built once per test file. */
export function program(): Promise<string> {
  built ??= mkdtemp(path.join(tmpdir(), "skillgate-bin-")).then((folder) =>
    buildCli(path.join(folder, "skillgate.js")),
  );
  return built;
}

/** A working folder without stored logins. */
export class WorkFolder {
  private constructor(readonly folder: string) {}

  static async make(): Promise<WorkFolder> {
    await program();
    return new WorkFolder(await mkdtemp(path.join(tmpdir(), "skillgate-")));
  }

  start(
    args: readonly string[],
    env: Record<string, string> = {},
    input = "",
  ): { child: ChildProcess; ended: Promise<Ended> } {
    const { GATEWAY_KEY: _key, GATEWAY_URL: _url, GITHUB_TOKEN: _token, INIT_CWD: _cwd, ...own } = process.env;
    const begun = program().then((file) =>
      spawn(process.execPath, [file, ...args], {
        cwd: this.folder,
        env: { ...own, XDG_CONFIG_HOME: path.join(this.folder, ".config"), ...env },
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
          child.stdin.on("error", () => {}).end(input);
          child.once("close", (code) => resolve({ code, stdout, stderr }));
        }),
    );
    const running: { child: ChildProcess; ended: Promise<Ended> } = { child: undefined as never, ended };
    begun.then((child) => {
      running.child = child;
    });
    return running;
  }

  run(...args: string[]): Promise<Ended> {
    return this.start(args).ended;
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
