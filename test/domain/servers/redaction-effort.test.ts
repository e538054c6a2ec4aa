// The cost of searching text for secrets, measured in steps and not in time.

import { describe, expect, it } from "vitest";
import { makeRedactor, REDACTION_EFFORT, redactText } from "../../../src/domain/servers/redactor";
import { secretPatternsOf } from "../../../src/domain/servers/secret-patterns";
import { tracesOf } from "../../support/spellings";

const SECRET = "sk-aB3/dE6+gH9/jK2lM5";
const WITHHELD = "[removed: this text has too many escapes to be searched for secrets]";
const KiB = 1024;
/** Nested escapes, in which every character may begin another escape. */
const ESCAPES = [
  "\\&",
  "\\&#%",
  "%5c%26%25",
  "%25&amp;\\",
  "&#92;&#37;",
  "\\x5c%26",
  "\\",
  "%",
  "&",
  "ã¼",
  "Ãé",
  "\\ud800",
];

const filled = (unit: string, chars: number) => unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars);

/** Returns the cost of redacting one text, and the redacted text. */
function readAlone(text: string, value = SECRET) {
  const sought = secretPatternsOf([{ name: "KEY", value }])!;
  const effort = { left: REDACTION_EFFORT.onTop };
  const { read, isWhole } = redactText(text, sought, effort);
  const allowed = REDACTION_EFFORT.onTop + REDACTION_EFFORT.perChar * text.length;
  return { read, isWhole, allowed, spent: allowed - Math.max(effort.left, 0) };
}

describe("a text that is made to take long", () => {
  it("costs no more for a character when there are more of them", () => {
    for (const escapes of ESCAPES) {
      const costs = [50, 200].map((size) => readAlone(filled(escapes, size * KiB)).spent / size);
      expect(costs[1], escapes).toBeLessThanOrEqual((costs[0] ?? 0) * 1.1);
    }
  });

  it("is read within its effort, and withheld from there on", () => {
    // Each position matches thousands of characters of the secret.
    const value = `${"a".repeat(8_191)}b`;
    const { read, isWhole, spent, allowed } = readAlone(filled("a", 8 * KiB * KiB), value);
    expect(isWhole).toBe(false);
    expect(spent).toBeLessThanOrEqual(allowed);
    expect(read.length).toBeLessThan(KiB * KiB);
    // The secret itself is found before the effort limit, in the middle of the text.
    const shown = makeRedactor([{ name: "KEY", value }]).text(`<${value}>${filled("a", 200 * KiB)}`);
    expect(shown).toBe(`<[secret KEY]${WITHHELD}`);
  });

  it("removes a secret after the end of the budget, and leaves no part of one at the limit", () => {
    const escaped = Array.from(SECRET, (char) => `\\u00${char.charCodeAt(0).toString(16)}`).join("");
    const redactor = makeRedactor([{ name: "KEY", value: SECRET }]);
    let seams = 0;
    for (const written of [SECRET, escaped, encodeURIComponent(SECRET), btoa(SECRET)]) {
      for (let hostile = 80; hostile <= 100; hostile += 2) {
        const text =
          filled("Ãé", hostile * KiB) + `${written} `.repeat(((100 - hostile) * KiB) / written.length) + written;
        const shown = redactor.text(text);
        expect(tracesOf({ [`${hostile} ${written}`]: shown }, SECRET)).toEqual([]);
        if (shown.includes("[secret KEY]") && shown.endsWith(WITHHELD)) seams++;
      }
    }
    // Otherwise no limit was between secrets, and the test shows nothing.
    expect(seams).toBeGreaterThan(0);
  });

  it("takes no budget from neighbouring strings, which share only the additional budget", () => {
    const redactor = makeRedactor([{ name: "KEY", value: SECRET }]);
    const hostile = filled("Ãé", 200 * KiB);
    const value = { many: Array.from({ length: 10 }, () => hostile), path: "C:\\temp", key: `x ${SECRET}` };
    const shown = redactor.json(value);
    expect(shown.many.every((one) => one.endsWith(WITHHELD) && one.length < hostile.length)).toBe(true);
    expect(shown).toMatchObject({ path: "C:\\temp", key: "x [secret KEY]" });
    expect(redactor.jsonText(JSON.stringify({ path: "C:\\temp", key: SECRET }))).toBe(
      '{"path":"C:\\\\temp","key":"[secret KEY]"}',
    );
    expect(redactor.jsonText(JSON.stringify(value))).toBeNull();
  });
});

describe("a text that people or programs write", () => {
  const words = '你好世界 if (a && b) { return `x\\n`; } // <p class="q">ü&amp;é 😀 100% C:\\Users\\x ----- ++++\n';
  const zh = "你好世界这是一个测试";
  const units = (text: string) =>
    text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const bytes = String.fromCharCode(...Uint8Array.from({ length: 999 }, (_, n) => n * 7 + ((n * n) % 251)));
  const TEXTS: Record<string, string> = {
    "a JSON answer": JSON.stringify({ content: [{ type: "text", text: words }], more: [1, null, "\n\t"] }),
    "JSON in JSON in JSON": JSON.stringify(JSON.stringify(JSON.stringify({ words }))),
    "quotes in JSON in JSON in JSON": JSON.stringify(JSON.stringify(JSON.stringify('""""'))),
    "Chinese as JSON escapes it": units(zh),
    "Chinese in JSON in JSON": JSON.stringify(JSON.stringify(units(zh))),
    "Chinese in a URL": encodeURIComponent(zh),
    "Chinese in a URL in a URL": encodeURIComponent(encodeURIComponent(zh)),
    "Chinese in HTML": Array.from(zh, (char) => `&#${char.charCodeAt(0)};`).join(""),
    "UTF-8 read as Latin-1": String.fromCharCode(...new TextEncoder().encode(`${words}ÄÖÜéçà`)),
    "a form": new URLSearchParams({ words }).toString(),
    "a table": "|------------------|-------------------|\n",
    base64: btoa(bytes),
    "base64 of zeros": "A".repeat(1_000),
    zeros: "\0".repeat(1_000),
  };
  const SECRETS = [
    SECRET,
    "-----BEGIN PRIVATE KEY-----\nMIIE",
    "geheim/über=1",
    "Äpfel+Birnen",
    "%2Fetc%2Fkeys",
    "&amp;&amp;x1",
    "😀😀😀😀😀😀😀😀",
    "AAAAAAAAAAAAAAA1",
  ];

  it("is read whole, whatever is looked for", () => {
    for (const [what, text] of Object.entries(TEXTS)) {
      for (const value of SECRETS) {
        const { isWhole, spent, allowed } = readAlone(filled(text, 100 * KiB), value);
        expect(isWhole, `${what}, ${value}`).toBe(true);
        // Without the additional budget, as for longer texts.
        expect(spent, `${what}, ${value}`).toBeLessThan(allowed - REDACTION_EFFORT.onTop);
      }
    }
  });

  it.each(["a JSON answer", "Chinese as JSON escapes it", "base64"])("is read whole at any size: %s", (what) => {
    const text = filled(TEXTS[what] ?? "", 6_000_000);
    const redactor = makeRedactor([{ name: "KEY", value: SECRET }]);
    expect(redactor.text(text) === text).toBe(true);
    const answer = `[${JSON.stringify(text)}]`;
    expect(redactor.jsonText(answer) === answer).toBe(true);
  });
});
