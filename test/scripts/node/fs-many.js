const fs = require("fs"), os = require("os"), path = require("path");
const dir = fs.mkdtempSync(path.join(os.tmpdir(), "job-"));
fs.writeFileSync(path.join(dir, "a"), "1"); fs.copyFileSync(path.join(dir, "a"), path.join(dir, "b")); fs.renameSync(path.join(dir, "b"), path.join(dir, "c")); fs.appendFileSync(path.join(dir, "c"), "2");
console.log(fs.readdirSync(dir).join(), fs.readFileSync(path.join(dir, "c"), "utf8"), fs.existsSync(path.join(dir, "b")), fs.statSync(dir).isDirectory());
const fd = fs.openSync(path.join(dir, "d"), "w+"); fs.writeSync(fd, "hello"); const b = Buffer.alloc(3); fs.readSync(fd, b, 0, 3, 1); fs.closeSync(fd); console.log(b.toString());
fs.symlinkSync("a", path.join(dir, "l")); console.log(fs.readlinkSync(path.join(dir, "l")), fs.lstatSync(path.join(dir, "l")).isSymbolicLink(), fs.realpathSync(path.join(dir, "l")) === path.join(dir, "a"));
try { fs.rmdirSync(dir); } catch (error) { console.log(error.code); }
fs.rmSync(dir, { recursive: true, force: true }); console.log(fs.existsSync(dir));
for (const f of [() => fs.mkdirSync("/workspace"), () => fs.readFileSync("/workspace"), () => fs.readdirSync("nope"), () => fs.accessSync("nope"), () => fs.unlinkSync("nope")]) { try { f(); } catch (error) { console.log(error.code, error.syscall); } }
