// Finds accessibility violations on a page with axe.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Only two rules read preloaded style sheets and media: one that is off by default, and one that never finds anything serious.
 * `resultTypes` shortens the lists of nodes of all other results.
 */
const OPTIONS = { resultTypes: ["violations"], preload: false };

interface Finding {
  id: string;
  impact: string | null;
  nodes: { target: unknown }[];
}

/**
 * Returns the serious and critical violations with rule and location. Injects axe through the debugger, because the policy of the pages
 * blocks scripts.
 */
export async function barriers(page: Page): Promise<string[]> {
  // A page keeps the script until it loads another document.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(source);
  const { violations, passes } = await page.evaluate<{ violations: Finding[]; passes: Finding[] }>(
    // A color that is still changing has another contrast. Animations without an end, such as a spinner, are not awaited.
    `(async () => {
      const ends = (animation) => animation.effect?.getComputedTiming().endTime !== Infinity;
      await Promise.allSettled(document.getAnimations().filter(ends).map(({ finished }) => finished));
      const { violations, passes } = await axe.run(document, ${JSON.stringify(OPTIONS)});
      return { violations, passes: passes.slice(0, 1) };
    })()`,
  );
  if (passes.length === 0) throw new Error("axe has looked at nothing");
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${JSON.stringify(target)}`));
}
