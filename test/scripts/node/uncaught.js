console.log("before");
process.on("exit", (code) => console.log("exit", code));
setTimeout(() => { throw new RangeError("late"); }, 5);
setTimeout(() => console.log("never"), 50);
