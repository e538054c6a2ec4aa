// Writes sums as OpenMetrics 1.0 text, which Prometheus and compatible tools read.

import { BUCKETS, FAMILIES, type FamilyName } from "./families";
import { partsOf, type Sums } from "./sums";

export const OPEN_METRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

const PREFIX = "skill_gateway";

/** Writes all families, including those without counts, then the number of pending questions. */
export function openMetrics(sums: Sums, version: string): string {
  const rows = [...sums].map(([key, sum]) => ({ ...partsOf(key), sum }));
  const families = Object.entries(FAMILIES).flatMap(([family, { type, help, labels }]) => {
    const name = `${PREFIX}_${family}`;
    const samples = rows
      .filter((row) => row.family === family && row.labels.length === labels.length)
      .toSorted((a, b) => (JSON.stringify(a.labels) < JSON.stringify(b.labels) ? -1 : 1))
      .map((row) => ({ labels: labels.map((label, index): Label => [label, row.labels[index] ?? ""]), sum: row.sum }))
      .flatMap(({ labels: labelValues, sum }) =>
        type === "counter" ? counted(name, labelValues, sum) : spread(name, labelValues, sum),
      );
    const unit = type === "histogram" ? [`# UNIT ${name} seconds`] : [];
    return [`# TYPE ${name} ${type}`, ...unit, `# HELP ${name} ${help}`, ...samples];
  });
  const total = (family: FamilyName) =>
    rows.filter((row) => row.family === family).reduce((sum, row) => sum + (row.sum[0] ?? 0), 0);
  const waiting = Math.max(0, total("questions_asked") - total("questions_ended"));
  return [
    `# TYPE ${PREFIX} info`,
    `# HELP ${PREFIX} The gateway that answers.`,
    `${PREFIX}_info${shown([["version", version]])} 1`,
    ...families,
    `# TYPE ${PREFIX}_questions_pending gauge`,
    `# HELP ${PREFIX}_questions_pending Questions that were asked and have not ended, by what was counted.`,
    `${PREFIX}_questions_pending ${waiting}`,
    "# EOF",
    "",
  ].join("\n");
}

type Label = readonly [name: string, value: string];

function counted(name: string, labels: readonly Label[], [sum = 0]: readonly number[]): string[] {
  return [`${name}_total${shown(labels)} ${sum}`];
}

/** Each bucket includes the counts of the buckets before it. */
function spread(name: string, labels: readonly Label[], [sum = 0, ...inBuckets]: readonly number[]): string[] {
  let count = 0;
  const bounds = [...BUCKETS.map((bound) => (Number.isInteger(bound) ? `${bound}.0` : `${bound}`)), "+Inf"];
  const buckets = bounds.map((bound, index) => {
    count += inBuckets[index] ?? 0;
    return `${name}_bucket${shown([...labels, ["le", bound]])} ${count}`;
  });
  return [...buckets, `${name}_count${shown(labels)} ${count}`, `${name}_sum${shown(labels)} ${sum}`];
}

function shown(labels: readonly Label[]): string {
  if (labels.length === 0) return "";
  return `{${labels.map(([name, value]) => `${name}="${escaped(value)}"`).join(",")}}`;
}

/** Escapes a label value as the format requires. Other control characters become spaces. */
function escaped(value: string): string {
  return value
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("\n", "\\n")
    .replace(/\p{Cc}/gu, " ");
}
