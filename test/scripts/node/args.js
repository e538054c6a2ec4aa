const { parseArgs } = require("node:util");
const { values, positionals } = parseArgs({ allowPositionals: true, options: { name: { type: "string", short: "n" }, verbose: { type: "boolean", short: "v" }, tag: { type: "string", multiple: true } } });
console.log(values.name, values.verbose, values.tag, positionals);
