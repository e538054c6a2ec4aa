const { parseArgs } = require("node:util");
try { parseArgs({ options: {} , args: ["--nope"] }); } catch (error) { console.log(error.code); process.exit(9); }
