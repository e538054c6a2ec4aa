// Serves the unary methods of a gRPC server as MCP tools over stdio. `mcp-proxy` from npm makes it reachable for the gateway.
//
//   npm install @grpc/grpc-js @grpc/proto-loader @modelcontextprotocol/server mcp-proxy
//   npx mcp-proxy --host 127.0.0.1 --port 8809 --server stream --apiKey "$BRIDGE_KEY" -- node grpc-bridge.mjs greeter.proto localhost:50051
//
// `GRPC_TLS=1` connects with TLS, and `GRPC_AUTHORIZATION` is sent as the metadata `authorization`.

import { credentials, loadPackageDefinition, Metadata } from "@grpc/grpc-js";
import { load } from "@grpc/proto-loader";
import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const [protoFile, address] = process.argv.slice(2);
if (address === undefined) throw new Error("Use: node grpc-bridge.mjs <file.proto> <host:port>");
const { GRPC_TLS, GRPC_AUTHORIZATION } = process.env;
const DEADLINE_MS = 60_000;
/** Messages nested more deeply are described as objects without fields, because a message can contain itself. */
const DEPTH = 4;

// 64-bit integers are strings, because a JSON number cannot hold them. Bytes are base64.
const options = { keepCase: true, longs: String, enums: String, bytes: String, defaults: true, oneofs: true };
const definitions = await load(protoFile, options);
const channel = GRPC_TLS === "1" ? credentials.createSsl() : credentials.createInsecure();
const metadata = new Metadata();
if (GRPC_AUTHORIZATION !== undefined) metadata.set("authorization", GRPC_AUTHORIZATION);

/** By tool: the method, and the client of its service. */
const methods = new Map();
const services = loadPackageDefinition(definitions);
for (const [fullName, definition] of Object.entries(definitions)) {
  if ("format" in definition) continue; // a message or an enum
  const names = fullName.split(".");
  const Service = names.reduce((found, name) => found[name], services);
  const client = new Service(address, channel);
  for (const [name, method] of Object.entries(definition))
    if (!method.requestStream && !method.responseStream)
      methods.set(`${names.at(-1)}_${name}`, { client, name, method });
}

const SCALARS = { TYPE_BOOL: "boolean", TYPE_FLOAT: "number", TYPE_DOUBLE: "number" };
for (const kind of ["INT32", "SINT32", "UINT32", "FIXED32", "SFIXED32"]) SCALARS[`TYPE_${kind}`] = "integer";

/** Returns the JSON schema of a message. */
function schemaOf(message, depth = 0) {
  if (message === undefined || depth > DEPTH) return { type: "object" };
  const fields = message.field.map((field) => {
    const one = schemaOfField(field, depth);
    return [field.name, field.label === "LABEL_REPEATED" ? { type: "array", items: one } : one];
  });
  return { type: "object", properties: Object.fromEntries(fields) };
}

function schemaOfField({ type, typeName }, depth) {
  if (type === "TYPE_MESSAGE") return schemaOf(typeNamed(typeName), depth + 1);
  if (type === "TYPE_ENUM") return { type: "string", enum: typeNamed(typeName)?.value.map(({ name }) => name) };
  return { type: SCALARS[type] ?? "string" };
}

/** A name in a descriptor can lack its package. */
function typeNamed(typeName) {
  const name = typeName.replace(/^\./, "");
  const found = Object.entries(definitions).find(([full]) => full === name || full.endsWith(`.${name}`));
  return found?.[1].type;
}

const server = new Server({ name: `grpc ${address}`, version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler("tools/list", () => ({
  tools: [...methods].map(([name, { method }]) => ({
    name,
    description: `Calls the gRPC method ${method.path}.`,
    inputSchema: schemaOf(method.requestType.type),
  })),
}));
server.setRequestHandler("tools/call", async ({ params }, { mcpReq: { signal } }) => {
  const found = methods.get(params.name);
  if (found === undefined) return failure(`Tool '${params.name}' not found.`);
  const { client, name } = found;
  return new Promise((resolve) => {
    const deadline = Date.now() + DEADLINE_MS;
    const call = client[name](params.arguments ?? {}, metadata, { deadline }, (error, answer) => {
      if (error !== null) return resolve(failure(`gRPC error ${error.code}: ${error.details}`));
      resolve({ content: [{ type: "text", text: JSON.stringify(answer) }] });
    });
    signal.addEventListener("abort", () => call.cancel(), { once: true });
  });
});

function failure(text) {
  return { content: [{ type: "text", text }], isError: true };
}

await server.connect(new StdioServerTransport());
