// Size limits of the Worker's modules, and modules that must not be included.

import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { bundleWorker, startModules } from "../../scripts/build/bundle.mjs";
import { checkCeiling, checkStart, MOST_BYTES, MOST_START_KIB } from "../../scripts/build/ceiling.mjs";

it("a release whose modules are too large together is refused, with the largest", () => {
  const half = "x".repeat(MOST_BYTES / 2);
  expect(() => checkCeiling({ "index.js": half, "lazy.js": half })).not.toThrow();
  // Bytes count: this is one character and two bytes.
  expect(() => checkCeiling({ "index.js": half, "lazy.js": half, "small.js": "é" })).toThrow(
    /^The Worker's modules are too large \(limit 2299 KiB, found 2299 KiB\).* index\.js 1150 KiB, lazy\.js 1150 KiB, small\.js 0 KiB/,
  );
});

it("a release that reads too much at its start is refused", () => {
  // Random text does not compress.
  const text = randomBytes(MOST_START_KIB * 512).toString("latin1");
  expect(() => checkStart([text])).not.toThrow();
  expect(() => checkStart([text, text])).toThrow(
    /^The code that the Worker loads at its start is too large \(limit .* KiB gzip, found /,
  );
});

it("the Worker as it is deployed is small enough, and has no compiler in it", { tags: ["slow"] }, async () => {
  const { modules, metafile } = await bundleWorker({ entry: "src/index.ts", release: true });
  checkCeiling(modules);
  checkStart(startModules(metafile).map((name) => modules[name] ?? ""));
  const compilers = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).filter(
      ([file, { bytesInOutput }]) => bytesInOutput > 0 && /node_modules\/(acorn|sucrase)\//.test(file),
    ),
  );
  expect(compilers).toEqual([]);
});
