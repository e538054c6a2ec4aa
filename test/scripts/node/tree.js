const fs = require("fs"), path = require("path");
function tree(dir, prefix = "") {
  const entries = fs.readdirSync(dir, { withFileTypes: true }).filter((e) => !e.name.startsWith(".")).sort((a, b) => a.name.localeCompare(b.name));
  entries.forEach((entry, i) => {
    const last = i === entries.length - 1;
    console.log(prefix + (last ? "└── " : "├── ") + entry.name);
    if (entry.isDirectory()) tree(path.join(dir, entry.name), prefix + (last ? "    " : "│   "));
  });
}
console.log(path.basename(process.cwd()));
tree(process.argv[2] ?? ".");
