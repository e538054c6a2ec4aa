import { expect, it } from "vitest";
import { isBookmark, latestOf } from "../../../src/domain/access/bookmark";

it("accepts the format of D1, and nothing else", () => {
  expect(isBookmark("00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683")).toBe(true);
  for (const other of [
    "",
    "first-primary",
    "first-unconstrained",
    "zzz",
    "00000085-0000024c-00004c6d",
    "00000085-0000024C-00004C6D-8E61117BF38D7ADB71B934EBBF891683",
    " 00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683",
    `00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683${"0".repeat(10_000)}`,
  ]) {
    expect(isBookmark(other), other.slice(0, 80)).toBe(false);
  }
});

it("finds the latest", () => {
  expect(latestOf(null, "00000001-", "00000003-", null, "00000002-")).toBe("00000003-");
  expect(latestOf(null)).toBe("");
});
