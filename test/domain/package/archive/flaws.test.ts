// Archives with one flaw each, and the code of its issue.

import { describe, expect, it } from "vitest";
import { PACKAGE_LIMITS } from "../../../../src/domain/limits";
import { readArchive } from "../../../../src/domain/package/archive";
import { bytesOf, SKILL } from "../../../support/zip";
import { FLAWED } from "./flawed";
import { codes, honest, note } from "./read";

describe("an archive with one flaw is refused with its code", () => {
  it("is accepted without the flaw", () => {
    expect(honest([SKILL, note])).toMatchObject({ issues: [], warnings: [], entries: { length: 2 } });
  });

  for (const [flaw, code, entries, flaws] of FLAWED) {
    it(`${flaw}: ${code}`, () => {
      expect(codes(honest(entries, flaws).issues)).toEqual([code]);
    });
  }

  it("not a ZIP at all", () => {
    expect(codes(readArchive(bytesOf("hello")).issues)).toEqual(["NOT_A_ZIP"]);
    expect(codes(readArchive(new Uint8Array()).issues)).toEqual(["NOT_A_ZIP"]);
  });

  it("a ZIP larger than the limit", () => {
    expect(codes(readArchive(new Uint8Array(PACKAGE_LIMITS.zipBytes + 1)).issues)).toEqual(["ZIP_TOO_LARGE"]);
  });
});
