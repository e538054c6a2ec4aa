const { Transform, Readable, pipeline } = require("stream");
const upper = new Transform({ transform(chunk, _e, done) { done(null, chunk.toString().toUpperCase()); } });
pipeline(Readable.from(["a", "b", "c"]), upper, async function* (source) { for await (const chunk of source) yield `[${chunk}]`; }, async (source) => { let all = ""; for await (const c of source) all += c; console.log(all); }, (error) => console.log("done", error));
