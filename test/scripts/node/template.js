const fs = require("fs"), path = require("path");
const template = fs.readFileSync(path.join(__dirname, "..", "data", "template.html"), "utf8");
const html = template.replace(/\{\{(\w+)\}\}/g, (_, key) => ({ title: "Report & more", year: 2024 })[key] ?? "");
fs.writeFileSync(path.join(process.cwd(), "index.html"), html);
console.log(html.length, path.parse(__filename).base, path.extname("a.tar.gz"), path.normalize("/a/../b//c"), path.relative("/a/b", "/a/c/d"));
