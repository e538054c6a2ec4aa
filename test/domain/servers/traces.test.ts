// Tests the helper that other tests use to search for secrets, because those tests pass if it finds nothing.

import { describe, expect, it } from "vitest";
import { ENCODERS, tracesOf } from "../../support/spellings";

const SECRETS = [
  "sk-aB3/dE6+gH9/jK2lM5nO8pQ1rS4==",
  `wß9"k/\\ä  Ü7&<v>+/=%2Fq8ö'zT4-x`,
  `Zk3😀/"\\ é&<m>+=%41  Jq9🚀w7-Lr5`,
];

const base64 = (before: string) => (text: string) =>
  btoa(before + Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
const WRITTEN: [string, (text: string) => string][] = [
  ...Object.entries(ENCODERS),
  ...["", "a", "ab", "abc"].map((before): [string, (text: string) => string] => [
    `Base64, ${before.length} bytes in`,
    base64(before),
  ]),
  ["Base64 for URLs", (text) => base64("")(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")],
];

describe.each(SECRETS)("%s", (secret) => {
  it.each(WRITTEN)("is found as %s, also where that is in a JSON text", (_, write) => {
    expect(tracesOf({ text: `before ${write(secret)} behind` }, secret)).not.toEqual([]);
    expect(tracesOf({ text: JSON.stringify({ a: write(secret) }) }, secret)).not.toEqual([]);
  });

  it.each([200, 201, 202])("is found in base64 behind and before %d characters of padding", (length) => {
    const padding = "p".repeat(length);
    expect(tracesOf({ text: `before ${base64(padding)(secret + padding)} behind` }, secret)).not.toEqual([]);
  });

  it("is found by eight of its characters, and not by seven", () => {
    expect(tracesOf({ text: `before ${secret.slice(-8)}` }, secret)).toHaveLength(1);
    expect(tracesOf({ text: `before ${secret.slice(-7)}` }, secret)).toEqual([]);
  });
});
