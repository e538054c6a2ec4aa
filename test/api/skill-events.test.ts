// Events that a tool emits while it runs: to the page's socket, and to the operator's log.

import { expect, it, vi } from "vitest";
import { publishPublic, talk } from "../support/chat-turns";
import { Page } from "../support/page";
import { providerSkill } from "../support/provider";

it("what a tool emits and logs last reaches the page and the log before its answer is there", async () => {
  const skill = providerSkill("teller", {
    tell: "context.log('half'); await context.emit('progress', { of: 2 }); context.emit('done'); context.log('end'); return 'told'",
  });
  await publishPublic(skill);
  const chat = await talk("alice");
  await chat.load("teller");
  const page = await Page.greeted(chat.route.split("/").at(-1)!, { key: chat.key });
  const logged = vi.spyOn(console, "log").mockImplementation(() => {});
  const result = await chat.use("tell");
  const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)));
  logged.mockRestore();
  await page.pong();
  expect(result.content).toEqual([{ type: "text", text: "told" }]);
  expect(page.frames.filter((frame) => frame.type === "skill:event")).toMatchObject([
    { skill_name: "teller", action: "progress", payload: { of: 2 } },
    { skill_name: "teller", action: "done", payload: null },
  ]);
  expect(lines.filter(({ event }) => event === "skill_log")).toMatchObject([
    { skill: "teller", text: "half" },
    { skill: "teller", text: "end" },
  ]);
});
