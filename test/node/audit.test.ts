import { expect, it } from "vitest";
import { seriousIn } from "../../scripts/audit.mjs";

const report = (high: number, critical: number) =>
  JSON.stringify({ metadata: { vulnerabilities: { low: 3, high, critical } } });

it("only vulnerabilities that matter count, and no answer is no clean bill", () => {
  expect(seriousIn(report(0, 0))).toBe(0);
  expect(seriousIn(report(1, 2))).toBe(3);
  for (const output of ["", "<html>", "null", '{"message":"404 Not Found - POST /-/npm/v1/security/audits"}'])
    expect(seriousIn(output)).toBeNull();
});
