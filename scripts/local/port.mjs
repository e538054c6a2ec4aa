// Ports of this machine.

import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * A free port below those that systems give to outgoing connections (Linux from 32768, others from 49152): one of theirs may
 * be in use again by the time that workerd listens.
 */
export async function anyPort() {
  for (;;) {
    const port = randomInt(10_240, 32_768);
    if (await probe(port).then(() => true, isTaken)) return port;
  }
}

function isTaken(error) {
  if (error.code !== "EADDRINUSE") throw error;
  return false;
}

/** Fails when nobody could listen on the port now. */
export async function probe(port) {
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  server.close();
  await once(server, "close");
}
