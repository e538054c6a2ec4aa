// Acts as a user of `@assistant-ui/react` in Chromium: types, clicks, reads.

import { expect } from "vitest";
import { complaints, type openBrowser } from "../../browser/chromium";

// Clients install their own version of Playwright, with different types.
export type Browser = Awaited<ReturnType<typeof openBrowser>>;
type BrowserContext = Awaited<ReturnType<Browser["newContext"]>>;
type Page = Awaited<ReturnType<Browser["newPage"]>>;

export class Chat {
  private constructor(
    readonly page: Page,
    private readonly context: BrowserContext,
    private readonly heard: string[],
  ) {}

  static async open(browser: Browser, url: string): Promise<Chat> {
    const context = await browser.newContext();
    const heard = complaints(context);
    const page = await context.newPage();
    await page.goto(url);
    return new Chat(page, context, heard);
  }

  /** Closes the page and checks that it reported no errors. */
  async close(): Promise<void> {
    await this.context.close();
    expect(this.heard).toEqual([]);
  }

  async say(text: string): Promise<void> {
    await this.page.getByLabel("Message", { exact: true }).fill(text);
    await this.press("Message: send");
  }

  /** Sends a message and waits for the answer. */
  async ask(text: string, answer: string): Promise<void> {
    await this.say(text);
    await this.reads(answer);
  }

  press(name: string, at = 0): Promise<void> {
    return this.page.getByRole("button", { name, exact: true }).nth(at).click();
  }

  /** The last answer is complete and has this text. */
  async reads(answer: string): Promise<void> {
    await this.shows(answer);
    await this.page.locator("output", { hasText: "idle" }).waitFor();
    expect((await this.answers()).at(-1)).toBe(answer);
  }

  /** Waits until the last answer shows this text, even if it is incomplete. */
  shows(text: string): Promise<void> {
    return this.page.locator(".assistant:last-of-type .said").last().filter({ hasText: text }).waitFor();
  }

  answers(): Promise<string[]> {
    return this.page.locator(".said").allInnerTexts();
  }

  async attach(files: { name: string; mimeType: string; base64: string }[]): Promise<void> {
    const chooser = this.page.waitForEvent("filechooser");
    await this.press("Attach");
    const chosen = files.map(({ base64, ...file }) => ({ ...file, buffer: Buffer.from(base64, "base64") }));
    await (await chooser).setFiles(chosen);
    await this.page
      .locator(".attachment")
      .nth(files.length - 1)
      .waitFor({ state: "attached" });
  }

  async edit(at: number, text: string): Promise<void> {
    await this.press("Edit", at);
    await this.page.getByLabel("Edited", { exact: true }).fill(text);
    await this.press("Edited: send");
  }

  /** Returns the number of runs of the page's own tool. */
  times(): Promise<number> {
    return this.page.evaluate("times");
  }
}
