// Ten jobs of operators and authors, each in a limited number of steps from the page where the user begins.

import { expect } from "vitest";
import { skillText } from "../page";
import type { Journey, Visit } from "./visit";

const headers = (key: string) => ({ authorization: `Bearer ${key}` });

/** 2 steps to a skill and what it does, and one more to a chat in which a model uses it. */
async function tried(visit: Visit): Promise<void> {
  const { page } = visit;
  await visit.enter(await visit.keyFor("finder"));
  await visit.heading("Overview").waitFor();
  await visit.inSteps(2, async () => {
    await visit.go("Skills");
    await visit.press("link", "json-table");
    await visit.heading("json-table").waitFor();
    await page.locator(".lead").getByText("Turns JSON into").waitFor();
    await page.locator(".prose").first().waitFor();
  });
  await visit.inSteps(1, async () => {
    await visit.press("link", "Try it", page.locator("main"));
    await page.locator(".talk .user").getByText("Use json-table, please.").waitFor();
    const active = page.getByRole("region", { name: "Active skills" });
    await active.getByRole("row").filter({ hasText: "json-table" }).waitFor();
    await page.getByRole("region", { name: "Trace of turn 1" }).getByText("load_skill").waitFor();
  });
  await visit.look("a skill that is tried");
}

/** 3 steps from a folder to its skill. */
async function publishedFolder(visit: Visit): Promise<void> {
  const { page, hands } = visit;
  const name = visit.named("folder");
  const folder = await visit.folderOf(name, { "SKILL.md": skillText(name, "1.0.0", "# From a folder") });
  await visit.enter(await visit.keyFor("publisher"));
  await visit.heading("Overview").waitFor();
  await visit.inSteps(3, async () => {
    // A folder can be dropped on any page. The keyboard needs the page with the button.
    if (hands.name === "keyboard") await visit.press("link", "Publish a skill");
    await hands.give(folder);
    await page.getByText("Ready to publish.").waitFor();
    await visit.press("button", "Publish");
    await visit.heading("From a folder").waitFor();
  });
}

/** 5 steps from the list of skills to a version without the typo. */
async function fixedTypo(visit: Visit): Promise<void> {
  const { page, hands } = visit;
  const name = visit.named("mistyped");
  const key = await visit.keyFor("fixer");
  const text = skillText(name, "1.0.0", "Tell the tiddes.");
  await visit.publish(key, name, text);
  await visit.enter(key, "/console/skills");
  await visit.inSteps(5, async () => {
    await visit.press("link", name);
    await visit.press("link", "Edit");
    const source = page.getByRole("textbox", { name: "SKILL.md" });
    await source.waitFor();
    await hands.write(source, text.replace("tiddes", "tides"));
    await page.getByRole("status").filter({ hasText: "Ready to publish." }).waitFor();
    await visit.press("button", "Review and publish");
    await visit.press("button", "Publish", page.getByRole("dialog", { name: `Publish ${name}?` }));
    await page.locator(".prose").getByText("Tell the tides.").waitFor();
  });
}

/** 3 steps from the page of a skill to its earlier version. */
async function rolledBackQuickly(visit: Visit): Promise<void> {
  const { page } = visit;
  const name = visit.named("worse");
  const key = await visit.keyFor("operator");
  await visit.publish(key, name, skillText(name, "1.0.0", "Say the height."));
  await visit.publish(key, name, skillText(name, "2.0.0", "Say nothing."));
  await visit.enter(key, "/console/skills");
  await visit.press("link", name);
  await page.getByText("Say nothing.").waitFor();
  await visit.inSteps(3, async () => {
    await visit.press("link", "Versions");
    await visit.press("button", "Roll back", visit.entry("1.0.0"));
    await visit.press("button", "Roll back", page.getByRole("alertdialog"));
    await visit.entry("1.0.0", "current").waitFor();
  });
}

/** 3 steps from the overview to the reason of a failed call in an earlier turn. */
async function failureSeen(visit: Visit): Promise<void> {
  const { page, gateway } = visit;
  const key = await visit.keyFor("curious");
  const chat = visit.named("failed");
  const drive = async (route: string, body: object) => {
    const answer = await gateway.call("POST", `/conversations/${chat}${route}`, body, headers(key));
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  };
  await drive("/turns", { conversation: { title: "Broken report" } });
  const missing = { skill_name: "json-table", file_path: "no-such-file.md" };
  await drive("/tool-calls", { calls: [{ id: "call_1", name: "read_skill", arguments: missing }] });
  await drive("/turns", {});
  await visit.enter(key);
  await visit.inSteps(3, async () => {
    await visit.press("link", "Broken report");
    await visit.press("button", "Previous turn");
    const trace = page.getByRole("region", { name: "Trace of turn 1" });
    const step = trace.getByRole("row").filter({ hasText: "read_skill" });
    await step.getByText("failed", { exact: true }).waitFor();
    await step.getByText("no-such-file.md", { exact: false }).waitFor();
  });
  await visit.look("a turn with a failed call");
}

/** 3 steps from the list of servers to another one. */
async function serverConnected(visit: Visit): Promise<void> {
  const { page, hands } = visit;
  await visit.enter(await visit.keyFor("connector"), "/console/servers");
  await visit.heading("MCP servers").waitFor();
  await visit.inSteps(3, async () => {
    await visit.press("button", "Add server");
    const window = page.getByRole("dialog", { name: "Add MCP server" });
    const words = window.getByRole("searchbox");
    await words.waitFor();
    await hands.write(words, "https://mcp.harbour.example/mcp");
    await page.keyboard.press("Enter");
    expect(await window.getByRole("textbox", { name: "Name" }).inputValue()).toBe("harbour");
    await visit.look("a server by its URL");
    await visit.press("button", "Add server", window);
    await visit.row("harbour").waitFor();
  });
}

/** 3 steps from the list of keys to a new one. */
async function keyCreated(visit: Visit): Promise<void> {
  const { page, hands, gateway } = visit;
  await visit.enter(gateway.key, "/console/keys");
  await visit.inSteps(3, async () => {
    await visit.press("button", "Create key");
    const form = page.getByRole("dialog", { name: "Create key" });
    await hands.write(form.getByRole("textbox", { name: "User" }), visit.named("reader"));
    await visit.press("button", "Create", form);
    await page.getByRole("alertdialog", { name: "Copy the key" }).locator(".secret").waitFor();
  });
}

/** 4 steps from the list of skills until the members of a group can use one of them. */
async function accessGiven(visit: Visit): Promise<void> {
  const { page, hands, gateway } = visit;
  const [group, skill] = [visit.named("crew"), visit.named("rigging")];
  const [owner, member] = [await visit.keyFor("captain"), await visit.keyFor("sailor")];
  expect((await gateway.call("POST", "/groups", { name: group })).status).toBe(201);
  for (const [user, role] of [
    ["captain", "Owner"],
    ["sailor", "Reporter"],
  ] as const)
    await gateway.call("PUT", `/groups/${group}/members/${visit.named(user)}`, { role });
  await visit.publish(owner, skill, skillText(skill, "1.0.0", "Tie the knots."));
  const sees = async () => {
    const found = await gateway.call<{ name: string }[]>("GET", "/kinds/skills/unified", undefined, headers(member));
    return found.body.some(({ name }) => name === skill);
  };
  expect(await sees()).toBe(false);
  await visit.enter(owner, "/console/skills");
  await visit.inSteps(4, async () => {
    await visit.press("link", skill);
    await visit.press("button", "Share");
    const form = page.getByRole("dialog", { name: `Share ${skill} with a group` });
    await hands.choose(form.getByLabel("Group"), group);
    await visit.look("sharing a skill");
    await visit.press("button", "Share", form);
    await page.getByText("Skill shared.").waitFor();
  });
  await expect.poll(sees, { timeout: 30_000 }).toBe(true);
}

/** 1 step from the overview to what a conversation saved. */
async function savingSeen(visit: Visit): Promise<void> {
  const { page, gateway } = visit;
  const key = await visit.keyFor("payer");
  const chat = visit.named("saving");
  for (let turn = 0; turn < 3; turn++)
    await gateway.call("POST", `/conversations/${chat}/turns`, { conversation: { title: "Cheap talk" } }, headers(key));
  await visit.enter(key);
  await visit.inSteps(1, async () => {
    await visit.press("link", "Cheap talk");
    const saved = page.getByRole("region", { name: "Tokens saved" });
    await saved.getByText(/^\d[\d.]* %$/).waitFor();
  });
  await visit.look("what a conversation saved");
}

export const JOBS: Readonly<Record<string, Journey>> = {
  "a skill is found in 2 steps and tried in 1 more": tried,
  "a folder is published in 3 steps": publishedFolder,
  "a typo is fixed and published in 5 steps": fixedTypo,
  "a version is rolled back in 3 steps": rolledBackQuickly,
  "the reason of a failed conversation is found in 3 steps": failureSeen,
  "a server is connected in 3 steps": serverConnected,
  "a key is created in 3 steps": keyCreated,
  "a group gets access to a skill in 4 steps": accessGiven,
  "what a conversation saved is seen in 1 step": savingSeen,
};
