// Concurrent changes of one ghost, and search by a part of its name.

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { call, keyFor } from "../../support/call";

const GHOSTS = "/api/v1/kinds/ghosts";

let ann: string;

beforeAll(async () => {
  ann = await keyFor("change-ann");
});

async function make(name: string): Promise<{ path: string; tag: string }> {
  const made = await call("POST", GHOSTS, { key: ann, json: { metadata: { name }, spec: { systemPrompt: "First." } } });
  const path = `${GHOSTS}/${(await made.json<{ metadata: { labels: { id: string } } }>()).metadata.labels.id}`;
  return { path, tag: (await call("GET", path, { key: ann })).headers.get("etag")! };
}
const put = (path: string, name: string, systemPrompt: string, tag?: string) =>
  call("PUT", path, {
    key: ann,
    json: { metadata: { name }, spec: { systemPrompt } },
    ...(tag === undefined ? {} : { headers: { "if-match": tag } }),
  });
const promptAt = async (path: string) =>
  (await (await call("GET", path, { key: ann })).json<{ spec: { systemPrompt: string } }>()).spec.systemPrompt;

describe("a ghost that two change", () => {
  it("is replaced by the user who has read the current version, and not by others", async () => {
    const { path, tag } = await make("contested");
    const first = await put(path, "contested", "Second.", tag);
    expect(first.status).toBe(200);
    const late = await put(path, "contested", "Third.", tag);
    expect(late.status).toBe(412);
    expect(await late.json()).toMatchObject({ code: "GHOST_CHANGED", title: "Precondition Failed" });
    expect(await promptAt(path)).toBe("Second.");
    // A client with the new ETag, from a GET or from the response to its change, can write, even behind a proxy that weakens ETags.
    const next = first.headers.get("etag")!;
    expect(next).toBe((await call("GET", path, { key: ann })).headers.get("etag"));
    expect((await put(path, "contested", "Fourth.", `W/${next}`)).status).toBe(200);
    expect((await put(path, "contested", "Fifth.", "*")).status).toBe(200);
    expect((await put(path, "contested", "Sixth.")).status).toBe(200);
  });

  it("is never written over, and recorded once, where both come in one moment", async () => {
    const { path, tag } = await make("raced");
    const texts = ["one", "two", "three", "four"];
    const answers = await Promise.all(texts.map((text) => put(path, "raced", text, tag)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 412, 412, 412]);
    expect(await promptAt(path)).toBe(texts[statuses.indexOf(200)]);
    const { n } = (await env.DB.prepare(
      "SELECT count(*) AS n FROM audit WHERE action = 'ghost.update' AND resource_id = ?",
    )
      .bind(path.split("/").at(-1))
      .first<{ n: number }>())!;
    expect(n).toBe(1);
  });

  it("says of a name that is taken that it is taken, and of one that is gone that it is gone", async () => {
    await make("taken");
    const { path, tag } = await make("free");
    const conflict = await put(path, "taken", "x", tag);
    expect([conflict.status, (await conflict.json<{ code: string }>()).code]).toEqual([409, "NAME_CONFLICT"]);
    expect((await call("DELETE", path, { key: ann })).status).toBe(204);
    expect((await put(path, "free", "x", tag)).status).toBe(404);
  });

  it("shows a stranger with a tag no more than one without", async () => {
    const { path, tag } = await make("secretive");
    const stranger = await keyFor("change-eve");
    const answer = await call("PUT", path, {
      key: stranger,
      json: { metadata: { name: "secretive" }, spec: {} },
      headers: { "if-match": tag },
    });
    expect(answer.status).toBe(404);
  });
});

it("finds ghosts by a part of their name, whatever its case, page by page", async () => {
  const bea = await keyFor("change-bea");
  for (const name of ["Data one", "my data", "other", "DATA_3", "100% x"])
    await call("POST", GHOSTS, { key: bea, json: { metadata: { name }, spec: {} } });
  await call("POST", GHOSTS, { key: ann, json: { metadata: { name: "data of ann" }, spec: {} } });
  const find = async (query: string) =>
    (await call("GET", `${GHOSTS}?${query}`, { key: bea })).json<{
      items: { metadata: { name: string } }[];
      next_cursor: string | null;
    }>();
  const names = async (query: string) => (await find(query)).items.map(({ metadata }) => metadata.name);
  expect(await names("q=data")).toEqual(["Data one", "DATA_3", "my data"]);
  // The query has no wildcard characters.
  expect(await names("q=%25")).toEqual([]);
  expect(await names("q=_")).toEqual(["DATA_3"]);
  const { items, next_cursor } = await find("q=data&limit=2");
  expect(items).toHaveLength(2);
  expect(await names(`q=data&limit=2&cursor=${next_cursor}`)).toEqual(["my data"]);
  expect((await call("GET", `${GHOSTS}?q=${"x".repeat(101)}`, { key: bea })).status).toBe(400);
});
