// Runs inside a run: passes connections to its proxy variables on to the socket of the executor. It has no key and no value.

const net = require("node:net");
const [port, socket] = process.argv.slice(2);

const server = net.createServer({ allowHalfOpen: true }, (client) => {
  const proxy = net.connect({ path: socket, allowHalfOpen: true });
  client.on("error", () => proxy.destroy());
  proxy.on("error", () => client.destroy());
  client.on("close", () => proxy.destroy());
  proxy.on("close", () => client.destroy());
  client.pipe(proxy);
  proxy.pipe(client);
});
server.listen(Number(port), "127.0.0.1", () => console.log("ready"));
