const crypto = require("crypto");
const fs = require("fs");
for (const algorithm of ["md5", "sha1", "sha256", "sha512"]) console.log(algorithm, crypto.createHash(algorithm).update(fs.readFileSync("/skill/data/sample.txt")).digest("hex").slice(0, 16));
console.log(crypto.createHmac("sha256", "key").update("data").digest("base64"));
const key = crypto.scryptSync("pw", "salt", 32), iv = Buffer.alloc(16, 1);
const cipher = crypto.createCipheriv("aes-256-cbc", key, iv);
console.log(Buffer.concat([cipher.update("secret"), cipher.final()]).toString("hex"), crypto.randomUUID().length, crypto.timingSafeEqual(iv, iv));
