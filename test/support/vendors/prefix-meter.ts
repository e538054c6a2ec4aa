// What a vendor reads from its cache: the longest beginning that a request shares with an earlier one, in steps of 128 tokens and not
// below 1 024 (platform.openai.com/docs: prompt caching). Nothing is ever forgotten: only what changed counts here, not when.

/** Only compared with itself, so that an estimate will do. */
const tokensOf = (text: string) => Math.ceil(text.length / 4);

const LEAST = 1_024;
const STEP = 128;

export interface Metered {
  input: number;
  cached: number;
}

export class PrefixMeter {
  /** By its text up to there: what was sent with that beginning. */
  private readonly root: Node = { children: new Map(), sent: [] };
  readonly seen: Metered[] = [];

  /** Counts a request by its parts, in the order in which the vendor lays them out. */
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

/** How much of a part was sent before, by its beginning. */
function longest(text: string, sent: readonly string[]): number {
  const shared = sent.map((before) => {
    let length = 0;
    while (length < text.length && text[length] === before[length]) length++;
    return Math.floor(length / 4);
  });
  return Math.max(0, ...shared);
}

/** The usage as the vendor's two APIs spell it. */
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
