// Draws the memory curve of `npm run bench:soak-code` as SVG.

const WIDTH = 840;
const HEIGHT = 360;
const PLOT = { left: 70, right: 70, top: 56, bottom: 48 };
const MEMORY = "#2563eb";
const MAPPINGS = "#b45309";

/**
 * @typedef {{ n: number, mebibytes: number, mappings: number }} Point
 * @param {{ conversations: Point[], runs: Point[] }} curve
 * @param {{ conversations: number, runs: number, skills: number, users: number }} counts
 * @returns {string}
 */
export function soakPicture(curve, counts) {
  const points = [...curve.conversations, ...curve.runs];
  const width = WIDTH - PLOT.left - PLOT.right;
  const height = HEIGHT - PLOT.top - PLOT.bottom;
  const half = PLOT.left + width / 2;
  const most = {
    mebibytes: ceiling(Math.max(...points.map(({ mebibytes }) => mebibytes))),
    mappings: ceiling(Math.max(...points.map(({ mappings }) => mappings))),
  };
  // Each part has one half of the width.
  const at = (part, n) => (part === "runs" ? half : PLOT.left) + (n / counts[part]) * (width / 2);
  const line = (what) =>
    Object.entries(curve)
      .flatMap(([part, list]) =>
        list.map(
          (point) =>
            `${at(part, point.n).toFixed(1)},${(PLOT.top + height * (1 - point[what] / most[what])).toFixed(1)}`,
        ),
      )
      .join(" ");
  const text = (x, y, anchor, content, color = "#374151") =>
    `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="${color}">${content}</text>`;
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const y = PLOT.top + height * (1 - share);
    return [
      `<path d="M${PLOT.left} ${y}H${WIDTH - PLOT.right}" stroke="#e5e7eb"/>`,
      text(PLOT.left - 8, y + 4, "end", number(share * most.mebibytes), MEMORY),
      text(WIDTH - PLOT.right + 8, y + 4, "start", number(share * most.mappings), MAPPINGS),
    ].join("");
  });
  const bottom = HEIGHT - PLOT.bottom + 20;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" font-family="system-ui, sans-serif" font-size="13">
<title>Memory of the local runtime: ${number(counts.conversations)} conversations, then ${number(counts.runs)} script runs</title>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>
${text(PLOT.left - 8, 24, "start", "Resident memory (MiB)", MEMORY)}
${text(WIDTH - PLOT.right + 8, 24, "end", "Memory mappings", MAPPINGS)}
${grid.join("\n")}
<path d="M${half} ${PLOT.top}V${PLOT.top + height}" stroke="#9ca3af" stroke-dasharray="4 4"/>
${text(PLOT.left + width / 4, bottom, "middle", `${number(counts.conversations)} conversations`)}
${text(half + width / 4, bottom, "middle", `${number(counts.runs)} script runs: ${number(counts.skills)} skills, ${number(counts.users)} users, 3 languages`)}
<polyline fill="none" stroke="${MAPPINGS}" stroke-width="1.5" points="${line("mappings")}"/>
<polyline fill="none" stroke="${MEMORY}" stroke-width="2" points="${line("mebibytes")}"/>
</svg>
`;
}

/** A round number above. */
function ceiling(value) {
  const unit = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 6, 8, 10].map((factor) => factor * unit).find((round) => round >= value);
}

function number(value) {
  return Math.round(value).toLocaleString("en");
}
