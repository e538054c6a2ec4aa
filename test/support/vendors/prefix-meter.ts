// Simulates a vendor's prompt cache: the longest prefix that a request shares with an earlier one, in steps of 128 tokens, from 1 024
// tokens (platform.openai.com/docs: prompt caching). Entries never expire, so that only changes count and not time.

/** An estimate is enough, because results are only compared with each other. */
const tokensOf = (text: string) => Math.ceil(text.length / 4);

const LEAST = 1_024;
const STEP = 128;

export interface Metered {
  input: number;
  cached: number;
}

export class PrefixMeter {
  /** Tree of the parts sent so far. Each node contains the parts that followed its prefix. */
  private readonly root: Node = { children: new Map(), sent: [] };
  readonly seen: Metered[] = [];

  /** Counts the tokens of a request by its parts, in the vendor's order. */
  read(parts: readonly unknown[]): Metered {
    let node = this.root;
    let input = 0;
    let shared = 0;
    let isShared = true;
    for (const part of parts) {
      const text = JSON.stringify(part);
      const next = node.children.get(text);
      if (next !== undefined) shared += tokensOf(text);
      else if (isShared) {
        shared += longest(text, node.sent);
        isShared = false;
      }
      input += tokensOf(text);
      if (next === undefined) {
        const made = { children: new Map(), sent: [] };
        node.children.set(text, made);
        node.sent.push(text);
        node = made;
      } else node = next;
    }
    const cached = shared < LEAST ? 0 : Math.floor(shared / STEP) * STEP;
    const metered = { input, cached };
    this.seen.push(metered);
    return metered;
  }
}

interface Node {
  children: Map<string, Node>;
  sent: string[];
}

/** Returns the tokens of the longest prefix of a part that was sent before. */
function longest(text: string, sent: readonly string[]): number {
  const shared = sent.map((before) => {
    let length = 0;
    while (length < text.length && text[length] === before[length]) length++;
    return Math.floor(length / 4);
  });
  return Math.max(0, ...shared);
}

/** Returns the usage in the format of the vendor's API. */
export function meteredUsage(
  input: "prompt" | "input",
  output: "completion" | "output",
  tokens: number,
  cached: number,
) {
  return {
    [`${input}_tokens`]: tokens,
    [`${output}_tokens`]: 1,
    total_tokens: tokens + 1,
    [`${input}_tokens_details`]: { cached_tokens: cached },
  };
}
