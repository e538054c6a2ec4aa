import { env } from "cloudflare:workers";
import fc from "fast-check";
import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import { beforeAll, describe, expect, it } from "vitest";
import { GatewayError } from "../../../src/domain/errors";
import { PACKAGE_LIMITS } from "../../../src/domain/limits";
import { countTokens } from "../../../src/storage/assets/tokenizer";

/** An ASSETS binding that answers every request the same. */
const answering = (answer: () => Response): Pick<Fetcher, "fetch"> => ({ fetch: async () => answer() });

describe("without the ranks", () => {
  // Loaded ranks are cached in the module, so another copy of the module is used.
  let copies = 0;
  const unread = async () => {
    const copy = `../../../src/storage/assets/tokenizer.ts?copy=${++copies}`;
    const module: typeof import("../../../src/storage/assets/tokenizer") = await import(/* @vite-ignore */ copy);
    return module.countTokens;
  };

  it.each([
    ["are missing", () => new Response("not found", { status: 404 })],
    ["are not JSON", () => new Response("<html>")],
    ["are of another shape", () => Response.json({ encoding: "o200k_base", pattern: "x", tokens: ["a"] })],
    [
      "cannot be fetched",
      () => {
        throw new TypeError("network down");
      },
    ],
  ])("refuses as unavailable when they %s", async (_, answer) => {
    const count = await unread();
    const refusal = await count(answering(answer), ["text"]).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(GatewayError);
    expect(refusal).toMatchObject({ code: "unavailable", reason: "TOKENIZER_UNAVAILABLE", details: {} });
  });

  it("needs them for nothing when there is nothing to count", async () => {
    const count = await unread();
    expect(await count(answering(Response.error), [])).toEqual([]);
  });
});

describe("with the ranks", () => {
  const reference = new Tiktoken(o200k);
  const expected = (text: string): number => reference.encode(text, [], []).length;
  const count = async (text: string): Promise<number> => (await countTokens(env.ASSETS, [text]))[0]!;

  it("counts after an earlier failure, and side by side", async () => {
    const both = await Promise.all([countTokens(env.ASSETS, ["hello world"]), countTokens(env.ASSETS, ["", "hello"])]);
    expect(both).toEqual([[2], [0, 1]]);
  });

  it("fetches them once", async () => {
    await count("warm");
    const broken = answering(() => new Response(null, { status: 500 }));
    expect(await countTokens(broken, ["hello world"])).toEqual([2]);
  });

  it.each([
    ["English", "The quick brown fox jumps over the lazy dog. It's 12345 o'clock; they'LL wait!"],
    ["Chinese", "技能网关把技能按需提供给任何聊天前端。模型先看到每个技能的一行说明,需要时再加载全文。"],
    ["Japanese", "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。"],
    ["Arabic and Russian", "مرحبا بالعالم، كيف حالك؟ Широкая электрификация южных губерний."],
    ["Hindi and Thai with marks", "नमस्ते दुनिया สวัสดีชาวโลก ต้นไม้ใหญ่"],
    [
      "TypeScript",
      "export async function f<T>(x: readonly T[]): Promise<number> {\n\treturn x.length >> 1; // half\n}\n",
    ],
    ["Markdown", "# Title\n\n- **a**: `b`\r\n- [link](https://example.com/a?b=c#d)\r\n\r\n| a | b |\n|---|--:|\n"],
    ["emoji", "👍🏽 family 👩‍👩‍👧‍👦, flags 🇨🇳🇪🇺, keycap 3️⃣"],
    ["white space", "  a   b\t\tc \n\n\n   d  \r\n \u00a0\u3000e   "],
    ["numbers", "3.14159265358979 1,000,000 0x1F600 ٣٤٥ ⅷ²"],
    ["long words", "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"],
    ["base64", "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="],
    ["special tokens as plain text", "a<|endoftext|>b<|endofprompt|>"],
    ["unpaired surrogates", "a\ud800b \udc00\udc00 \ud83d"],
    ["controls", "\u0000\u0001\u007f\u0080\ufeff\u200b"],
    ["one letter", "a".repeat(700)],
    ["one emoji", "😀".repeat(200)],
    ["spaces", " ".repeat(700)],
  ])("counts %s as js-tiktoken does", async (_, text) => {
    expect(await count(text)).toBe(expected(text));
  });

  it("counts any text as js-tiktoken does", { tags: ["slow"] }, async () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.string({ unit: "grapheme", maxLength: 200 }),
      fc.string({
        unit: fc.constantFrom("a", "b", "A", "é", "中", " ", "\n", "'s", "1", "-", "\u0301", "\ud800"),
        maxLength: 200,
      }),
    );
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        expect(await count(value)).toBe(expected(value));
      }),
      { numRuns: 300 },
    );
  });

  describe("on a text as long as instructions may be", () => {
    const size = PACKAGE_LIMITS.instructionBytes;
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    // A plain generator with a fixed seed, so that a slow text would be slow every time.
    let state = 1;
    const random = (below: number): number => {
      state = (state * 48271) % 2147483647;
      return state % below;
    };
    const made = (length: number, unit: () => string): string => Array.from({ length }, unit).join("");

    // The first call compiles; only counting is measured.
    beforeAll(() => count("warm up ".repeat(1000)));

    it.each([
      ["one letter", "a".repeat(size)],
      ["one capital", "A".repeat(size)],
      ["one emoji", "😀".repeat(size / 4)],
      ["one Chinese character", "技".repeat(size / 3)],
      ["random Chinese characters", made(size / 3, () => String.fromCharCode(0x4e00 + random(20_000)))],
      ["random base64", made(size, () => letters[random(64)]!)],
      ["random small letters", made(size, () => letters[26 + random(26)]!)],
      ["random code points", made(size / 4, () => String.fromCodePoint(random(0x110000)))],
      ["punctuation", made(size, () => "!@#$%^&*()=-"[random(12)]!)],
      ["combining marks", "\u0301".repeat(size / 2)],
      ["unpaired surrogates", "\ud800".repeat(size / 3)],
      ["digits", "1".repeat(size)],
      ["spaces", " ".repeat(size)],
      ["line ends", "\r\n".repeat(size / 2)],
      ["mixed white space", made(size, () => " \t\n\r"[random(4)]!)],
    ])("is bounded for %s", async (_, text) => {
      const started = performance.now();
      const tokens = await count(text);
      const spent = performance.now() - started;
      expect(tokens).toBeGreaterThan(0);
      expect(tokens).toBeLessThanOrEqual(size);
      // Some 0.1 to 0.3 s on an idle machine; a quadratic merge takes minutes.
      expect(spent).toBeLessThan(15_000);
    });
  });
});
