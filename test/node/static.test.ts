import { stat } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { PARTS } from "../../scripts/build/static.mjs";
import { root } from "../../scripts/kit/files.mjs";
import { readWranglerConfig } from "../../scripts/kit/wrangler-config.mjs";

it("`npm run dev` makes a static part anew when one of its sources changes", async () => {
  const { build } = await readWranglerConfig();
  expect(build.watch_dir).toEqual(
    expect.arrayContaining(["scripts/build", ...PARTS.flatMap(({ sources }) => sources)]),
  );
  for (const watched of build.watch_dir) await stat(path.join(root, watched));
});
