const fs = require("fs"), path = require("path");
const file = path.join(__dirname, "..", "data", "state.json");
const state = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : { runs: 0 };
state.runs += 1; fs.writeFileSync(file, JSON.stringify(state, null, 2) + "\n"); fs.mkdirSync("out", { recursive: true }); fs.writeFileSync("out/log.txt", `run ${state.runs}\n`);
console.log(`run ${state.runs}`);
