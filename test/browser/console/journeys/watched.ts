// A conversation that another client drives over HTTP: the page updates by itself, also while skills expire, and shows earlier turns.

import { expect } from "vitest";
import type { Visit } from "./visit";

/** Maximum time until the page shows a change. */
const SOON = { timeout: 10_000 };
const SKILL = "mermaid-diagram";

export async function watched(visit: Visit): Promise<void> {
  const { page, gateway } = visit;
  const key = await visit.keyFor("driver");
  const chat = `/conversations/${visit.named("driven")}`;
  const drive = async (route: string, body: object) => {
    const answer = await gateway.call("POST", chat + route, body, { authorization: `Bearer ${key}` });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  };
  const turn = () => drive("/turns", { conversation: {} });
  await turn();
  await visit.enter(key, `/console${chat}`);
  await page.getByText("Live", { exact: true }).waitFor(SOON);
  await page.getByText("No active skills.").waitFor();
  await visit.look("a conversation in which nothing has happened");

  const call = { id: "call_1", name: "load_skill", arguments: { skill_name: SKILL } };
  await drive("/tool-calls", { calls: [call] });
  await page.getByText("load_skill").waitFor(SOON);
  const inPrompt = page.getByRole("region", { name: "Active skills" }).getByRole("row").filter({ hasText: SKILL });
  await turn();
  await inPrompt.waitFor(SOON);
  await page.getByText("Latest: turn 2", { exact: false }).waitFor(SOON);
  await visit.look("a conversation with a skill");
  await turn();
  await page.getByText("Latest: turn 3", { exact: false }).waitFor(SOON);

  await visit.press("button", "Previous turn");
  await visit.press("button", "Previous turn");
  await page.getByText("Showing turn 1", { exact: false }).waitFor();
  await visit.look("a turn of before");
  // The conversation continues while the page stays at the selected turn.
  await turn();
  await page.getByText("Showing turn 1", { exact: false }).waitFor();
  await visit.press("button", "Latest");
  await page.getByText("Latest: turn 4", { exact: false }).waitFor(SOON);
}
