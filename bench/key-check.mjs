// Adds a key check to the HTTP server of a gateway that has none (loaded with `node --import`). The server answers only requests with the
// key whose digest is in KEY_DIGEST. It runs in the same process and caches nothing, so no key check is cheaper.

import { createHash, timingSafeEqual } from "node:crypto";
import { Server } from "node:http";

const expected = Buffer.from(process.env.KEY_DIGEST ?? "", "hex");
const emit = Server.prototype.emit;

Server.prototype.emit = function (event, ...given) {
  if (event !== "request") return emit.call(this, event, ...given);
  const [request, response] = given;
  const [, key = ""] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
  const sent = createHash("sha256").update(key).digest();
  if (timingSafeEqual(sent, expected)) return emit.call(this, event, ...given);
  response.writeHead(401).end();
  return true;
};
