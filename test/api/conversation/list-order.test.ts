// The skill list in a prompt: within its token limit, most used skills first, and the same order for all users during a day.

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { countTokens } from "../../../src/storage/assets/tokenizer";
import { CachedChat } from "../../support/cached-chat";
import { keyFor } from "../../support/call";
import { talk } from "../../support/chat-turns";
import { holdClock, pass, releaseClock } from "../../support/clock";
import { host } from "../../support/mcp-client";
import { clearRegistry, seedSkill, seedVersion } from "../../support/registry";
import { HOUR, runCron, sendCounts } from "../../support/skill-use";
import { someone } from "../../support/users";

const DAY = 24 * HOUR;
const listIn = (system: string) => [...system.matchAll(/^- \*\*(.*?)\*\*/gm)].map((match) => match[1]);
const listOf = async (user: string, settings: object = {}) =>
  listIn((await (await talk(user, settings)).turn()).prompt.system);

beforeEach(async () => {
  await clearRegistry();
  await env.DB.batch(["usage", "skill_orders"].map((table) => env.DB.prepare(`DELETE FROM ${table}`)));
  holdClock();
  // Starts in the middle of a day, so that hours can pass within it.
  pass(DAY - (Date.now() % DAY) + 12 * HOUR);
});
afterEach(releaseClock);

/** Starts conversations of a user that load a skill `loads` times each, and sends their counts. */
async function use(user: string, skill: string, conversations = 1, loads = 1): Promise<void> {
  const chats = [];
  for (let each = 0; each < conversations; each++) {
    const chat = await talk(user);
    for (let load = 0; load < loads; load++) {
      await chat.turn();
      await chat.load(skill);
    }
    chats.push(chat);
  }
  // Resets the clock for each chat, because one hour per chat would add up to days.
  pass(HOUR);
  for (const chat of chats) {
    pass(-HOUR);
    await sendCounts(chat, user);
  }
  pass(-HOUR);
}

async function tomorrow(): Promise<void> {
  await runCron();
  pass(DAY);
}

describe("the shared order of the list", () => {
  it("is by everybody's use from the next day on, then by name, and stays as it is for a day", async () => {
    for (const name of ["apple", "beta", "cedar", "delta"]) await seedSkill({ name, tokens: 900 });
    await seedSkill({ name: "aaa-own", scope: "user:reader" });
    await use("ada", "delta");
    await use("bob", "delta");
    await use("bob", "cedar");
    const byName = ["apple", "beta", "cedar", "delta", "aaa-own"];
    const byUse = ["delta", "cedar", "apple", "beta", "aaa-own"];
    await runCron();
    expect(await listOf("reader")).toEqual(byName);
    await tomorrow();
    expect(await listOf("reader")).toEqual(byUse);
    expect(await listOf("reader", { delivery: "message" })).toEqual(byUse);
    expect(await listOf("reader", { spec: { skills: ["beta", "cedar", "aaa-own"] } })).toEqual([
      "cedar",
      "beta",
      "aaa-own",
    ]);
    // Usage within a day changes the order only from the next day.
    for (const user of ["ada", "bob", "cleo"]) await use(user, "apple");
    await runCron();
    pass(8 * HOUR);
    expect(await listOf("reader")).toEqual(byUse);
    await tomorrow();
    expect(await listOf("reader")).toEqual(["apple", "delta", "cedar", "beta", "aaa-own"]);
    // Old usage is dropped from the order at the next cron run. Without a cron run, the last order stays.
    pass(20 * DAY);
    expect(await listOf("reader")).toEqual(["apple", "delta", "cedar", "beta", "aaa-own"]);
    await tomorrow();
    expect(await listOf("reader")).toEqual(byName);
  });

  it("changes neither a running conversation nor a frozen list if only the order changes", async () => {
    for (const name of ["apple", "beta"]) await seedSkill({ name, tokens: 1_500 });
    const system = await talk("steady");
    const before = (await system.turn()).prompt;
    const auto = new CachedChat(someone("frozen"), "c");
    const front = (await auto.turn()).prompt;
    await use("ada", "beta");
    await tomorrow();
    expect(await listOf("new")).toEqual(["beta", "apple"]);
    expect((await system.turn()).prompt).toEqual(before);
    expect((await auto.turn({ cache: "cold" })).prompt).toEqual(front);
    // The view is read again for skills that the list omits.
    await seedSkill({ name: "elsewhere", bindShells: ["ClaudeCode"] });
    expect((await auto.turn({ cache: "cold" })).prompt).toEqual(front);
    await seedSkill({ name: "cedar", tokens: 1_500 });
    expect((await auto.turn()).prompt).toEqual(front);
    const renewed = await auto.turn({ cache: "cold" });
    expect(listIn((renewed.prompt as { system: string }).system)).toEqual(["beta", "apple", "cedar"]);
  });

  it("counts a conversation once a day for a skill, and a user so often in all", async () => {
    for (const name of ["pushed", "liked", "many"]) await seedSkill({ name, tokens: 900 });
    await use("pusher", "pushed", 1, 12);
    for (const user of ["ada", "bob"]) await use(user, "liked");
    await tomorrow();
    expect(await listOf("reader")).toEqual(["liked", "pushed", "many"]);
    // At most fifty conversations per day count, and there are 45 already.
    const votes = "INSERT INTO usage (subject, kind, window_start, count) VALUES ('crowd', 'votes', ?, 45)";
    await env.DB.prepare(votes)
      .bind(Date.now() - (Date.now() % DAY))
      .run();
    await use("crowd", "many", 8);
    const { results } = await env.DB.prepare(
      "SELECT sum(votes) AS votes, sum(loads) AS loads FROM skill_use JOIN skills ON skills.id = skill_id WHERE name = 'many'",
    ).all();
    expect(results).toEqual([{ votes: 5, loads: 8 }]);
  });

  it("says nothing of what a user or a group uses among themselves", async () => {
    await seedSkill({ name: "open-a", tokens: 900 });
    await seedSkill({ name: "open-b", tokens: 900 });
    // Skills of a user and of a group with the name of a public skill: their use does not count for the public one.
    await seedSkill({ name: "open-b", scope: "user:shy", tokens: 900 });
    await seedSkill({ name: "crewed", scope: "group:crew", tokens: 900 });
    await seedSkill({ name: "crewed-too", scope: "group:crew", tokens: 900 });
    const key = await keyFor("crewman", { groups: ["crew"] });
    await use("shy", "open-b", 3);
    const chat = await talk({ key });
    await chat.turn();
    await chat.load("crewed-too");
    await sendCounts(chat, "crewman");
    await tomorrow();
    expect(await listOf("reader")).toEqual(["open-a", "open-b"]);
    const member = await talk({ key: await keyFor("another", { groups: ["crew"] }) });
    expect(listIn((await member.turn()).prompt.system)).toEqual(["open-a", "open-b", "crewed", "crewed-too"]);
    const { results } = await env.DB.prepare("SELECT * FROM skill_orders").all();
    expect(JSON.stringify(results)).not.toContain("skl_");
  });
});

describe("the list's tokens", () => {
  const words = [
    "Reads spreadsheets and charts",
    "技能：读取表格并绘制图表",
    "Écrit des pages de wiki",
    "Runs `a|b` in <x>",
  ];
  const described = (index: number) =>
    `${words[index % words.length]} number ${index}. Use when the user asks for it, and for what follows from it.`;

  it("are at most 2 000 for 1 500 skills, in each delivery and for MCP hosts", async () => {
    const user = someone("crowded");
    const last = await seedMany(1_500);
    for (const settings of [{}, { delivery: "auto" }, { delivery: "tool_result" }, { spec: { skills: ["*", last] } }]) {
      const { prompt } = await (await talk(user.name, settings)).turn();
      const [tokens = 0] = await countTokens(env.ASSETS, [prompt.system]);
      expect(tokens).toBeLessThanOrEqual(2_000);
      expect(tokens).toBeGreaterThan(1_900);
      const more = Number(/^… and (\d+) more: call find_skill\(query\)$/m.exec(prompt.system)?.[1]);
      expect(more + listIn(prompt.system).length).toBe(1_500);
    }
    const client = await host("/mcp", user.name);
    const { tools } = await client.listTools();
    const [, list = ""] = tools[0]?.description?.split("## Available Skills") ?? [];
    const [tokens = 0] = await countTokens(env.ASSETS, [list]);
    // Hosts cut a server's instructions, so these have their own length limit.
    expect(client.getInstructions()?.length).toBeLessThanOrEqual(2_000);
    expect(tokens).toBeGreaterThan(1_900);
    expect(tokens).toBeLessThanOrEqual(2_000);
  });

  it("have what is used most, wherever its name stands", async () => {
    const last = await seedMany(400);
    await use("ada", last);
    await tomorrow();
    const list = await listOf("reader");
    expect([list[0], list[1]]).toEqual([last, "skill-0000"]);
    expect(list).not.toContain("skill-0398");
  });

  it("are never taken from a user's own skills by public ones, whatever those are called", async () => {
    await seedMany(100);
    await use("ada", "skill-0099");
    await tomorrow();
    const user = someone("owner");
    for (let index = 0; index < 3; index++) await user.seed({ name: `zz-${index}`, description: described(index) });
    const list = await listOf(user.name);
    expect(list[0]).toBe("skill-0099");
    expect(list.slice(-3)).toEqual(["zz-0", "zz-1", "zz-2"]);
  });

  async function seedMany(count: number): Promise<string> {
    const name = (index: number) => `skill-${String(index).padStart(4, "0")}`;
    const one = await seedSkill({ name: name(0), description: described(0), tokens: 50 });
    for (let index = 1; index < Math.min(count, 60); index++)
      await seedSkill({ name: name(index), description: described(index), tokens: 50 });
    // The other skills are copies of one row, because publishing that many would take minutes.
    const columns = (table: string) =>
      env.DB.prepare(`SELECT group_concat(name) AS names FROM pragma_table_info('${table}')`).first<string>("names");
    const copied = async (table: string, own: Record<string, string>, where: string) => {
      const names = ((await columns(table)) ?? "").split(",").filter((column) => column !== "seq");
      const values = names.map((column) => own[column] ?? column);
      return env.DB.prepare(
        `WITH RECURSIVE numbers(n) AS (SELECT 60 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${count})
         INSERT INTO ${table} (${names.join()}) SELECT ${values.join()} FROM numbers CROSS JOIN ${table} WHERE ${where}`,
      ).bind(one.id);
    };
    const label = "'skill-' || substr('0000' || n, -4)";
    const ids = { id: "'skl_copy' || n", name: label, folded: label, version_id: "'ver_copy' || n" };
    const version = { id: "'ver_copy' || n", skill_id: "'skl_copy' || n", digest: "'copy' || n" };
    if (count > 60)
      await env.DB.batch([await copied("skills", ids, "id = ?"), await copied("versions", version, "skill_id = ?")]);
    await seedVersion(one, { description: described(0), tokens: 50 });
    return name(count - 1);
  }
});
