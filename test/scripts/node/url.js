const url = new URL("https://user:pw@example.com:8080/a/b?x=1&y=2#h");
url.searchParams.append("z", "3 4");
console.log(url.href, url.searchParams.get("y"), [...url.searchParams.keys()]);
const qs = require("querystring"), { URLSearchParams: U } = require("url");
console.log(qs.parse("a=1&a=2&b="), qs.stringify({ a: [1, 2] }), new U({ q: "ü" }).toString(), require("url").pathToFileURL("/a b").href);
console.log(encodeURIComponent("a/b"), Buffer.from("ü").toString("base64url"), Buffer.from("ff00", "hex"), btoa("x"));
