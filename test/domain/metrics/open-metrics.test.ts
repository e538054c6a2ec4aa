// Totals and their text format: a strict parser accepts every name and count, and callers cannot make the text grow without limit.

import fc from "fast-check";
import { expect, it } from "vitest";
import { BUCKETS, edgeAt, FAMILIES, type FamilyName, OTHER } from "../../../src/domain/metrics/families";
import { openMetrics } from "../../../src/domain/metrics/open-metrics";
import { addAll, addTo, rowsOf, type Sums } from "../../../src/domain/metrics/sums";
import { readOpenMetrics, sampleOf } from "../../support/open-metrics";

const NAMES = Object.keys(FAMILIES) as FamilyName[];

function counted(...values: [family: FamilyName, labels: string[], by: number][]): Sums {
  const sums: Sums = new Map();
  for (const [family, labels, by] of values) addTo(sums, family, labels, by);
  return sums;
}

const textOf = (...values: Parameters<typeof counted>) => openMetrics(counted(...values), "1.2.3");

it("lists all families, including those without counts", () => {
  const families = readOpenMetrics(textOf());
  expect([...families.keys()]).toEqual([
    "skill_gateway",
    ...NAMES.map((name) => `skill_gateway_${name}`),
    "skill_gateway_questions_pending",
  ]);
  expect(families.get("skill_gateway")?.samples).toEqual([
    { name: "skill_gateway_info", labels: { version: "1.2.3" }, value: 1 },
  ]);
  expect([...families.values()].filter(({ help }) => help === "")).toEqual([]);
});

it("accumulates a histogram: each bucket includes the lower ones, and the last has all", () => {
  const text = textOf(
    ["upstream_seconds", ["crm"], 0.05],
    ["upstream_seconds", ["crm"], 0.3],
    ["upstream_seconds", ["crm"], 400],
    ["upstream_seconds", ["docs"], 2],
  );
  const at = (le: string) => sampleOf(text, "skill_gateway_upstream_seconds_bucket", { server: "crm", le });
  expect(["0.05", "0.25", "1.0", "5.0", "30.0", "+Inf"].map(at)).toEqual([1, 1, 2, 2, 2, 3]);
  expect(sampleOf(text, "skill_gateway_upstream_seconds_count", { server: "crm" })).toBe(3);
  expect(sampleOf(text, "skill_gateway_upstream_seconds_sum", { server: "crm" })).toBeCloseTo(400.35);
  expect(readOpenMetrics(text).get("skill_gateway_upstream_seconds")?.samples).toHaveLength(2 * (BUCKETS.length + 3));
});

it("shows the number of pending questions, never below zero", () => {
  const pending = (...values: Parameters<typeof counted>) =>
    sampleOf(textOf(...values), "skill_gateway_questions_pending");
  expect(
    pending(["questions_asked", [], 5], ["questions_ended", ["resolved"], 2], ["questions_ended", ["expired"], 1]),
  ).toBe(2);
  // Counts of an isolate can be lost.
  expect(pending(["questions_ended", ["resolved"], 2])).toBe(0);
});

it("cannot be changed by a name: no name adds a line, label or sample", { tags: ["slow"] }, () => {
  const hostile = fc.oneof(
    fc.string({ unit: "binary", maxLength: 90 }),
    fc.constantFrom('a"} 9\nskill_gateway_requests_total 9', "\\", '\\"', "\\n", "\n# EOF\n", "{}", 'x",le="1'),
  );
  fc.assert(
    fc.property(hostile, hostile, (server, other) => {
      const values = [server, other].map((name): [FamilyName, string[], number] => ["upstream_calls", [name, "ok"], 1]);
      const told = readOpenMetrics(textOf(...values)).get("skill_gateway_upstream_calls")?.samples ?? [];
      expect(told.reduce((sum, { value }) => sum + value, 0)).toBe(2);
      // Control characters other than line breaks are replaced by spaces.
      const plain = (name: string) => name.toWellFormed().replace(/(?!\n)\p{Cc}/gu, " ");
      expect(new Set(told.map(({ labels }) => labels.server))).toEqual(new Set([plain(server), plain(other)]));
      for (const { labels } of told) expect(Object.keys(labels)).toEqual(["server", "outcome"]);
    }),
  );
});

it("counts ten thousand invented names as one, and known ones still separately", () => {
  const sums = counted(["upstream_calls", ["crm", "ok"], 1]);
  for (let n = 0; n < 10_000; n += 100)
    addAll(
      sums,
      rowsOf(
        counted(
          ...Array.from({ length: 100 }, (_, k): [FamilyName, string[], number] => [
            n % 200 === 0 ? "upstream_calls" : "model_calls",
            [`made-up-${n + k}`, "failed"],
            1,
          ]),
        ),
      ),
    );
  addAll(sums, rowsOf(counted(["upstream_calls", ["crm", "ok"], 1])));
  const text = openMetrics(sums, "1");
  expect(sums.size).toBeLessThan(110);
  expect(sampleOf(text, "skill_gateway_upstream_calls_total", { server: "crm" })).toBe(2);
  expect(sampleOf(text, "skill_gateway_upstream_calls_total")).toBe(5_002);
  expect(sampleOf(text, "skill_gateway_model_calls_total", { model: OTHER })).toBe(5_000 - 32);
});

it("never goes down, and comes to the same in whichever order isolates send", () => {
  const value = fc.tuple(
    fc.constantFrom<FamilyName>("requests", "upstream_seconds", "model_tokens"),
    fc.array(fc.constantFrom("a", "b", OTHER), { minLength: 1, maxLength: 1 }),
    fc.oneof(fc.nat(50), fc.constantFrom(-5, Number.NaN, Number.POSITIVE_INFINITY)),
  );
  const batches = fc.array(fc.array(value, { maxLength: 8 }), { maxLength: 6 });
  fc.assert(
    fc.property(batches, (sent) => {
      const merged = (order: typeof sent) => {
        const sums: Sums = new Map();
        for (const batch of order) {
          const before = new Map(sums);
          addAll(sums, rowsOf(counted(...batch)));
          for (const [key, sum] of before)
            expect(sums.get(key)?.every((now, index) => now >= (sum[index] ?? 0))).toBe(true);
        }
        return rowsOf(sums).toSorted((a, b) => (a.key < b.key ? -1 : 1));
      };
      expect(merged(sent.toReversed())).toEqual(merged(sent));
    }),
  );
});

it.each([
  ["/mcp/my-chat", "mcp"],
  ["/mcp/servers/crm", "proxy"],
  ["/mcp/servers", "proxy"],
  ["/api/v1/me", "api"],
  ["/api/search", "doors"],
  ["/openai/v1/skills/a", "doors"],
  ["/openai/v1/chat/completions", "chat"],
  ["/anthropic/v1/messages", "chat"],
  ["/oauth/token", "sign_in"],
  ["/console/api/session", "console"],
  ["/health", "other"],
  ["/metrics", "other"],
  ["/mcpx", "other"],
])("counts %s as %s", (path, edge) => {
  expect(edgeAt(path)).toBe(edge);
});
