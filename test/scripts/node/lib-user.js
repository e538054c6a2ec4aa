const { slug, pad } = require("../lib/text");
const config = require("../lib/config.json");
const again = require("../lib/text.js");
console.log(slug("Hello, Wörld!"), pad(7), config.limits.max, again.slug === slug, module.id, require.main === module, typeof require.resolve("../lib/text"));
try { require("left-pad"); } catch (error) { console.log(error.code, error.message.split("\n")[0]); }
try { require("./gone"); } catch (error) { console.log(error.code); }
