// A scripted MCP server that offers the skill `tides` (SEP-2640), and the requests of an admin who reviews it.

import { expect } from "vitest";
import { sha256Hex } from "../../src/domain/digest";
import { call } from "./call";
import { scripted } from "./upstream";
import type { Script } from "./upstream-server/scripted";

export const URI = "skill://tides/SKILL.md";
export const FORM = "skill://tides/references/FORM.md";
export const BODY = "---\nname: tides\ndescription: Reads tide tables.\n---\n\nAsk for the port first.\n";
export const FORM_BODY = "Port, day, height.\n";

export interface Listed {
  uri: string;
  name: string;
  digest: string | null;
  state: string;
  problem: string | null;
  skill_id: string | null;
}

const reply = (result: object) => ({
  headers: { "content-type": "application/json" },
  body: `{"jsonrpc":"2.0","id":@id,"result":${JSON.stringify(result)}}`,
});
const content = (uri: string, text: string) => reply({ contents: [{ uri, mimeType: "text/markdown", text }] });

interface Change {
  body?: string;
  form?: string;
  /** What the list says, if it differs from the files. */
  listed?: { body?: string; form?: string; description?: string };
  skills?: object[];
}

export const resource = async (uri: string, text: string) => ({
  uri,
  digest: `sha256:${await sha256Hex(text)}`,
  size: new TextEncoder().encode(text).byteLength,
});

/** A server that offers the skill `tides`. */
async function script({ body = BODY, form: other = FORM_BODY, listed = {}, skills }: Change = {}): Promise<Script> {
  const entry = {
    uri: URI,
    frontmatter: { name: "tides", description: listed.description ?? "Reads tide tables." },
    resources: [await resource(URI, listed.body ?? body), await resource(FORM, listed.form ?? other)],
  };
  return {
    "skills/list": reply({ skills: skills ?? [entry] }),
    [`resources/read ${URI}`]: content(URI, body),
    [`resources/read ${FORM}`]: content(FORM, other),
  };
}

export async function serve(name: string, change: Change = {}): Promise<void> {
  const url = await scripted(name, await script(change));
  expect((await call("PUT", `/api/v1/mcp-servers/${name}`, { json: { url } })).ok).toBe(true);
}

export const list = async (name: string) => {
  const answer = await call("GET", `/api/v1/mcp-servers/${name}/skills`);
  expect(answer.status).toBe(200);
  return (await answer.json<{ items: Listed[] }>()).items;
};
export const approve = (name: string, { uri, digest }: Pick<Listed, "uri" | "digest">) =>
  call("POST", `/api/v1/mcp-servers/${name}/skills`, { json: { uri, digest } });
export const only = async (name: string) => {
  const [one, ...more] = await list(name);
  if (one === undefined || more.length > 0) throw new Error(`${more.length + 1} skills`);
  return one;
};
