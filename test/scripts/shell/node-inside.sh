#!/bin/bash
set -e
command -v node >/dev/null || { echo "node is needed"; exit 127; }
VERSION=$(node -p "JSON.parse(require('fs').readFileSync('$1', 'utf8')).version")
echo "version $VERSION"
node -e '
const fs = require("fs");
const file = process.argv[1];
const data = JSON.parse(fs.readFileSync(file, "utf8"));
data.version = data.version.split(".").map((n, i) => (i === 2 ? Number(n) + 1 : n)).join(".");
fs.writeFileSync(file, JSON.stringify(data, null, 2) + "\n");
' "$1"
cat "$1"
