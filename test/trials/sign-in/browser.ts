// Drives Chromium as the user's browser: enters a key and approves the host's request.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { Browser } from "playwright-core";
import { openBrowser } from "../../browser/chromium";

export class UserBrowser {
  /** The URLs that a host asked to open. */
  readonly opened: string[] = [];
  /** Errors during the sign-in. */
  readonly problems: string[] = [];

  private constructor(
    private readonly chromium: Browser,
    private readonly server: Server,
    private readonly key: () => string,
  ) {
    server.on("request", async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      response.end();
      const url = Buffer.concat(chunks).toString();
      this.opened.push(url);
      await this.allow(url).catch((error: unknown) => this.problems.push(`${error}`));
    });
  }

  static async start(key: () => string): Promise<UserBrowser> {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    return new UserBrowser(await openBrowser(), server, key);
  }

  /** The environment of a host that opens this browser. */
  get env(): Record<string, string> {
    const at = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return { BROWSER: path.join(import.meta.dirname, "open.mjs"), TRIED_BROWSER: at };
  }

  async stop(): Promise<void> {
    this.server.close();
    await this.chromium.close();
  }

  private async allow(url: string): Promise<void> {
    const context = await this.chromium.newContext({ javaScriptEnabled: false });
    try {
      const page = await context.newPage();
      await page.goto(url);
      await page.getByLabel("Your key, or a sign-in link").fill(this.key());
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("button", { name: /^Allow, as/ }).click();
      // The host's own page after the sign-in.
      await page.waitForURL(/[?&]code=/);
    } finally {
      await context.close();
    }
  }
}
