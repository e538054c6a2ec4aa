// Calls every function that stores connections to MCP servers, for the query plan test.

import type { Database } from "../../src/storage/d1/database";
import * as requests from "../../src/storage/d1/servers/connect-requests";
import * as connections from "../../src/storage/d1/servers/connections";
import { BIG_USER } from "./registry-10k";

const sealed = { keyId: "k", iv: "i", ciphertext: "c" };
const endpoints = {
  issuer: "https://issuer.example",
  authorization_endpoint: "https://issuer.example/authorize",
  token_endpoint: "https://issuer.example/token",
  response_types_supported: ["code"],
};
const server = {
  ...{ userId: BIG_USER, scope: "gateway", server: "notes", url: "https://notes.example/mcp" },
  ...{ issuer: endpoints.issuer, resource: null, endpoints },
};
const connection = { id: "cnn_1", ...server, ...sealed, granted: null, state: "active" as const };
const at = { id: "cnn_1", userId: BIG_USER, generation: 0 };
const client = { issuer: endpoints.issuer, redirectUri: "https://gateway.test/x" };

export const CONNECTION_QUERIES: Record<string, (db: Database) => Promise<unknown>> = {
  putConnection: (db) =>
    connections.putConnection(db, { ...connection, proof: null, life: 1_000, proofLife: null }, 100),
  activateConnection: (db) => connections.activateConnection(db, { ...at, proof: "p" }),
  connectionsOfUser: (db) => connections.connectionsOfUser(db, BIG_USER),
  connectionAtPrimary: (db) => connections.connectionAtPrimary(db, BIG_USER, server),
  openConnectRequest: (db) => requests.openConnectRequest(db, server),
  listConnections: async (db) => {
    await connections.listConnections(db, BIG_USER, 100, null);
    await connections.listConnections(db, BIG_USER, 100, "a");
  },
  readConnection: (db) => connections.readConnection(db, BIG_USER, "cnn_1"),
  claimLease: (db) => connections.claimLease(db, at, "lease", 1_000),
  releaseLease: (db) => connections.releaseLease(db, "cnn_1", "lease"),
  storeRefreshed: (db) => connections.storeRefreshed(db, at, "lease", { ...sealed, granted: null, life: null }),
  endConnection: (db) => connections.endConnection(db, at, "rejected"),
  deleteMisproved: (db) => connections.deleteMisproved(db, { ...at, proof: "p" }),
  deleteUnproved: (db) => connections.deleteUnproved(db, 0),
  deleteOrphanConnections: (db) => connections.deleteOrphanConnections(db, 10),
  connectionsUnderOtherKeys: (db) => connections.connectionsUnderOtherKeys(db, "k", 10),
  reencryptConnection: (db) => connections.reencryptConnection(db, { id: "cnn_1", ciphertext: "c" }, sealed),
  deleteConnection: (db) => connections.deleteConnection(db, BIG_USER, "cnn_1"),
  insertConnectRequest: (db) =>
    requests.insertConnectRequest(
      db,
      { id: "cnr_1", ...server, ...sealed, wanted: null, returnTo: null, conversation: null, question: null },
      10,
    ),
  readConnectRequest: async (db) => {
    await requests.readConnectRequest(db, "cnr_1", null);
    await requests.readConnectRequest(db, "cnr_1", "b");
  },
  countConnectAttempt: (db) => requests.countConnectAttempt(db, { id: "cnr_1", browser: "b" }, 5),
  sendToIssuer: (db) => requests.sendToIssuer(db, { id: "cnr_1", browser: "b" }, { stateHash: "s", ...sealed }),
  consumeConnectRequest: (db) => requests.consumeConnectRequest(db, { id: "cnr_1", browser: "b", stateHash: "s" }),
  deleteExpiredConnectRequests: (db) => requests.deleteExpiredConnectRequests(db, 0),
  deleteUnusedUpstreamClients: (db) => requests.deleteUnusedUpstreamClients(db, 0),
  readUpstreamClient: (db) => requests.readUpstreamClient(db, client.issuer, client.redirectUri),
  putUpstreamClient: (db) => requests.putUpstreamClient(db, { ...client, ...sealed, expiresAt: null }),
  deleteUpstreamClient: (db) => requests.deleteUpstreamClient(db, client.issuer, client.redirectUri),
};
