const zlib = require("zlib"), fs = require("fs"), { pipeline } = require("stream/promises");
(async () => {
  await pipeline(fs.createReadStream("/skill/data/sample.txt"), zlib.createGzip(), fs.createWriteStream("sample.gz"));
  const back = zlib.gunzipSync(fs.readFileSync("sample.gz")).toString();
  console.log(back === fs.readFileSync("/skill/data/sample.txt", "utf8"));
  zlib.deflate("x".repeat(1000), (error, out) => console.log(error, out.length < 100));
  fs.unlinkSync("sample.gz");
})();
