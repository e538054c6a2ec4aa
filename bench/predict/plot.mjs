// Draws precision against coverage as an SVG file.

const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [640, 360, 56, 24, 150, 44];
const LEAST = 0.6;
const MOST_COVERAGE = 0.3;
const COLORS = ["#1f6feb", "#b4690e", "#2da44e", "#8250df", "#cf222e", "#57606a"];

/**
 * @param {Record<string, { coverage: number, precision: number }[]>} lines points by catalog
 * @param {{ coverage: number, precision: number }[]} chosen the points of the threshold in use
 */
export function drawPlot(lines, chosen) {
  const x = (coverage) => LEFT + (coverage / MOST_COVERAGE) * (WIDTH - LEFT - RIGHT);
  const y = (precision) => TOP + ((1 - precision) / (1 - LEAST)) * (HEIGHT - TOP - BOTTOM);
  const at = ({ coverage, precision }) => `${x(coverage).toFixed(1)},${y(precision).toFixed(1)}`;
  const text = (content, left, top, more = "") => `<text x="${left}" y="${top}" ${more}>${content}</text>`;
  const percent = (value) => `${Math.round(value * 100)} %`;
  const parts = [];
  for (const precision of [0.6, 0.7, 0.8, 0.9, 1]) {
    const dash = precision === 0.9 ? "" : ' stroke-dasharray="2 4"';
    parts.push(`<path d="M${LEFT} ${y(precision)}H${WIDTH - RIGHT}" stroke="#8c959f"${dash}/>`);
    parts.push(text(percent(precision), LEFT - 6, y(precision) + 4, 'text-anchor="end"'));
  }
  for (const coverage of [0, 0.1, 0.2, 0.3])
    parts.push(text(percent(coverage), x(coverage), HEIGHT - BOTTOM + 18, 'text-anchor="middle"'));
  parts.push(text("Coverage", x(MOST_COVERAGE / 2), HEIGHT - 8, 'text-anchor="middle"'));
  parts.push(text("Precision", LEFT - 44, TOP - 8));
  for (const [n, [name, points]] of Object.entries(lines).entries()) {
    const shown = points.filter(({ coverage, precision }) => coverage <= MOST_COVERAGE && precision >= LEAST);
    parts.push(`<polyline points="${shown.map(at).join(" ")}" fill="none" stroke="${COLORS[n]}" stroke-width="2"/>`);
    parts.push(text(name, WIDTH - RIGHT + 12, TOP + 12 + n * 20, `fill="${COLORS[n]}"`));
  }
  for (const point of chosen) {
    const [left, top] = at(point).split(",");
    parts.push(`<circle cx="${left}" cy="${top}" r="4" fill="#24292f"/>`);
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="#24292f" role="img" aria-label="Precision against coverage"><rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>
${parts.join("\n")}
</svg>
`;
}
