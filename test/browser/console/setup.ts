// Shared setup of the console tests.

import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { openBrowser } from "../chromium";
import { Gateway } from "../gateway";
import { open, type Seen, signIn } from "./page";

/** One gateway and one browser. Each user has their own page, which must not report errors. */
export class Desk {
  #gateway: Gateway | null = null;
  #browser: Browser | null = null;
  #seen: Seen | null = null;

  /** @param settings those of its own gateway, or `shared` for the gateway that several files share */
  constructor(settings: Record<string, string> | "shared" = {}) {
    beforeAll(async () => {
      const gateway = settings === "shared" ? Gateway.shared() : Gateway.start(settings);
      [this.#gateway, this.#browser] = await Promise.all([gateway, openBrowser()]);
    });
    afterAll(async () => {
      await Promise.all([this.#browser?.close(), settings === "shared" ? null : this.#gateway?.stop()]);
    });
    beforeEach(async () => {
      this.#seen = await open(this.browser, this.gateway.url);
    });
    afterEach(async () => {
      await this.seen.context.close();
      expect(this.seen.heard()).toEqual([]);
    });
  }

  get gateway(): Gateway {
    return there(this.#gateway);
  }

  get browser(): Browser {
    return there(this.#browser);
  }

  /** The page of the current test. */
  get seen(): Seen {
    return there(this.#seen);
  }

  /** Creates a key for a user. */
  async keyOf(user: string, more: Record<string, unknown> = {}): Promise<string> {
    return (await this.gateway.call<{ key: string }>("POST", "/keys", { user_id: user, ...more })).body.key;
  }

  /** Sends a request of another client with the given key. Returns the response for every status. */
  as<T = Record<string, unknown>>(key: string, method: string, route: string, body?: unknown) {
    return this.gateway.call<T>(method, route, body, { authorization: `Bearer ${key}` });
  }

  /** Signs in and opens a page of the console. */
  async enter(key: string, path: string): Promise<Page> {
    const { page } = this.seen;
    await signIn(page, this.gateway.url, key, `/console${path}`);
    return page;
  }
}

function there<T>(thing: T | null): T {
  if (thing === null) throw new Error("Not before the tests have begun.");
  return thing;
}
