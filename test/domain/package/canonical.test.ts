import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { crc32 } from "../../../src/domain/crc32";
import { readArchive } from "../../../src/domain/package/archive";
import { type CanonicalFile, writeCanonical } from "../../../src/domain/package/canonical";
import { readStrictly } from "../../support/strict-reader";
import { bytesOf } from "../../support/zip";

const fileOf = (path: string, bytes: Uint8Array, mode: 0o644 | 0o755 = 0o644): CanonicalFile => ({
  path,
  bytes,
  crc: crc32(bytes),
  mode,
});
const file = (path: string, text: string, mode?: 0o755) => fileOf(path, bytesOf(text), mode);
const files = [file("SKILL.md", "# hi"), file("scripts/run.sh", "echo", 0o755), file("Z.md", ""), file("é.md", "ü")];

describe("the canonical ZIP", () => {
  it("does not depend on the order of the files", () => {
    expect(writeCanonical("demo", files.toReversed()).zip).toEqual(writeCanonical("demo", files).zip);
  });

  it("is these bytes, for ever", async () => {
    const digest = await crypto.subtle.digest("SHA-256", writeCanonical("demo", files).zip);
    expect([...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("")).toBe(
      "5f214b6c8630dd78a9732ad9aeb4738b940591adc9c8c6df0c0747401c26343e",
    );
  });

  it("is accepted by the gateway's reader and a strict one, without a warning", async () => {
    const { zip } = writeCanonical("demo", files);
    const { entries, issues, warnings } = readArchive(zip);
    expect({ issues, warnings }).toEqual({ issues: [], warnings: [] });
    expect(entries.map(({ path, mode }) => [path, mode])).toEqual([
      ["demo/SKILL.md", 0o644],
      ["demo/Z.md", 0o644],
      ["demo/scripts/run.sh", 0o755],
      ["demo/é.md", 0o644],
    ]);
    expect(await readStrictly(zip)).toEqual(new Map(entries.map(({ path, bytes }) => [path, bytes])));
  });

  it("contains every file unchanged at its stated position", () => {
    const path = fc.stringMatching(/^[a-z]{1,8}(\/[a-zA-Z]{1,8}){0,2}$/);
    const content = fc.uint8Array({ maxLength: 100 });
    fc.assert(
      fc.property(fc.dictionary(path, content, { maxKeys: 8 }), (contents) => {
        const list = Object.entries(contents).map(([name, bytes]) => fileOf(name, bytes));
        const { zip, offsets } = writeCanonical("x", list);
        for (const { path: name, bytes } of list) {
          const offset = offsets.get(name) ?? -1;
          expect(zip.subarray(offset, offset + bytes.length)).toEqual(bytes);
        }
      }),
    );
  });
});
