const util = require("util");
console.log({ a: 1, b: [1, 2, { c: { d: { e: 1 } } }], f() {}, s: Symbol("x"), d: new Date(0), r: /x/g, n: null, u: undefined, m: new Map([["k", new Set([1])]]) });
console.log("%s is %d years and %i, %j %o %%", "Bob", 42.5, 42.9, { a: 1 }, [1]);
console.log(util.inspect("str"), util.format("%s", new Error("e").message), util.isDeepStrictEqual([1], [1]), [undefined, , 3], -0, 10n, [..."abc"].entries());
console.log(new Array(120).fill(7), "x".repeat(5), Buffer.from("hi"), new Uint8Array(3), class A {}, new (class B { x = 1 })());
console.error("to stderr");
