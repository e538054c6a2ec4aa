const { execSync, spawnSync } = require("child_process");
let branch;
try { branch = execSync("git rev-parse --abbrev-ref HEAD", { stdio: ["ignore", "pipe", "ignore"] }).toString().trim(); } catch (error) { branch = "unknown"; console.log(typeof error.status); }
console.log(`branch ${branch}`);
console.log(spawnSync("no-such-program", ["x"]).error.code);
