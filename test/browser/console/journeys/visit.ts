// Context of a user journey: a page, an input device, and names that are unique in the gateway.

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { barriers } from "../../axe";
import { keyField } from "../../chromium";
import type { Gateway } from "../../gateway";
import type { Hands } from "../input";
import { hasDrawer, overflows, zipOf } from "../page";

/** One user journey through the console, from its first page to its goal. */
export type Journey = (visit: Visit) => Promise<void>;

export class Visit {
  constructor(
    readonly gateway: Gateway,
    readonly context: BrowserContext,
    readonly page: Page,
    readonly hands: Hands,
    /** Lower case letters and digits, unique among the visits to this gateway. */
    readonly tag: string,
    /** Folder for files that the journey uploads. */
    private readonly folder: string,
  ) {}

  /** Returns a name that is unique to this visit. */
  named(name: string): string {
    return `${name}-${this.tag}`;
  }

  /** Creates a key for a new user. */
  async keyFor(name: string): Promise<string> {
    const made = await this.gateway.call<{ key: string }>("POST", "/keys", { user_id: this.named(name) });
    expect(made.status).toBe(201);
    return made.body.key;
  }

  /** Creates a local folder of files for an upload. */
  async folderOf(name: string, files: Record<string, string>): Promise<string> {
    const target = path.join(this.folder, name);
    for (const [file, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(target, file)), { recursive: true });
      await writeFile(path.join(target, file), text);
    }
    return target;
  }

  /** Publishes a skill for the user of a key, or for a group. */
  async publish(key: string, name: string, text: string, namespace = "default"): Promise<void> {
    const { buffer } = zipOf(`${name}.zip`, { [`${name}/SKILL.md`]: text });
    const form = new FormData();
    form.set("file", new Blob([new Uint8Array(buffer)]), `${name}.zip`);
    form.set("namespace", namespace);
    const answer = await fetch(`${this.gateway.url}/api/v1/kinds/skills/upload`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });
    expect(answer.status, await answer.text()).toBe(201);
  }

  async press(role: "button" | "link", name: string, within: Page | Locator = this.page): Promise<void> {
    await this.hands.press(within.getByRole(role, { name, exact: true }));
  }

  /** Opens a page of the console and signs in. */
  async enter(key: string, place = "/console/"): Promise<void> {
    await this.page.goto(this.gateway.url + place);
    await this.hands.write(keyField(this.page), key);
    await this.press("button", "Sign in");
    await this.page.locator("#page").waitFor();
  }

  async leave(): Promise<void> {
    if (hasDrawer(this.page)) await this.press("button", "Open the navigation");
    await this.hands.press(this.page.getByRole("button", { name: /^Account: / }));
    await this.hands.pressInMenu(this.page.getByRole("menuitem", { name: "Sign out" }));
    await keyField(this.page).waitFor();
  }

  /** Opens a page through the navigation, and then one of its tabs. */
  async go(name: string, tab?: string): Promise<void> {
    if (hasDrawer(this.page)) await this.press("button", "Open the navigation");
    await this.press("link", name, this.page.getByRole("navigation", { name: "Console" }));
    if (tab !== undefined) await this.press("link", tab, this.page.getByRole("navigation", { name, exact: true }));
  }

  /** Does a job and checks the number of its steps: presses, filled fields and uploads. On phones, one more opens the navigation. */
  async inSteps(most: number, job: () => Promise<void>): Promise<void> {
    const before = this.hands.actions;
    await job();
    expect(this.hands.actions - before).toBeLessThanOrEqual(most + (hasDrawer(this.page) ? 1 : 0));
  }

  heading(name: string): Locator {
    return this.page.getByRole("heading", { name, exact: true });
  }

  /** The entry of a version in the timeline, optionally with a mark such as `current`. */
  entry(version: string, mark?: string): Locator {
    const entries = this.page.getByRole("list", { name: "Versions" }).getByRole("listitem");
    const found = entries.filter({ has: this.page.getByText(version, { exact: true }) });
    return mark === undefined ? found : found.filter({ has: this.page.getByText(mark, { exact: true }) });
  }

  row(text: string): Locator {
    return this.page.getByRole("row").filter({ hasText: text });
  }

  /** Checks the current state of the page: nothing overflows, and axe finds no violations. */
  async look(state: string): Promise<void> {
    expect([state, await overflows(this.page), await barriers(this.page)]).toEqual([state, false, []]);
  }
}
