import readline from "node:readline";
const rl = readline.createInterface({ input: process.stdin });
const counts = new Map();
for await (const line of rl) for (const word of line.split(/\W+/).filter(Boolean)) counts.set(word, (counts.get(word) ?? 0) + 1);
console.log([...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).slice(0, 3));
console.log(counts);
