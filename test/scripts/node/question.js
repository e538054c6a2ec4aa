const readline = require("readline/promises");
const rl = readline.createInterface({ input: process.stdin, output: process.stdout });
(async () => {
  const name = await rl.question("Name? ");
  console.log(`\nHello, ${name}!`);
  rl.close();
})();
