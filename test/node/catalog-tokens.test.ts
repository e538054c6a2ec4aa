// The catalog pages have the colors and sizes of the console.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.join(import.meta.dirname, "../..");
const tokensIn = (text: string) =>
  new Map([...text.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name = "", value = ""]) => [name, value]));

it("the tokens of the catalog pages are those of the console", async () => {
  const [console, pages] = await Promise.all(
    ["console/src/style/tokens.css", "src/pages/catalog/layout.ts"].map(async (file) =>
      tokensIn(await readFile(path.join(root, file), "utf8")),
    ),
  );
  expect(pages?.size).toBeGreaterThan(20);
  for (const [name, value] of pages ?? []) expect([name, value]).toEqual([name, console?.get(name)]);
});
