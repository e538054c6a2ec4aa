// Imports of a module: they match the checked text, so no unchecked import remains or is added.

import { describe, expect, it } from "vitest";
import { type ReadModule, readModule, renameImports } from "../../../src/domain/code/module";

const read = async (text: string): Promise<ReadModule> => {
  const module = readModule(text);
  if ("message" in module) throw new Error(module.message);
  return module;
};

const HIDDEN = 'import("cloudflare:workers")';

describe("the executed code imports only checked modules", () => {
  it.each<[string, string, string[]]>([
    ["a brace in a comment", `import x from "./d.json" with { type: "json" /* } ; { ${HIDDEN} /* */ }`, ["./d.json"]],
    ["a brace in a line comment", `import x from "./d.json" with { type: "json" // } ; { ${HIDDEN} \n }`, ["./d.json"]],
    [
      "a brace in a value",
      `import x from "./d.json" with { type: "} ; ${HIDDEN.replaceAll('"', "'")} ; {" };`,
      ["./d.json"],
    ],
    ["a brace in a key", `import x from "./d.json" with { "}": "json" /* } ; ${HIDDEN} /* */ };`, ["./d.json"]],
    ["no attributes in the braces", `import x from "./d.json" with { /* } ; ${HIDDEN} ; { */ };`, ["./d.json"]],
    [
      "a comma before the brace",
      `import x from "./d.json" with { type: "json", /* } ; ${HIDDEN} /* */ };`,
      ["./d.json"],
    ],
    ["an export", `export { a } from "./d.js" with { type: "x" /* } ; { ${HIDDEN} /* */ }`, ["./d.js"]],
    ["an export of everything", `export * from "./d.js" with { type: "x" /* } ; { ${HIDDEN} /* */ }`, ["./d.js"]],
    ["nothing after the clause", `import "./a.js" with { type: "x" /* } */ }\nimport "./b.js"`, ["./a.js", "./b.js"]],
    [
      "a semicolon on the next line",
      `import "./a.js" with { type: "x" } /* ; */\n;import "./b.js"`,
      ["./a.js", "./b.js"],
    ],
    ["brackets around what is imported", `const a = import(("./a.js"), { with: { type: "x" } });`, ["./a.js"]],
    ["brackets around the options", `const a = import("./a.js", ({ with: { type: "x" } }));`, ["./a.js"]],
    ["an import in the options of another", `const a = import("./a.js", { with: import("./b.js") });`, ["./a.js"]],
    ["a trailing comma", `const a = import("./a.js" /* ) */ , );`, ["./a.js"]],
    [
      "a template in the options",
      ["const a = import('./a.js', { with: `)$", "{import('./b.js')}` });"].join(""),
      ["./a.js"],
    ],
  ])("%s", async (_, text, specifiers) => {
    const module = await read(text);
    expect(module.imports.map(({ specifier }) => specifier).sort()).toEqual(specifiers);
    const renamed = renameImports(module, (specifier) => `./checked/${specifier.slice(2)}`);
    const again = await read(renamed);
    for (const { specifier } of again.imports) expect(specifier).toMatch(/^\.\/checked\//);
    expect(again.imports.length).toBeGreaterThan(0);
    expect(again.exports).toEqual(module.exports);
    expect(renamed).not.toMatch(/^[^/]*cloudflare:/m);
  });

  it("an import in the options that cannot be checked is a problem", async () => {
    expect(readModule('import("./a.js", { with: import(name) })')).toMatchObject({
      message: expect.stringContaining("computed"),
    });
  });
});
