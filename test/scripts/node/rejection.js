process.on("unhandledRejection", (reason) => { console.log("caught:", reason.message); process.exitCode = 3; });
Promise.reject(new Error("lost"));
