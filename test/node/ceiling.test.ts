// What the Worker's modules may be together, and what is not among them.

import { expect, it } from "vitest";
import { bundleWorker } from "../../scripts/build/bundle.mjs";
import { checkCeiling, MOST_BYTES } from "../../scripts/build/ceiling.mjs";

it("a release whose modules are too large together is refused, with the largest", () => {
  const half = "x".repeat(MOST_BYTES / 2);
  expect(() => checkCeiling({ "index.js": half, "lazy.js": half })).not.toThrow();
  // Bytes count: this is one character and two bytes.
  expect(() => checkCeiling({ "index.js": half, "lazy.js": half, "small.js": "é" })).toThrow(
    /^The Worker's modules are 1985 KiB together, and may be 1985 KiB.* index\.js 992 KiB, lazy\.js 992 KiB, small\.js 0 KiB/,
  );
});

it("the Worker as it is deployed is small enough, and has no compiler in it", async () => {
  const { modules, metafile } = await bundleWorker({ entry: "src/index.ts", release: true });
  checkCeiling(modules);
  const compilers = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).filter(
      ([file, { bytesInOutput }]) => bytesInOutput > 0 && /node_modules\/(acorn|sucrase)\//.test(file),
    ),
  );
  expect(compilers).toEqual([]);
});
