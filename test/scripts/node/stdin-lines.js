const readline = require("readline");
const rl = readline.createInterface({ input: process.stdin, crlfDelay: Infinity });
let n = 0;
rl.on("line", (line) => { n++; console.log(String(n).padStart(3), line); });
rl.on("close", () => console.log("total", n));
