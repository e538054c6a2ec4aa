const fs = require("fs");
const out = fs.createWriteStream("report.csv");
out.write("id,square\n");
for (let i = 0; i < 200; i++) out.write(`${i},${i * i}\n`);
out.end();
out.on("finish", () => console.log("finished", fs.statSync("report.csv").size));
