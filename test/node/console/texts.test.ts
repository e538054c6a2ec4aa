// The texts of the console: each is translated, no translation is unused, and both have the same placeholders.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type ESTree, parseSync, Visitor } from "vite";
import { describe, expect, it } from "vitest";
import { zh } from "../../../console/src/text/zh";
import { root } from "../../../scripts/kit/files.mjs";

const sources = path.join(root, "console", "src");
const CATALOG = path.join("text", "zh.ts");
/** Attributes that a user reads. */
const READ = /^(?:title|label|placeholder|aria-label|help|button|done|what|lead|older|aside|textValue|alt)$/;
/** Elements whose content is code, which has no language. */
const CODE = new Set(["code", "kbd"]);
/** The name of the product, which is the same in each language. */
const NAME = "Skill Gateway";

const files = readdirSync(sources, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name) && name !== CATALOG)
  .map((name) => ({ name, text: readFileSync(path.join(sources, name), "utf8") }));

const hasWords = (text: string): boolean => /\p{L}{2}/u.test(text) && text.trim() !== NAME;
const isAddress = (text: string): boolean => /^[\w./-]+\.[a-z]{2,}$|^https?:/.test(text);

/** Returns texts that a user would read and that are not looked up in a catalog, with their file. */
function untranslated(name: string, text: string): string[] {
  const found: string[] = [];
  const report = (what: string) => found.push(`${name}: ${what.trim()}`);
  const literal = (node: ESTree.Node | null | undefined): void => {
    if (node?.type === "Literal" && typeof node.value === "string" && hasWords(node.value)) report(node.value);
    if (node?.type === "ConditionalExpression") [node.consequent, node.alternate].forEach(literal);
    if (node?.type === "LogicalExpression") [node.left, node.right].forEach(literal);
    if (node?.type === "TemplateLiteral")
      for (const { value } of node.quasis)
        if (hasWords(value.cooked ?? "") && !/^ (?:ms|s)$/.test(value.raw)) report(value.raw);
  };
  const children = ({ children }: ESTree.JSXElement | ESTree.JSXFragment) => {
    for (const child of children) {
      if (child.type === "JSXText" && hasWords(child.value)) report(child.value);
      if (child.type === "JSXExpressionContainer") literal(child.expression);
    }
  };
  const { program, errors } = parseSync(name, text, { lang: name.endsWith("x") ? "tsx" : "ts" });
  expect(errors).toEqual([]);
  new Visitor({
    JSXElement: (element) => {
      const { name: tag } = element.openingElement;
      if (tag.type !== "JSXIdentifier" || !CODE.has(tag.name)) children(element);
    },
    JSXFragment: children,
    JSXAttribute: ({ name: attribute, value }) => {
      if (attribute.type !== "JSXIdentifier" || !READ.test(attribute.name)) return;
      if (value?.type === "Literal" && typeof value.value === "string" && !isAddress(value.value)) literal(value);
      if (value?.type === "JSXExpressionContainer") literal(value.expression);
    },
    CallExpression: ({ callee, arguments: [first] }) => {
      if (callee.type === "Identifier" && callee.name === "toast") literal(first);
    },
  }).visit(program);
  return found;
}

/** Returns all string literals of a file. */
function literals({ name, text }: { name: string; text: string }): string[] {
  const found: string[] = [];
  const { program } = parseSync(name, text, { lang: name.endsWith("x") ? "tsx" : "ts" });
  new Visitor({
    Literal: ({ value }) => {
      if (typeof value === "string") found.push(value);
    },
  }).visit(program);
  return found;
}

const places = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort();

describe("the texts of the console", () => {
  it("are looked up in the catalog wherever a user reads them", () => {
    expect(files.flatMap(({ name, text }) => untranslated(name, text))).toEqual([]);
  });

  it("are found when they are not looked up", () => {
    const page = `export const Page = () => <p title="A title">Some text {isOpen ? "open" : t("closed")}<code>code</code></p>;`;
    expect(untranslated("page.tsx", page)).toEqual(["page.tsx: Some text", "page.tsx: open", "page.tsx: A title"]);
  });

  // The compiler refuses a text without a translation, because the parameter of `t` has the type of the keys.
  it("have no translation that is unused", () => {
    const used = new Set(files.flatMap(literals));
    expect(Object.keys(zh).filter((text) => !used.has(text))).toEqual([]);
  });

  it("have the same placeholders and closing marks in both languages", () => {
    const closing: Record<string, string> = { "。": ".", "？": "?", "：": ":", "…": "…" };
    const ending = (text: string) => (/[.?:…]$/.test(text) ? text.at(-1) : "");
    const differing = Object.entries(zh).filter(
      ([english, chinese]) =>
        places(english).join() !== places(chinese).join() || ending(english) !== (closing[chinese.at(-1) ?? ""] ?? ""),
    );
    expect(differing).toEqual([]);
  });
});
