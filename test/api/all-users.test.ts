// The list of users. The matrix covers access to it.

import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import { form, skillZip } from "../support/skill";

interface Figures {
  user_id: string;
  is_admin: boolean;
  last_used_at: string | null;
  keys: number;
  groups: number;
  skills: number;
  ghosts: number;
  conversations: number;
}

async function page(query = "") {
  const answer = await call("GET", `/api/v1/users${query}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("cache-control")).toContain("no-store");
  return answer.json<{ items: Figures[]; next_cursor: string | null }>();
}

it("lists every user with data once, by id, with counts only", async () => {
  const ann = await keyFor("list-ann", { role: "admin" });
  await publishOwn(ann, { name: "whispered-skill" });
  await call("POST", "/api/v1/kinds/ghosts", { key: ann, json: { metadata: { name: "whispered-ghost" }, spec: {} } });
  for (const id of ["whispered-1", "whispered-2"])
    await call("PUT", `/api/v1/conversations/${id}`, { key: ann, json: { metadata: { said: "whispered" } } });
  // Users without any key: group members, and users that a service acts for.
  await call("POST", "/api/v1/groups", { json: { name: "list-team" } });
  await call("PUT", "/api/v1/groups/list-team/members/list-bob", { json: { role: "Reporter" } });
  await call("PUT", "/api/v1/conversations/theirs", { as: "list-cid", json: {} });
  const skill = await call("POST", "/api/v1/kinds/skills/public", { body: form(skillZip({ name: "open-to-all" })) });
  expect(skill.status).toBe(201);

  const { items } = await page();
  const ids = items.map(({ user_id }) => user_id);
  expect(ids).toEqual([...new Set(ids)].sort());
  // User `0`, the owner of public resources, is not a real user.
  expect(ids).not.toContain("0");
  const of = (id: string) => items.find(({ user_id }) => user_id === id);
  const none = { is_admin: false, last_used_at: null, keys: 0, groups: 0, skills: 0, ghosts: 0, conversations: 0 };
  expect(of("list-ann")).toEqual({
    ...{ user_id: "list-ann", is_admin: true, last_used_at: expect.stringMatching(/^20/) },
    ...{ keys: 1, groups: 0, skills: 1, ghosts: 1, conversations: 2 },
  });
  expect(of("list-bob")).toEqual({ ...none, user_id: "list-bob", groups: 1 });
  expect(of("list-cid")).toEqual({ ...none, user_id: "list-cid", conversations: 1 });
  expect(JSON.stringify(items)).not.toContain("whispered");
});

it("is walked page by page, also past the owner of what is public and past very many rows of one user", async () => {
  const users = [".first", "0", "00", "a", "b", "b-2"];
  await env.DB.batch(
    users.map((user) =>
      env.DB.prepare("INSERT INTO conversations (user_id, id, created_at) VALUES (?, 'c', 1)").bind(user),
    ),
  );
  await env.DB.prepare(
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) INSERT INTO conversations (user_id, id, created_at) SELECT 'b', 'more-' || i, i FROM n",
  ).run();
  const whole = (await page()).items;
  const ids = whole.map(({ user_id }) => user_id);
  expect(ids).toEqual([...new Set(ids)].sort());
  expect(users.filter((user) => !ids.includes(user))).toEqual(["0"]);
  expect(whole.find(({ user_id }) => user_id === "b")).toMatchObject({ conversations: 1_000 });
  for (const limit of [1, 2, 3]) {
    const walked: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { items, next_cursor }: Awaited<ReturnType<typeof page>> = await page(
        `?limit=${limit}${cursor === "" ? "" : `&cursor=${cursor}`}`,
      );
      expect(items.length).toBeLessThanOrEqual(limit);
      walked.push(...items.map(({ user_id }) => user_id));
      cursor = next_cursor;
    }
    expect([limit, walked]).toEqual([limit, ids]);
  }
  expect((await call("GET", "/api/v1/users?cursor=nonsense")).status).toBe(400);
});
