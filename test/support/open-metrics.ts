// A strict parser of OpenMetrics text. It rejects everything that it does not support.

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

interface MetricFamily {
  type: string;
  help: string;
  samples: Sample[];
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = `[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"`;
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (\\S+)$`);
const SUFFIXES: Record<string, readonly string[]> = {
  counter: ["_total"],
  histogram: ["_bucket", "_count", "_sum"],
  gauge: [""],
  info: ["_info"],
};

/** Returns the metric families of a text by name. Throws at the first line that violates the format. */
export function readOpenMetrics(text: string): Map<string, MetricFamily> {
  const lines = text.split("\n");
  if (lines.pop() !== "" || lines.pop() !== "# EOF") throw new Error("does not end with # EOF and a newline");
  const families = new Map<string, MetricFamily>();
  let open: [string, MetricFamily] | null = null;
  for (const line of lines) {
    const [, what, name = "", rest = ""] = /^# (TYPE|UNIT|HELP) (\S+) (.*)$/.exec(line) ?? [];
    if (what === "TYPE") {
      if (families.has(name) || SUFFIXES[rest] === undefined) throw new Error(`twice, or of no type: ${line}`);
      open = [name, { type: rest, help: "", samples: [] }];
      families.set(...open);
      continue;
    }
    if (open === null) throw new Error(`before any family: ${line}`);
    const [family, { type, samples }] = open;
    if (what !== undefined) {
      if (name !== family || samples.length > 0) throw new Error(`out of place: ${line}`);
      if (what === "UNIT" && !family.endsWith(`_${rest}`)) throw new Error(`not in its name: ${line}`);
      if (what === "HELP") open[1].help = rest;
      continue;
    }
    const [, sample = "", labels = "", value = ""] = SAMPLE.exec(line) ?? [];
    if (!SUFFIXES[type]?.some((suffix) => sample === family + suffix)) throw new Error(`not of ${family}: ${line}`);
    if (!Number.isFinite(Number(value))) throw new Error(`no number: ${line}`);
    samples.push({ name: sample, labels: labelsIn(labels), value: Number(value) });
  }
  return families;
}

/** Returns the value of a sample, or 0 if it is missing, as for a counter that was never incremented. */
export function sampleOf(text: string, name: string, labels: Record<string, string> = {}): number {
  const all = [...readOpenMetrics(text).values()].flatMap(({ samples }) => samples);
  const found = all.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  return found.reduce((sum, { value }) => sum + value, 0);
}

function labelsIn(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [, name = "", value = ""] of text.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g)) {
    if (Object.hasOwn(found, name)) throw new Error(`twice: ${name}`);
    found[name] = value.replace(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
  }
  return found;
}
