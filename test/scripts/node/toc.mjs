import { readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
const [file] = process.argv.slice(2);
const text = await readFile(file, "utf8");
const toc = [...text.matchAll(/^(#{2,3}) (.+)$/gm)].map(([, level, title]) => `${"  ".repeat(level.length - 2)}- [${title}](#${title.toLowerCase().replace(/\s+/g, "-")})`);
await writeFile(file, text.replace(/^(# .+\n)/, `$1\n${toc.join("\n")}\n`));
console.log(`${basename(file)}: ${toc.length} entries`);
