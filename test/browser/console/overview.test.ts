// The overview of the console in Chromium: the first steps, figures, and what needs attention.

import { expect, it } from "vitest";
import { barriers } from "../axe";
import { overflows, skillText, zipOf } from "./page";
import { Desk } from "./setup";

const desk = new Desk("shared");

it("offers the first steps, each one click away, until a skill is published and tried", async () => {
  const key = await desk.keyOf("ann");
  const page = await desk.enter(key, "/");
  for (const [step, path] of [
    ["Publish your first skill", "/console/publish"],
    ["Try it", "/console/try"],
    ["Add a model", "/console/models"],
    ["Connect an app", "/console/grants"],
  ] as const) {
    await page.getByRole("link", { name: step, exact: true }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe(path);
    await page.goto(`${desk.gateway.url}/console/`);
  }
  const { buffer } = zipOf("mine.zip", { "mine/SKILL.md": skillText("mine", "1.0.0", "Text.") });
  const form = new FormData();
  form.set("file", new Blob([new Uint8Array(buffer)]), "mine.zip");
  const headers = { authorization: `Bearer ${key}` };
  const sent = await fetch(`${desk.gateway.url}/api/v1/kinds/skills/upload`, { method: "POST", headers, body: form });
  expect(sent.status).toBe(201);
  await page.reload();
  await page.getByText("1 of 4").waitFor();
  expect(await barriers(page)).toEqual([]);
  await desk.as(key, "POST", "/conversations/first/turns", { conversation: { title: "A first talk" } });
  await page.reload();
  await page.getByRole("link", { name: "A first talk" }).waitFor();
  expect(await page.getByText("Get started").count()).toBe(0);
  expect(await page.getByRole("region", { name: "Your conversations" }).innerText()).toMatch(
    /^Your conversations\s+1\s/,
  );
});

it("shows the usage of a period, and what needs attention first", async () => {
  const key = await desk.keyOf("ben");
  await desk.as(key, "PUT", "/servers/broken", { url: "http://127.0.0.1:9/mcp" });
  await desk.as(key, "POST", "/conversations/calls/turns", { conversation: {} });
  await desk.as(key, "POST", "/conversations/calls/tool-calls", {
    calls: [{ id: "1", name: "broken__echo", arguments: {} }],
  });
  const counts = (loads: number, calls: number, failures: number) => ({ loads, calls, failures, tokens: loads * 10 });
  const asked: string[] = [];
  const { page } = desk.seen;
  // Conversations report their counts once an hour, so the answer is a fixed one.
  await page.route("**/kinds/skills/usage?**", (route) => {
    asked.push(new URL(route.request().url()).search);
    return route.fulfill({
      json: {
        ...{
          since: "2026-11-19",
          until: "2026-11-25",
          skills: 2,
          totals: counts(120, 50, 10),
          before: counts(100, 50, 5),
        },
        days: [{ day: "2026-11-25", ...counts(120, 50, 10) }],
        top: [
          { skill_id: "skl_a", skill_name: "\u202Ewell", ...counts(100, 30, 0) },
          { skill_id: "skl_b", skill_name: "weak", ...counts(20, 20, 10) },
        ],
      },
    });
  });
  // As ten minutes later: one conversation has reported its tokens, and one has not.
  const created = {
    title: null,
    ghost: null,
    created_at: new Date().toISOString(),
    failed_calls: 0,
    last_turn_at: null,
  };
  const items = [
    { id: "reported", ...created, turns: 9, tokens: 2_000, pasted_tokens: 14_300 },
    { id: "new", ...created, turns: null, tokens: null, pasted_tokens: null },
  ];
  await page.route("**/conversations?**", (route) => route.fulfill({ json: { items, next_cursor: null } }));
  await desk.enter(key, "/");
  await page.getByRole("region", { name: "Skill loads", exact: true }).getByText("120").waitFor();
  const saved = page.getByRole("region", { name: "Your tokens saved" });
  expect(await saved.innerText()).toMatch(/86\.0 %\s+2k billed, 14\.3k with all skills pasted/);
  expect(await page.getByRole("region", { name: "Skill loads", exact: true }).innerText()).toContain("20 %");
  expect(await page.getByRole("region", { name: "Failed tool calls" }).innerText()).toContain("20.0 %");
  const attention = page.locator(".card", { hasText: "Needs attention" }).getByRole("listitem");
  expect(await attention.allInnerTexts()).toEqual([
    expect.stringContaining("broken"),
    expect.stringContaining("50 % of 20 tool calls failed."),
  ]);
  expect(await page.getByRole("region", { name: "Top skills" }).locator("tbody tr").allInnerTexts()).toEqual([
    expect.stringContaining("⟨U+202E⟩well"),
    expect.stringContaining("50.0 %"),
  ]);
  expect([await overflows(page), await barriers(page)]).toEqual([false, []]);
  await page.getByRole("link", { name: "30 days" }).click();
  await expect.poll(() => asked.at(-1)).toBe("?days=30");
  expect(new URL(page.url()).search).toBe("?days=30");
});
