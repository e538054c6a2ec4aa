// Skills that are not open: no response of the catalog differs from one of a gateway without them.

import { describe, expect, it } from "vitest";
import { call, keyFor } from "../../support/call";
import { pageAt, publishOpened, titlesOf, visit } from "../../support/catalog";
import { publishOwn, publishPublic } from "../../support/chat-turns";

/** What a visitor receives, without what differs in every response. */
async function seen(path: string, settings: Record<string, string> = { PUBLIC_CATALOG: "index" }) {
  const answer = await visit(path, settings);
  const headers = Object.fromEntries(
    [...answer.headers].filter(([name]) => !/^(x-request-id|server-timing)$/.test(name)),
  );
  return { status: answer.status, headers, body: (await answer.text()).replace(/"request_id":"[^"]*"/, "") };
}

// The beginning of a word is searched only if no skill that counts has it as a word: "paym" for "payments".
const WORDS = ["payroll", "payr", "paym", "paysl", "pay", "payslip", "zeta", "payroll zeta"];
const PATHS = [
  ...["/skills", "/skills?page=2", "/skills?tag=secret", "/skills?tag=shown", "/skills/shown-payments"],
  ...["/robots.txt", "/sitemap.xml"],
  ...["/skills?q=", "/api/search?q=", "/s/public/api/search?q=", "/api/v1/search?q="].flatMap((path) =>
    WORDS.map((words) => `${path}${encodeURIComponent(words)}`),
  ),
];

describe("a skill that is not open", () => {
  it("changes no page, search, count, category, sitemap or entity tag, whoever owns it and whatever it contains", async () => {
    await publishOpened({
      name: "shown-payments",
      description: "Sends payments and payslips.",
      frontmatter: "tags: [shown]\ndependencies: [hidden-payroll@*]",
    });
    const before = new Map<string, unknown>();
    for (const path of PATHS) before.set(path, await seen(path));
    expect((await seen("/skills?q=paym")).body).toContain("shown-payments");
    expect((await seen("/skills/shown-payments")).body).not.toContain("hidden-payroll");
    const hidden = {
      description: "Payroll, pay, payr, paym and paysl of zeta.",
      frontmatter: "tags: [secret, shown]",
      body: "payroll pay payr zeta ".repeat(20),
    };
    const key = await keyFor("hidden-owner");
    await publishPublic({ name: "hidden-payroll", ...hidden });
    await publishOwn(key, { name: "hidden-own", ...hidden });
    const closed = await publishOpened({ name: "hidden-closed", ...hidden });
    expect((await call("DELETE", `/api/v1/open-skills/${closed.id}`)).status).toBe(204);
    const yanked = await publishOpened({ name: "hidden-yanked", ...hidden });
    await call("POST", `/api/v1/kinds/skills/${yanked.id}/versions/${yanked.version_id}/yank`);
    const gone = await publishOpened({ name: "hidden-deleted", ...hidden });
    expect((await call("DELETE", `/api/v1/kinds/skills/${gone.id}`)).status).toBe(204);
    for (const path of PATHS) expect([path, await seen(path)]).toEqual([path, before.get(path)]);
  });

  it("has the same answer as a skill that never existed", async () => {
    await publishPublic({ name: "guessed-public" });
    await publishOwn(await keyFor("guessed-owner"), { name: "guessed-own" });
    const opened = await publishOpened({ name: "guessed-closed" });
    await call("DELETE", `/api/v1/open-skills/${opened.id}`);
    const nothing = await seen("/skills/guessed-nothing");
    expect(nothing.status).toBe(404);
    expect(nothing.headers).not.toHaveProperty("etag");
    for (const name of [
      "guessed-public",
      "guessed-own",
      "guessed-closed",
      opened.id,
      "a%2Fb",
      "%00",
      "..%2f..",
      "%E0%A4%A",
    ])
      expect([name, await seen(`/skills/${name}`)]).toEqual([name, nothing]);
  });

  it("is not shown because a visitor sends a key", async () => {
    await publishPublic({ name: "keyed-hidden" });
    const key = await keyFor("keyed-admin", { role: "admin" });
    const answer = await visit("/skills/keyed-hidden", {}, { authorization: `Bearer ${key}` });
    expect(answer.status).toBe(404);
  });

  it("is not shown because an admin opened it, if it is not on the allow-list, or in a gateway whose skills are off", async () => {
    await publishOpened({ name: "allowed-one" });
    await publishOpened({ name: "allowed-two" });
    const titles = async (settings: Record<string, string>) =>
      titlesOf(await pageAt("/skills", settings)).filter((title) => title.startsWith("allowed"));
    expect(await titles({})).toEqual(["allowed-one", "allowed-two"]);
    expect(await titles({ SKILLS_ALLOWED: "allowed-two" })).toEqual(["allowed-two"]);
    expect((await visit("/skills/allowed-one", { SKILLS_ALLOWED: "allowed-two" })).status).toBe(404);
    expect(await titles({ SKILLS_ENABLED: "false" })).toEqual([]);
    expect((await visit("/skills/allowed-one", { SKILLS_ENABLED: "false" })).status).toBe(404);
  });
});
