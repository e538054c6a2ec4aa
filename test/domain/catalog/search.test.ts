import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  indexedText,
  indexText,
  queryTerms,
  scopeToken,
  whenToUseOf,
  withinScopes,
} from "../../../src/domain/catalog/search";
import { SEARCH_LIMITS } from "../../../src/domain/limits";

const skill = {
  ...{ scope: "public", name: "deployer", displayName: null, description: "Ships code.", tags: [], whenToUse: null },
  instructions: "Push the image, then roll it out.",
};
const examples = (...texts: string[]) => indexedText({ ...skill, examples: texts }).examples.split(" ");

const terms = (query: string) => queryTerms(query).terms;

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

  it("contains the beginning of the instructions, and the searchable fields of the frontmatter", () => {
    const long = `${"a ".repeat(SEARCH_LIMITS.bodyChars / 2)}beyond`;
    const { body, description } = indexedText({
      ...skill,
      examples: [],
      whenToUse: "On release days.",
      instructions: long,
    });
    expect([body.includes("beyond"), description]).toEqual([false, "ships code on release days"]);
    expect(whenToUseOf({ when_to_use: ["a", "b"] })).toBe('["a","b"]');
    expect([whenToUseOf({}), whenToUseOf({ when_to_use: null })]).toEqual([null, null]);
  });
});

describe("example prompts in the index", () => {
  it("add new words, without stop words", () => {
    expect(examples("Please roll out the new release")).toEqual(["roll", "new", "release"]);
  });

  it("bring at most five new words each, so that a dictionary wins nothing", () => {
    const stuffed = "alpha beta gamma delta epsilon zeta eta theta image iota";
    expect(examples(stuffed)).toEqual(["alpha", "beta", "gamma", "delta", "epsilon", "image"]);
    // Ten new characters: nine pairs that count as half a word each.
    expect(examples("甲乙丙丁戊己庚辛壬癸子丑寅卯")).toHaveLength(10);
  });

  it("contain no word twice", () => {
    expect(examples("image image image", "image release", "release")).toEqual(["image", "release"]);
  });

  it("are ten at most, and a thousand characters together", () => {
    const many = Array.from({ length: 12 }, (_, n) => `word${n}`);
    expect(examples(...many)).toEqual(many.slice(0, SEARCH_LIMITS.examples));
    expect(examples("x".repeat(SEARCH_LIMITS.exampleChars), "later")).not.toContain("later");
  });
});

describe("query terms", () => {
  it("are quoted; those of a short query may be beginnings of words", () => {
    expect(queryTerms("draw an ER")).toEqual({ terms: ['"draw"', '"er"'], mayGoOn: true });
    expect(queryTerms("draw entity relation diagrams").mayGoOn).toBe(false);
    expect(withinScopes(["public", "user:a"])).toBe(
      `{scope} : ("${scopeToken("public")}" OR "${scopeToken("user:a")}")`,
    );
  });

  it("are pairs of a run of characters, and one character as itself", () => {
    expect(terms("流程图")).toEqual(['"流程"', '"程图"']);
    expect(terms("图")).toEqual(['"图"']);
  });

  it("leave common words out unless there is nothing else", () => {
    expect(terms("how to use the tables")).toEqual(['"tables"']);
    expect(terms("how to")).toEqual(['"how"', '"to"']);
    expect(terms("请问怎么翻译")).toEqual(['"翻译"']);
    expect(terms("怎么")).toEqual(['"怎么"']);
  });

  it("are empty without words", () => {
    for (const text of ["", "  ", '"', "*", "()", "😀"]) expect(terms(text)).toEqual([]);
  });

  it("contain of any query only letters and digits, inside quotes", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: "binary" }), fc.string(), fc.constantFrom('" OR scope:x', "NEAR(a b)", "a* -b ^c")),
        (text) => {
          const found = terms(text);
          for (const term of found) expect(term).toMatch(/^"[\p{L}\p{N}\p{M}]+"$/u);
          expect(found.length).toBeLessThanOrEqual(SEARCH_LIMITS.queryTerms);
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
