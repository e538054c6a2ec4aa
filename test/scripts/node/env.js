console.log(process.env.HOME, process.env.API_KEY ?? "no key", process.platform, process.argv.length, process.cwd(), typeof process.pid, process.version.split(".")[0], process.stdout.isTTY ?? false);
if (!process.env.API_KEY) { console.error("Error: API_KEY is not set"); process.exit(1); }
