const fs = require("fs");
fs.writeFile("x.txt", "data", (error) => { if (error) throw error; fs.readFile("x.txt", "utf8", (error, text) => { console.log(error, text); fs.stat("x.txt", (error, stat) => { console.log(stat.size, stat.isFile()); fs.unlink("x.txt", () => fs.access("x.txt", (error) => console.log(error.code))); }); }); });
