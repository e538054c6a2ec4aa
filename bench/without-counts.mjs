// Builds a gateway that counts no uses, to compare the others with.

import { readFile } from "node:fs/promises";

/** A plugin for esbuild that removes the counting of uses. It fails if the functions have another form. */
export const withoutCounts = {
  name: "without counts",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]services[\\/]skill-use\.ts$/ }, async ({ path: file }) => {
      let contents = await readFile(file, "utf8");
      for (const [head, body] of [
        [/export function usesAfter\([^)]*\): Uses \{\n/, "  return before;\n"],
        [/export function changeCounts\([\s\S]*?\): void \{\n/, "  return;\n"],
      ]) {
        if (!head.test(contents)) throw new Error(`${file} has no function like ${head}`);
        contents = contents.replace(head, (found) => found + body);
      }
      return { contents, loader: "ts" };
    });
  },
};
