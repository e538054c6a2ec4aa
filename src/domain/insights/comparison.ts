// Compares the failures of two versions, so that a worse one is noticed and a harmless one is not.

/** Uses of a version, and those that failed. */
export interface Outcomes {
  uses: number;
  failures: number;
}

/** The number of uses of each version before the first comparison. */
export const FIRST_LOOK = 30;
/** The maximum probability that a version with the same failure rate is ever reported. */
const FALSE_ALARMS = 0.01;

/**
 * Returns the next comparison of a version, if it is due: after 30 uses, 60, 120 and so on. Comparing after each use would report most
 * harmless versions in the end.
 *
 * @param looks the number of thresholds that were passed before
 */
export function dueLook(looks: number, candidate: Outcomes, former: Outcomes): number | null {
  if (former.uses < FIRST_LOOK) return null;
  let passed = looks;
  while (candidate.uses >= FIRST_LOOK * 2 ** passed) passed++;
  return passed === looks ? null : passed;
}

/**
 * Whether the failure rate of the candidate is significantly higher. The levels of all comparisons sum up to `FALSE_ALARMS`: with n
 * comparisons, the n-th has the level 0.01 / (n (n + 1)).
 */
export function isWorse(look: number, candidate: Outcomes, former: Outcomes): boolean {
  return moreFailures(candidate, former) < FALSE_ALARMS / (look * (look + 1));
}

/** Samples above this size are scaled down, which keeps the rates and bounds the time. */
const MOST_USES = 100_000;

/**
 * Returns the probability of at least as many failures of the candidate if both versions fail equally often: Fisher's exact test for two
 * proportions, one-sided. It is exact also for few failures, for which a normal approximation reports too much.
 */
export function moreFailures(candidate: Outcomes, former: Outcomes): number {
  const [a, b] = [scaled(candidate), scaled(former)];
  const failures = a.failures + b.failures;
  const all = a.uses + b.uses;
  const most = Math.min(failures, a.uses);
  const common = logChoose(all, failures);
  let sum = 0;
  for (let count = a.failures; count <= most; count++) {
    const part = Math.exp(logChoose(a.uses, count) + logChoose(b.uses, failures - count) - common);
    sum += part;
    if (count > a.failures && part < sum * 1e-12) break;
  }
  return Math.min(1, sum);
}

function scaled({ uses, failures }: Outcomes): Outcomes {
  const failed = Math.min(Math.max(0, failures), uses);
  if (uses <= MOST_USES) return { uses, failures: failed };
  return { uses: MOST_USES, failures: Math.round((failed / uses) * MOST_USES) };
}

function logChoose(n: number, k: number): number {
  return k < 0 || k > n ? Number.NEGATIVE_INFINITY : logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

/** Stirling's series; exact to 1e-10 for `n` of 10 or more. */
function logFactorial(n: number): number {
  if (n < 16) {
    let product = 1;
    for (let factor = 2; factor <= n; factor++) product *= factor;
    return Math.log(product);
  }
  const x = n + 1;
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * x) - 1 / (360 * x ** 3);
}
