import { stat } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { PARTS } from "../../scripts/build/static.mjs";
import { root } from "../../scripts/kit/files.mjs";
import { readWranglerConfig } from "../../scripts/kit/wrangler-config.mjs";

it("`npm run dev` makes a static part anew when one of its sources changes", async () => {
  const { build } = await readWranglerConfig();
  const sources = ["scripts/build", ...PARTS.flatMap((part) => part.sources)];
  const unseen = sources.filter((source) =>
    build.watch_dir.every((watched: string) => path.relative(watched, source).startsWith("..")),
  );
  expect(unseen).toEqual([]);
  for (const watched of build.watch_dir) await stat(path.join(root, watched));
});
