// Resolves the gateway URL and the key: from options, then the environment, then the checkout's gateway or the stored login.
//
// A key stored for one gateway is never sent to another.

import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import * as z from "zod";
import type { Work } from "./context";
import { EXIT, misused, Problem } from "./problem";

const loginsSchema = z.object({ current: z.string(), keys: z.record(z.string(), z.string()) });
type SavedLogins = z.infer<typeof loginsSchema>;

export interface SignedIn {
  url: string;
  key: string;
}

/** The related command line options. */
export interface Typed {
  url?: string | undefined;
  key?: string | undefined;
  port?: string | undefined;
}

/** Returns the path of a file of this program in the user's configuration folder. */
export function configFile({ env }: Pick<Work, "env">, name: string): string {
  const base =
    env.XDG_CONFIG_HOME || (process.platform === "win32" ? env.APPDATA : "") || path.join(homedir(), ".config");
  return path.join(base, "skillgate", name);
}

const fileOf = (work: Work) => configFile(work, "gateways.json");

async function readLogins(work: Work): Promise<SavedLogins | null> {
  const text = await readFile(fileOf(work), "utf8").catch((error) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (text === null) return null;
  try {
    return loginsSchema.parse(JSON.parse(text));
  } catch {
    throw new Problem(EXIT.key, `${fileOf(work)} cannot be read. Delete it and sign in again: ${work.program} login`);
  }
}

/** Stores a key for its gateway, readable only by the user, and makes that gateway the default. */
export async function keepKey(work: Work, { url, key }: SignedIn): Promise<string> {
  const before = await readLogins(work).catch(() => null);
  const saved: SavedLogins = { current: url, keys: { ...before?.keys, [url]: key } };
  const file = fileOf(work);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(draft, JSON.stringify(saved, null, 2), { mode: 0o600 });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return file;
}

/** Normalizes the URL of a gateway. */
export function gatewayUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw misused(`${text} is not the URL of a gateway, such as http://127.0.0.1:8787.`);
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`.replace(/\/+$/, "");
}

/** Returns the URL of the gateway to use. */
export async function chosenUrl(work: Work, typed: Typed): Promise<string> {
  if (typed.port !== undefined) {
    if (typed.url !== undefined)
      throw misused("--port and --url exclude each other. Use --port for a gateway on this machine.");
    if (!/^\d+$/.test(typed.port) || Number(typed.port) > 65_535)
      throw misused(`--port ${typed.port} is not a port number (0 to 65535).`);
    return gatewayUrl(`http://127.0.0.1:${typed.port}`);
  }
  const named = typed.url ?? work.env.GATEWAY_URL;
  if (named) return gatewayUrl(named);
  // In a checkout the local gateway comes before a stored login, so that a test push does not publish to a shared gateway.
  if (work.checkout !== null) return gatewayUrl(await work.checkout.localUrl());
  return (await readLogins(work))?.current ?? "http://127.0.0.1:8787";
}

/** Returns the gateway's URL and key. */
export async function signIn(work: Work, typed: Typed): Promise<SignedIn> {
  const url = await chosenUrl(work, typed);
  const given = typed.key || work.env.GATEWAY_KEY;
  if (given) return { url, key: given };
  const saved = (await readLogins(work))?.keys[url];
  if (saved !== undefined) return { url, key: saved };
  if (work.checkout !== null) {
    const key = await work.checkout.localKeyFor(url).catch((error: Error) => {
      throw new Problem(EXIT.key, error.message);
    });
    return { url, key };
  }
  throw new Problem(
    EXIT.key,
    `No key for ${url}. Sign in with \`${work.program} login --url ${url}\`, or set GATEWAY_KEY.`,
  );
}
