// Fits and evaluates a logistic regression with Newton's method.

/** Weakly pulls coefficients to zero, so that the fit exists for any data. */
const RIDGE = 1e-3;
const STEPS = 30;

/**
 * @param {number[][]} rows features, the first of which is 1
 * @param {number[]} outcomes 0 or 1
 * @returns {number[]} coefficients
 */
export function fitLogistic(rows, outcomes) {
  const size = rows[0].length;
  let weights = Array.from({ length: size }, () => 0);
  for (let step = 0; step < STEPS; step++) {
    const gradient = weights.map((weight) => -RIDGE * weight);
    const hessian = weights.map((_, i) => weights.map((__, j) => (i === j ? RIDGE : 0)));
    for (const [n, row] of rows.entries()) {
      const p = logistic(weights, row);
      for (let i = 0; i < size; i++) {
        gradient[i] += row[i] * (outcomes[n] - p);
        for (let j = 0; j < size; j++) hessian[i][j] += row[i] * row[j] * p * (1 - p);
      }
    }
    const change = solve(hessian, gradient);
    weights = weights.map((weight, i) => weight + change[i]);
  }
  return weights;
}

/** The probability of a row. */
export function logistic(weights, row) {
  return 1 / (1 + Math.exp(-row.reduce((sum, value, i) => sum + value * weights[i], 0)));
}

/** Solves a system of linear equations by elimination with row exchange. */
function solve(matrix, right) {
  const rows = matrix.map((row, n) => [...row, right[n]]);
  for (let at = 0; at < rows.length; at++) {
    const best = rows.slice(at).reduce((a, b) => (Math.abs(b[at]) > Math.abs(a[at]) ? b : a));
    rows.splice(rows.indexOf(best), 1);
    rows.splice(at, 0, best);
    for (const row of rows) {
      if (row === best) continue;
      const factor = row[at] / best[at];
      for (let n = at; n < row.length; n++) row[n] -= factor * best[n];
    }
  }
  return rows.map((row, n) => row.at(-1) / row[n]);
}
