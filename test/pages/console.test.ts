// Redirects to the console and its files. The files are stand-ins, because not every run has built them.

import { describe, expect, it } from "vitest";
import { askWith } from "../support/app";

const BROWSER = { headers: { accept: "text/html" } };
const FILES = new Map([
  ["/console/", "the page"],
  ["/console/assets/a-1.js", "a module"],
]);
const files = (known: ReadonlyMap<string, string>) => ({
  fetch: async (asked: Request | URL) => {
    const text = known.get(new URL(asked instanceof Request ? asked.url : asked).pathname);
    return new Response(text ?? null, { status: text === undefined ? 404 : 200 });
  },
});
const BUILT = { ASSETS: files(FILES) };
const NOT_BUILT = { ASSETS: files(new Map()) };

describe("/", () => {
  it("redirects a browser to the console, and returns the usual answer to a program", async () => {
    const led = await askWith(BUILT, "/", BROWSER);
    expect([led.status, led.headers.get("location"), led.headers.get("cache-control")]).toEqual([
      ...[302, "/console", "no-cache"],
    ]);
    const told = await askWith(BUILT, "/", { headers: { accept: "application/json" } });
    expect([told.status, told.headers.get("content-type")]).toEqual([200, "application/json"]);
  });

  it.each([
    ["with CONSOLE=off", { ...BUILT, CONSOLE: "off" }],
    ["where none was built", NOT_BUILT],
  ])("is its own page %s", async (_, settings) => {
    expect((await askWith(settings, "/", BROWSER)).status).toBe(200);
  });
});

describe("/console", () => {
  it("is the page at every place of it, and files by their names", async () => {
    for (const place of ["/console", "/console/", "/console/library", "/console/skills/1?version=2"])
      expect(await (await askWith(BUILT, place, BROWSER)).text(), place).toBe("the page");
    expect(await (await askWith(BUILT, "/console/assets/a-1.js")).text()).toBe("a module");
    expect((await askWith(BUILT, "/console/assets/b-2.js")).status).toBe(404);
  });

  it("is nothing with CONSOLE=off, and where none was built", async () => {
    for (const settings of [{ ...BUILT, CONSOLE: "off" }, NOT_BUILT])
      expect((await askWith(settings, "/console", BROWSER)).status).toBe(404);
  });
});
