const text = require("fs").readFileSync(0, "utf8");
console.log(text.split("\n").map((l) => [...l].reverse().join("")).join("\n"));
