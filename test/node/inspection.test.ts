// Duration of the package inspection, in Node because clocks in workerd do not advance during computation. No package may block an isolate.

import { expect, it } from "vitest";
import { inspect } from "../../src/domain/inspection/inspection";
import { INSPECTION_LIMITS } from "../../src/domain/limits";
import { cpuTimeOf } from "../support/cpu-time";

/** Each text repeats one of these. */
const PARTS = [
  "curl ",
  "wget a ",
  "iwr ",
  "curl a | ",
  "echo | sh ",
  'bash -c "$(curl ',
  "iex(",
  "python -c ",
  "base64 -d ",
  "<!--",
  "<!-- ignore -->",
  "](",
  "](  ",
  "](a/)",
  "](b)\n",
  "`scripts/a",
  "`scripts/a.a.",
  "eyJ-",
  "eyJaaaaaaaaaaaaaaaaaaaa.eyJ-",
  "sk-",
  "ghp_",
  "xoxb-",
  "AIza",
  "token: ",
  "token=a1b2c3d4e5f6a7b8c9d0",
  `${"A".repeat(239)} `,
  "\\x41",
  "-----BEGIN AA ",
  "\u202E",
  "a\u200B",
  "\u2060",
  "\u200B",
  "\uFE00\uFE00\uFE00 ",
  "\u{E0041}",
  "\u{1F3F4}\u{E0041}",
  "download a.zip password: run ",
  "https://a copy the command ",
  "run it in a ",
  "glot.io ",
  "\n",
  "é",
];

/**
 * A quadratic rule takes minutes here, a rule that looks back a few hundred characters from every position takes ten seconds or more, and a
 * linear one takes less than one second.
 */
const MOST_MS = 6_000;

it.each(PARTS)("a full package of %j takes time in proportion to its size", (part) => {
  const text = `eval( ${part.repeat(Math.ceil(INSPECTION_LIMITS.textChars / part.length))}`.slice(
    0,
    INSPECTION_LIMITS.textChars,
  );
  const ms = cpuTimeOf(() =>
    expect(inspect([{ path: "SKILL.md", size: Buffer.byteLength(text), text }]).length).toBeLessThanOrEqual(
      INSPECTION_LIMITS.findings + 1,
    ),
  );
  expect(ms).toBeLessThan(MOST_MS);
});

it("folders and links without end take no longer either", () => {
  const files = Array.from({ length: 512 }, (_, n) => ({ path: `a/${n}/${"b/".repeat(60)}c.md`, size: 1, text: null }));
  const text = Array.from({ length: 60_000 }, (_, n) => `[x](a/${n % 512}/b/)`).join(" ");
  const ms = cpuTimeOf(() => expect(inspect([{ path: "SKILL.md", size: text.length, text }, ...files])).toEqual([]));
  expect(ms).toBeLessThan(MOST_MS);
});
