import fs from "fs";
import path from "path";
import { fileURLToPath } from "url";
const here = path.dirname(fileURLToPath(import.meta.url));
function* walk(dir) { for (const e of fs.readdirSync(dir, { withFileTypes: true })) { const p = path.join(dir, e.name); if (e.isDirectory()) yield* walk(p); else yield p; } }
const files = [...walk(path.join(here, "..", "data"))].map((f) => [path.relative(here, f), fs.statSync(f).size]);
console.log(Object.fromEntries(files), import.meta.dirname === here, import.meta.filename.endsWith("walk.mjs"));
