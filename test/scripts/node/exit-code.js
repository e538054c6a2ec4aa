process.exitCode = 7; process.on("exit", (code) => { console.log("bye", code); }); process.on("beforeExit", () => console.log("before"));
