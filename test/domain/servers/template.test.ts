import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fillHeader,
  fillUrl,
  markedUrl,
  secretsIn,
  templateProblem,
  VARIABLE_NAMES,
} from "../../../src/domain/servers/template";

const v = (name: string) => `\${{${name}}}`;
const values = new Map<string, string>([
  ["user.id", "ada"],
  ["secrets.TOKEN", "s3cret/?#&"],
  ["secrets.DOTS", ".."],
]);

describe("a template", () => {
  it("accepts variables with or without spaces, several and none", () => {
    expect(fillHeader(`Bearer ${v(" secrets.TOKEN ")} for ${v("user.id")}`, values)).toEqual({
      text: "Bearer s3cret/?#& for ada",
    });
    expect(fillHeader("plain $x $y {{z}} }}", values)).toEqual({ text: "plain $x $y {{z}} }}" });
  });

  it("encodes values in a URL, so that none leads elsewhere", () => {
    expect(fillUrl(`https://h.example/a/${v("secrets.TOKEN")}?u=${v("user.id")}`, values)).toEqual({
      text: "https://h.example/a/s3cret%2F%3F%23%26?u=ada",
    });
    expect(fillUrl(`https://h.example/${v("secrets.DOTS")}/x`, values)).toMatchObject({
      problem: expect.stringContaining("secrets.DOTS"),
    });
  });

  it.each([
    `https://${v("user.id")}.example`,
    `https://${v("user.id")}`,
    `${v("secrets.URL")}`,
    `${v("user.id")}://h`,
    `//${v("user.id")}/x`,
    `https:///${v("user.id")}/`,
    `https://h.example:${v("user.id")}/`,
    `https://somevalue.othervaluehere.${v("user.id")}/`,
  ])("has no variable in the host: %s", (url) => {
    expect(templateProblem(url, "url")).toMatchObject({ code: "VARIABLE_IN_ORIGIN" });
    expect(markedUrl(url)).toBeNull();
    expect(fillUrl(url, values)).toHaveProperty("problem");
  });

  it("is judged with letters in place of its values, and as it is where it has none", () => {
    expect(markedUrl(`https://h.example/${v("secrets.TOKEN")}`)).toBe("https://h.example/somevalue");
    expect(markedUrl("whatever://it is")).toBe("whatever://it is");
    expect(templateProblem("whatever://it is", "url")).toBeNull();
  });

  it.each(["env.HOME", "secrets.", "secrets.1A", "secrets.A B", "", "user", "user.id.x", "constructor", "USER.ID"])(
    "knows no other variable: '%s'",
    (name) => {
      const problem = expect.stringContaining(`\${{${name}}}`);
      expect(templateProblem(v(name), "header")).toEqual({ code: "BAD_VARIABLE", problem });
      expect(fillHeader(v(name), values)).toHaveProperty("problem");
    },
  );

  it("rejects unclosed variables, and variables without a value", () => {
    expect(fillHeader(`a ${v("user.id").slice(0, -2)}`, values)).toHaveProperty("problem");
    expect(fillHeader(v("ghost.name"), values)).toEqual({ problem: `${v("ghost.name")} has no value here` });
  });

  it("lets no value end a header", () => {
    for (const value of ["a\r\nX-Evil: 1", "a\u0000", "a\nb", "漢"]) {
      expect(fillHeader(v("user.id"), new Map([["user.id", value]]))).toHaveProperty("problem");
    }
  });

  it("names its secrets once", () => {
    expect(secretsIn([`${v("secrets.A")}${v("secrets.B")}`, v("secrets.A"), v("user.id"), v("secrets.1")])).toEqual([
      "A",
      "B",
    ]);
  });

  it("keeps the origin for any values", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.constantFrom(...VARIABLE_NAMES), (value, name) => {
        const filled = fillUrl(`https://h.example/x/${v(name)}/y?q=${v(name)}#${v(name)}`, new Map([[name, value]]));
        if ("problem" in filled) return;
        const url = new URL(filled.text);
        expect(url.origin).toBe("https://h.example");
        expect(url.pathname.split("/")).toHaveLength(4);
        expect([...url.searchParams.keys()]).toEqual(["q"]);
        expect(url.searchParams.get("q")).toBe(value.toWellFormed());
      }),
    );
  });

  it("that is not refused leads where it did before it was filled, whatever is around its variable", () => {
    const begin = fc.constantFrom("https:", "https://", "https://h.example", "https://h.example/");
    const odd = fc.constantFrom(..."h/:@?#.[]%\\\t\n25e4A\uff0f\uff0e\u00ad", "//", "h.example");
    const parts = fc.array(odd, { maxLength: 6 });
    let reached = 0;
    fc.assert(
      fc.property(begin, parts, parts, fc.string({ unit: "binary" }), (start, before, after, value) => {
        const template = [start, ...before, v("user.id"), ...after].join("");
        const marked = markedUrl(template);
        const filled = fillUrl(template, new Map([["user.id", value]]));
        if ("problem" in filled) return;
        reached++;
        const [judged, led] = [new URL(marked ?? ""), new URL(filled.text)];
        for (const part of ["protocol", "username", "password", "host"] as const) expect(led[part]).toBe(judged[part]);
      }),
      { numRuns: 2_000 },
    );
    expect(reached).toBeGreaterThan(100);
  });
});
