// Gradual rollouts: decides which conversations use the candidate of a skill.

/** The shares of conversations are counted in hundredths of a percent. */
const BUCKETS = 10_000;

/**
 * Returns the position of a conversation among all, from 0 to below 100, for one candidate. It never changes, so raising the percentage
 * moves no conversation back. Another candidate orders the conversations anew. MurmurHash3 (32 bits), because it is synchronous and
 * spreads ids that differ in one character.
 *
 * @param conversation user and id
 */
export function rolloutPosition(conversation: string, candidateId: string): number {
  return (murmur3(`${candidateId}\n${conversation}`) % BUCKETS) / (BUCKETS / 100);
}

function murmur3(text: string): number {
  const bytes = new TextEncoder().encode(text);
  let hash = 0;
  const mix = (block: number) => {
    const spread = Math.imul(block, 0xcc9e2d51);
    return Math.imul((spread << 15) | (spread >>> 17), 0x1b873593);
  };
  const whole = bytes.length - (bytes.length % 4);
  for (let at = 0; at < whole; at += 4) {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at, at + 4);
    hash ^= mix(a | (b << 8) | (c << 16) | (d << 24));
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  const rest = bytes.subarray(whole).reduceRight((sum, byte) => (sum << 8) | byte, 0);
  if (bytes.length > whole) hash ^= mix(rest);
  hash ^= bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

interface SkillRow {
  skill_id: string;
  version_id: string;
  current_id: string;
}

/** Returns rows in which each candidate is the current version of its skill, as ranges and pins see it. */
export function withCandidates<R extends SkillRow>(rows: readonly R[], candidates: readonly R[]): readonly R[] {
  if (candidates.length === 0) return rows;
  const bySkill = new Map(candidates.map((candidate) => [candidate.skill_id, candidate]));
  const added = new Map<string, R>();
  const others = rows.flatMap((row) => {
    const candidate = bySkill.get(row.skill_id);
    if (candidate === undefined) return [row];
    added.set(row.skill_id, candidate);
    return row.version_id === candidate.version_id ? [] : [{ ...row, current_id: candidate.version_id }];
  });
  return [...others, ...[...added.values()].map((row) => ({ ...row, current_id: row.version_id }))];
}

/** Returns rows of current versions, with candidates in place of them. */
export function candidatesInPlace<R extends SkillRow>(rows: readonly R[], candidates: readonly R[]): readonly R[] {
  if (candidates.length === 0) return rows;
  const bySkill = new Map(candidates.map((candidate) => [candidate.skill_id, candidate]));
  return rows.map((row) => bySkill.get(row.skill_id) ?? row);
}
