import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { listedDescription } from "../../../src/domain/tokens";
import { countTokens } from "../../../src/storage/assets/tokenizer";

// Tested with the tokenizer, whose ranks only the Worker has. test/domain/tokens.test.ts tests the rest of a catalog line.
describe("catalogLine", () => {
  it("holds at most 40 tokens of a description, whatever it is written in", async () => {
    const texts = [
      "𒀀".repeat(1_536),
      "ꔀꔁꔂ ".repeat(400),
      "ᎠᎡᎢ".repeat(400),
      "使用此技能创建流程图、时序图和其他图表。".repeat(30),
      "Используйте этот навык, чтобы создавать диаграммы ".repeat(30),
      "사용자가 다이어그램을 요청할 때 ".repeat(30),
      "जब उपयोगकर्ता आरेख मांगे तो ".repeat(30),
      "😀👩‍👩‍👧".repeat(200),
      "a1b2c3D4E5 ".repeat(200),
      "!?#$%&*()[]{} ".repeat(200),
      "Creates, reads, edits and checks spreadsheets with formulas, charts and formatting of any kind ".repeat(20),
    ];
    const counts = await countTokens(env.ASSETS, texts.map(listedDescription));
    for (const [index, count] of counts.entries())
      expect([texts[index]?.slice(0, 20), count <= 40]).toEqual([texts[index]?.slice(0, 20), true]);
  });
});
