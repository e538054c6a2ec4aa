const fs = require("node:fs");
async function main() {
  const text = await fs.promises.readFile(process.argv[2], "utf8");
  const links = [];
  for (const [, label, target] of text.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)) links.push({ label, target, external: /^https?:/.test(target) });
  console.log(links);
  const broken = links.filter((l) => !l.external && !fs.existsSync(l.target));
  if (broken.length) { console.error(`${broken.length} broken`); process.exitCode = 1; }
}
main().catch((error) => { console.error(error); process.exit(1); });
