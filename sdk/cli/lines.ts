// Compares lists of files, and texts line by line, in unified diff format.

interface Sides {
  path: string;
  before: Uint8Array | null;
  after: Uint8Array | null;
}

export interface ChangedFile extends Sides {
  what: "added" | "removed" | "changed";
}

/** Returns the differences between two lists of files, by path. */
export function changedFiles(
  older: ReadonlyMap<string, Uint8Array>,
  newer: ReadonlyMap<string, Uint8Array>,
): ChangedFile[] {
  return [...new Set([...older.keys(), ...newer.keys()])].sort().flatMap((path): ChangedFile[] => {
    const [before, after] = [older.get(path) ?? null, newer.get(path) ?? null];
    if (before === null || after === null)
      return [{ path, what: before === null ? "added" : "removed", before, after }];
    return Buffer.compare(before, after) === 0 ? [] : [{ path, what: "changed", before, after }];
  });
}

const CONTEXT = 3;
/** Limit of compared line pairs. Larger files are reported as changed. */
const MOST_PAIRS = 4_000_000;

/** Returns the change of one file. Binary files are only named. */
export function unifiedDiff({ path, before, after }: Sides, from: string, to: string): string {
  const [a, b] = [linesOf(before), linesOf(after)];
  const head = `--- ${before === null ? "/dev/null" : `${path} (${from})`}\n+++ ${after === null ? "/dev/null" : `${path} (${to})`}`;
  if (a === null || b === null) return `${head}\nThe files differ and are not text.`;
  if (a.length * b.length > MOST_PAIRS) return `${head}\nThe files differ and are too long to compare.`;
  return [head, ...hunks(marked(a, b))].join("\n");
}

function linesOf(bytes: Uint8Array | null): string[] | null {
  if (bytes === null || bytes.length === 0) return [];
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes).replace(/\n$/, "").split("\n");
  } catch {
    return null;
  }
}

/** Marks every line of both texts as unchanged (" "), removed ("-") or added ("+"), by the longest common subsequence. */
function marked(a: readonly string[], b: readonly string[]): string[] {
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] =
        a[i] === b[j]
          ? (longest[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(longest[(i + 1) * width + j] ?? 0, longest[i * width + j + 1] ?? 0);
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(` ${a[i]}`);
      i++;
      j++;
    } else if (
      i < a.length &&
      (j === b.length || (longest[(i + 1) * width + j] ?? 0) >= (longest[i * width + j + 1] ?? 0))
    ) {
      lines.push(`-${a[i++]}`);
    } else lines.push(`+${b[j++]}`);
  }
  return lines;
}

/** Returns the changes with some context lines around each. */
function hunks(lines: readonly string[]): string[] {
  const near = lines.map((_, at) =>
    lines.slice(Math.max(at - CONTEXT, 0), at + CONTEXT + 1).some((line) => line[0] !== " "),
  );
  const diffLines: string[] = [];
  let [old, fresh] = [1, 1];
  for (let at = 0; at < lines.length; ) {
    if (near[at] !== true) {
      at++;
      old++;
      fresh++;
      continue;
    }
    let end = at;
    while (end < lines.length && near[end] === true) end++;
    const some = lines.slice(at, end);
    const [gone, come] = ["+", "-"].map((other) => some.filter((line) => line[0] !== other).length);
    diffLines.push(`@@ -${old},${gone} +${fresh},${come} @@`, ...some);
    old += gone ?? 0;
    fresh += come ?? 0;
    at = end;
  }
  return diffLines;
}
