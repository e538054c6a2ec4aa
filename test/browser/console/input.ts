// Operates a page with the mouse or with the keyboard alone, and counts the actions.

import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** Maximum number of key presses to reach an element. */
const MOST_STEPS = 200;

export type HandsName = "mouse" | "keyboard";

export abstract class Hands {
  /** Number of presses, filled fields, selected options and uploaded packages. */
  actions = 0;

  constructor(
    protected readonly page: Page,
    readonly name: HandsName,
  ) {}

  /** Presses a button, a link or a checkbox. */
  async press(target: Locator): Promise<void> {
    this.actions++;
    await this.onto(target);
    await this.strike(target);
  }

  /** Replaces the text of a field. */
  async write(target: Locator, text: string): Promise<void> {
    this.actions++;
    await this.onto(target);
    await this.page.keyboard.press("ControlOrMeta+a");
    await this.page.keyboard.type(text);
  }

  /** Selects an option by its text. */
  async choose(target: Locator, text: string): Promise<void> {
    this.actions++;
    await this.pick(target, text);
    await expect.poll(() => target.evaluate(chosenText)).toBe(text);
  }

  /** Uploads a package: a local folder or a ZIP. */
  async give(path: string): Promise<void> {
    this.actions++;
    await this.hand(path);
  }

  /** Presses an item of the open menu. */
  async pressInMenu(item: Locator): Promise<void> {
    this.actions++;
    await this.pickInMenu(item);
  }

  /** Focuses an element. */
  protected abstract onto(target: Locator): Promise<void>;
  protected abstract strike(target: Locator): Promise<void>;
  protected abstract pick(target: Locator, text: string): Promise<void>;
  protected abstract hand(path: string): Promise<void>;
  protected abstract pickInMenu(item: Locator): Promise<void>;
}

const chosenText = (element: Element) => (element as HTMLSelectElement).selectedOptions[0]?.text;

class Mouse extends Hands {
  protected onto(target: Locator): Promise<void> {
    return target.click();
  }

  // The click in `onto` already pressed the element.
  protected strike(): Promise<void> {
    return Promise.resolve();
  }

  /** The operating system draws the list of options, so the test cannot click an option. */
  protected async pick(target: Locator, text: string): Promise<void> {
    await target.selectOption({ label: text });
  }

  protected async pickInMenu(item: Locator): Promise<void> {
    await item.click();
  }

  /** Drags a file from outside the browser to the middle of the page. */
  protected async hand(path: string): Promise<void> {
    const browser = await this.page.context().newCDPSession(this.page);
    const { width, height } = this.page.viewportSize() ?? { width: 0, height: 0 };
    const data = { items: [], files: [path], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"] as const)
      await browser.send("Input.dispatchDragEvent", { type, x: width / 2, y: height / 2, data });
    await browser.detach();
  }
}

class Keyboard extends Hands {
  protected async onto(target: Locator): Promise<void> {
    await target.waitFor();
    for (let step = 0; step < MOST_STEPS; step++) {
      const way = await target.evaluate(wayTo);
      if (way === "here") return;
      await this.page.keyboard.press(way === "back" ? "Shift+Tab" : "Tab");
    }
    throw new Error(`the keyboard does not reach ${target}`);
  }

  protected async strike(target: Locator): Promise<void> {
    await this.page.keyboard.press((await target.evaluate(isBox)) ? "Space" : "Enter");
  }

  protected async pick(target: Locator, text: string): Promise<void> {
    await this.onto(target);
    await this.page.keyboard.type(text);
  }

  /** The arrow keys move through a menu. Tab would leave it. */
  protected async pickInMenu(item: Locator): Promise<void> {
    await item.waitFor();
    for (let step = 0; step < MOST_STEPS; step++) {
      if ((await item.evaluate(wayTo)) === "here") return this.page.keyboard.press("Enter");
      await this.page.keyboard.press("ArrowDown");
    }
    throw new Error(`the keyboard does not reach ${item}`);
  }

  /** Presses the button and selects the file in the system dialog. */
  protected async hand(path: string): Promise<void> {
    const button = /\.(?:zip|skill|md)$/.test(path) ? "Choose a ZIP or SKILL.md" : "Choose a folder";
    const target = this.page.getByRole("button", { name: button });
    await this.onto(target);
    const [window] = await Promise.all([this.page.waitForEvent("filechooser"), this.strike(target)]);
    await window.setFiles(path);
  }
}

/** The direction from the focused element to an element, or to the field inside a label. */
function wayTo(element: Element): "here" | "back" | "on" {
  const focused = document.activeElement;
  if (focused === null || focused === document.body) return "on";
  if (focused === element || (element.tagName === "LABEL" && element.contains(focused))) return "here";
  return focused.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING ? "back" : "on";
}

const isBox = (element: Element) =>
  element.tagName === "SUMMARY" ||
  element.querySelector("input[type=checkbox]") !== null ||
  element.matches("input[type=checkbox]");

/** Returns the input device for a page. */
export const handsOn = (page: Page, name: HandsName): Hands =>
  name === "mouse" ? new Mouse(page, name) : new Keyboard(page, name);
