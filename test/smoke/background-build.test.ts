// The builds that `npm start` runs after it is ready, in a copy of this checkout with an outdated console or client.

import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { prepareAssets } from "../../scripts/build/static.mjs";
import { copyCheckout } from "./checkout";
import { type Gateway, newPlace, start } from "./launcher";

/** These tests build the console several times beside the gateway that they start. */
const SLOW = { timeout: 300_000 };

let checkout: string;
beforeAll(async () => {
  await prepareAssets();
  checkout = await copyCheckout();
});
afterAll(() => rm(checkout, { recursive: true, force: true }));

const inPublic = (...names: string[]) => path.join(checkout, "public", ...names);
const get = (gateway: Gateway, route: string) => fetch(new URL(route, gateway.url));
const drafts = async () => (await readdir(inPublic(), { recursive: true })).filter((name) => name.endsWith(".tmp"));

/** Deletes one built file of each part, so that a start builds both. */
async function outdate(): Promise<void> {
  await rm(inPublic("console", "index.html"));
  await rm(inPublic("client", "react.js"));
}

it("requests for a part that is still being built wait for it, and one line says so", SLOW, async () => {
  await outdate();
  const run = start(await newPlace(), { checkout });
  const gateway = await run.ready();
  const [page, again, me] = await Promise.all([
    get(gateway, "/console/"),
    get(gateway, "/console/"),
    gateway.fetch("/api/v1/me"),
  ]);
  expect([page.status, again.status, me.status]).toEqual([200, 200, 200]);
  expect(page.headers.get("content-security-policy")).toContain("require-trusted-types-for 'script'");
  expect(await page.text()).toBe(await readFile(inPublic("console", "index.html"), "utf8"));
  const script = await get(gateway, "/client/react.js");
  expect([script.status, script.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  expect((await get(gateway, "/client/nothing.js")).status).toBe(404);
  const waited = run.stderr.filter((line) => line.includes("the console"));
  expect(waited).toEqual(["A request is waiting for the console, which is still being built."]);
});

it("a stop meanwhile leaves nothing half-written, and two starts at once finish it", SLOW, async () => {
  await outdate();
  const stopped = start(await newPlace(), { checkout });
  await stopped.ready();
  await stopped.stop("SIGINT");
  expect(await stopped.exit).toBe(0);
  expect(stopped.stderr.filter((line) => line.includes("✗"))).toEqual([]);
  expect(await drafts()).toEqual([]);

  const both = await Promise.all(
    [await newPlace(), await newPlace()].map((place) => start(place, { checkout }).ready()),
  );
  for (const route of ["/console/", "/client/react.js"]) {
    const answers = await Promise.all(both.map((gateway) => get(gateway, route)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const [one, other] = await Promise.all(answers.map((answer) => answer.text()));
    expect(one).toBe(other);
  }
  expect(await drafts()).toEqual([]);
});

it("a part that cannot be built is one line, and the API works without it", SLOW, async () => {
  const main = path.join(checkout, "console", "src", "main.tsx");
  const text = await readFile(main, "utf8");
  await writeFile(main, `${text}\nthis is no program`);
  const run = start(await newPlace(), { checkout });
  const gateway = await run.ready();
  await run.line(/^✗ /);
  const page = await get(gateway, "/console/");
  expect([page.status, await page.text()]).toEqual([503, expect.stringContaining("could not build the console")]);
  expect((await gateway.fetch("/api/v1/me")).status).toBe(200);
  const lines = run.stderr.filter((line) => !line.startsWith("✔") && !line.startsWith("A request"));
  expect(lines).toEqual([
    expect.stringMatching(/^✗ the console could not be built \(.+\)\. The API works without it\. Run npm run build /),
  ]);
  await run.stop();
  await writeFile(main, text);
});
