// Runs the page example of README.md as printed: a back end creates tickets for the page, and a user answers a question.

import { expect, it } from "vitest";
import { blocksOf } from "../support/printed";
import { complaints, openBrowser, ownPages } from "./chromium";
import { Gateway } from "./gateway";

it("README.md: the page connects with its back end's ticket, and answers", async () => {
  const [block, ...others] = blocksOf("README.md").filter(({ language }) => language === "js");
  expect(others).toEqual([]);
  const gateway = Gateway.shared();
  const browser = await openBrowser();
  try {
    const context = await ownPages(browser);
    const heard = complaints(context);
    const page = await context.newPage();
    await page.route("**/my-back-end/ticket", async (route) => {
      const { body } = await gateway.call("POST", "/conversations/chat-1/tickets", { origin: gateway.url });
      await route.fulfill({ json: body });
    });
    await gateway.call("PUT", "/conversations/chat-1", {});
    const shown: string[] = [];
    page.on("dialog", (dialog) => {
      shown.push(dialog.message());
      void dialog.accept();
    });
    await page.goto(`${gateway.url}/client/skill-gateway.js`);
    await page.addScriptTag({ type: "module", content: block?.code ?? "" });
    const { body } = await gateway.call("POST", "/conversations/chat-1/requests", {
      action: "confirm",
      payload: { text: "Delete it?" },
      timeout_ms: 30_000,
    });
    expect(body).toMatchObject({ state: "resolved", success: true, result: true });
    expect(shown).toEqual(["Delete it?"]);
    expect(heard).toEqual([]);
  } finally {
    await browser.close();
  }
});
