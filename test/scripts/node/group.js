console.group("Report"); console.log("a\nb"); console.group(); console.warn("deep"); console.groupEnd(); console.info("c"); console.groupEnd();
console.count(); console.count("x"); console.count(); console.assert(true, "no"); console.dir({ a: { b: { c: {} } } }, { depth: 0 });
console.table([[1, "a"], [2, "b"]]); console.table(new Map([["k", 1]])); console.table([{ a: 1 }, { b: 2 }], ["b"]); console.table(5);
