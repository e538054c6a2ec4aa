const assert = require("assert");
assert.deepStrictEqual({ a: [1, 2] }, { a: [1, 2] });
try { assert.strictEqual(1, 2); } catch (error) { console.log(error.code, error.name); }
assert.ok(false, "must hold");
