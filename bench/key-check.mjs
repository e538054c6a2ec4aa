// Read before a gateway that checks no key (`node --import`): its HTTP server answers only who sends the key whose digest is in KEY_DIGEST.
// It is part of that process and keeps nothing, so it is the cheapest check of a key there is.

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
