import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { indexText, scopeToken, searchExpression } from "../../../src/domain/catalog/search";

const query = (text: string) => searchExpression(["public"], ["name", "description"], text);
const terms = (text: string) => /description\} : \((.*)\)$/.exec(query(text) ?? "")?.[1] ?? null;

describe("index text", () => {
  it("splits words and cuts unspaced scripts into characters and pairs", () => {
    expect(indexText("Draws Mermaid-Diagrams!", "v2")).toBe("draws mermaid diagrams v2");
    expect(indexText("数据分析")).toBe("数 据 分 析 数据 据分 分析");
    expect(indexText("用PPT做图")).toBe("用 ppt 做 图 做图");
    expect(indexText("グラフ")).toBe("グ ラ フ グラ ラフ");
    expect(indexText("𠮷野家")).toBe("𠮷 野 家 𠮷野 野家");
    expect(indexText("ＡＢＣ")).toBe("abc");
    expect(indexText("!? …")).toBe("");
  });
});

describe("search expression", () => {
  it("quotes every term; longer words may go on", () => {
    expect(query("draw an ER")).toBe(
      `{scope} : ("${scopeToken("public")}") AND {name description} : ("draw"* OR "er")`,
    );
  });

  it("looks a run of characters up as pairs, and one character as itself", () => {
    expect(terms("流程图")).toBe('"流程" OR "程图"');
    expect(terms("图")).toBe('"图"');
  });

  it("leaves common words out unless there is nothing else", () => {
    expect(terms("how to use the tables")).toBe('"tables"*');
    expect(terms("how to")).toBe('"how"* OR "to"');
  });

  it("is nothing when there is nothing to look for", () => {
    for (const text of ["", "  ", '"', "*", "()", "😀"]) expect(query(text)).toBeNull();
    expect(searchExpression([], ["name"], "x")).toBeNull();
  });

  it("contains of any query only letters and digits, inside quotes", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: "binary" }), fc.string(), fc.constantFrom('" OR scope:x', "NEAR(a b)", "a* -b ^c")),
        (text) => {
          const found = terms(text);
          if (found === null) return;
          for (const term of found.split(" OR ")) expect(term).toMatch(/^"[\p{L}\p{N}\p{M}]+"\*?$/u);
          expect(found.split(" OR ").length).toBeLessThanOrEqual(32);
        },
      ),
    );
  });
});

describe("scope token", () => {
  it("differs for different scopes and is digits only", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (a, b) => {
        expect(scopeToken(a)).toMatch(/^\d*$/);
        if (a.toWellFormed() !== b.toWellFormed()) expect(scopeToken(a)).not.toBe(scopeToken(b));
      }),
    );
  });
});
