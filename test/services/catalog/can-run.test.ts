import { env } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import { codeBarOf } from "../../../src/services/catalog/can-run";
import { readView } from "../../../src/services/catalog/read-view";
import type { Context } from "../../../src/services/context";
import { keyFor } from "../../support/call";
import { publishOwn, publishPublic } from "../../support/chat-turns";
import { contextOf } from "../../support/context";

const sources = import.meta.glob<string>("../../../src/**/*.ts", { query: "?raw", import: "default", eager: true });

let ids: Record<"open" | "mine", string>;
beforeAll(async () => {
  const [open, mine] = [await publishPublic({ name: "open" }), await publishOwn(await keyFor("ann"), { name: "mine" })];
  ids = { open: open.id, mine: mine.id };
});

async function bar(name: "open" | "mine", change: (context: Context) => Context = (context) => context) {
  const context = change({ ...contextOf("ann"), loader: env.LOADER });
  const view = await readView(context, {});
  return codeBarOf(context, view, { name, skill_id: ids[name] });
}

it("lets only public skills through, with a loader, while the registry answers", async () => {
  expect(await bar("open")).toBeNull();
  expect(await bar("mine")).toBe("not_allowed");
  expect(await bar("open", ({ loader: _, ...rest }) => rest)).toBe("no_loader");
  expect(await bar("open", (context) => ({ ...context, caller: { ...context.caller, stale: true } }))).toBe("stale");
  const context = { ...contextOf("bob"), loader: env.LOADER };
  expect(await codeBarOf(context, await readView(context, {}), { name: "mine", skill_id: ids.mine })).toBe(
    "not_visible",
  );
});

it("is checked in one place, and the loader is used in one folder", () => {
  const using = (pattern: RegExp) =>
    Object.entries(sources)
      .filter(([, text]) => pattern.test(text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "")))
      .map(([path]) => path.replace("../../../src/", ""))
      .sort();
  // `permissions.ts` reports what a version can do, and runs nothing.
  expect(using(/\bcanExecute\b/)).toEqual([
    "domain/access/access.ts",
    "domain/code/permissions.ts",
    "services/catalog/can-run.ts",
  ]);
  expect(using(/\.get\([^)]*\)\s*\.getEntrypoint|loader\.(get|load)\(/)).toEqual([
    "sandbox/compiling.ts",
    "sandbox/isolate.ts",
    "sandbox/local-isolates.ts",
  ]);
});
