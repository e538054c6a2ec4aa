/// <reference types="vite/client" />
// Access to every route: compares the isolation matrix with the served OpenAPI document, and sends the request of every cell.

import { afterEach, describe, expect, it } from "vitest";
import { openApi } from "../support/openapi";
import { ACTORS, dropServers, LIMITED, UNKNOWN, USERS } from "./matrix/actors";
import { CHAT_ROWS } from "./matrix/chat-rows";
import { DOOR_ROWS } from "./matrix/compat-rows";
import { DRAFT_ROWS } from "./matrix/draft-rows";
import { MCP_ROWS } from "./matrix/mcp-rows";
import { NETWORK_ROWS } from "./matrix/network-rows";
import { OPEN } from "./matrix/open-routes";
import { absentAs, verdictsOf } from "./matrix/probe";
import { PUBLISHER_ROWS } from "./matrix/publisher-rows";
import { RATING_ROWS } from "./matrix/rating-rows";
import { PROXY_ROWS, SERVER_ROWS } from "./matrix/server-rows";
import { SIGN_IN_ROWS } from "./matrix/sign-in-rows";
import { ROWS, type Row } from "./matrix/table";
import { LOOKING_ROWS } from "./matrix/view-rows";

interface Document {
  paths: Record<string, Record<string, { security?: unknown[] }>>;
}

const document = await openApi<Document>();
const operations = Object.entries(document.paths).flatMap(([template, methods]) =>
  Object.entries(methods).map(([method, { security }]) => ({
    route: `${method.toUpperCase()} ${template}`,
    open: security?.length === 0,
  })),
);
afterEach(dropServers);

const MCP_SOURCES = import.meta.glob<string>("../../src/mcp/*.ts", { query: "?raw", import: "default", eager: true });
const ALL = [
  ...ROWS,
  ...DRAFT_ROWS,
  ...DOOR_ROWS,
  ...LOOKING_ROWS,
  ...NETWORK_ROWS,
  ...PUBLISHER_ROWS,
  ...RATING_ROWS,
  ...SERVER_ROWS,
  ...MCP_ROWS,
  ...PROXY_ROWS,
  ...SIGN_IN_ROWS,
  ...CHAT_ROWS,
];
const cells = ALL.length * ACTORS.length;

describe(`the matrix of ${ALL.length} rows for ${operations.length} operations × ${ACTORS.length} actors = ${cells} cells`, () => {
  it("has every route, and no others", () => {
    const closed = operations.filter((operation) => !operation.open).map((operation) => operation.route);
    expect(
      [
        ...new Set(
          [
            ...ROWS,
            ...DRAFT_ROWS,
            ...DOOR_ROWS,
            ...LOOKING_ROWS,
            ...NETWORK_ROWS,
            ...PUBLISHER_ROWS,
            ...RATING_ROWS,
            ...SERVER_ROWS,
            ...SIGN_IN_ROWS,
          ].map((row) => row.route),
        ),
      ].sort(),
    ).toEqual(closed.sort());
    expect(
      operations
        .filter((operation) => operation.open)
        .map((operation) => operation.route)
        .sort(),
    ).toEqual([...OPEN].sort());
    expect([...UNKNOWN, ...LIMITED, ...USERS]).toEqual(ACTORS);
    // The MCP endpoint has no OpenAPI document. Its methods are the ones registered in the source, and two that the SDK answers.
    const registered = Object.values(MCP_SOURCES).flatMap((source) =>
      [...source.matchAll(/setRequestHandler\("([^"]+)"/g)].map((match) => match[1]),
    );
    const methods = new Set(MCP_ROWS.map((row) => row.route.split(" ")[2]));
    expect([...methods].sort()).toEqual([...registered, "initialize", "ping"].sort());
  });

  it.each(ALL.map((row): [string, Row] => [`${row.route} of ${row.of}`, row]))("%s", async (_, row) => {
    const { seen, expected } = await verdictsOf(row);
    expect(seen).toEqual(expected);
  });

  it.each(ALL.filter((row) => row.of !== "nobody").map((row): [string, Row] => [`${row.route} of ${row.of}`, row]))(
    "%s: another's is as a missing one",
    async (_, row) => {
      const refused = await absentAs(row);
      for (const { there, missing } of refused) {
        expect(there).toEqual(missing);
        expect(there.headers).not.toHaveProperty("etag");
      }
      expect(refused.length > 0 || row.of === "public").toBe(true);
    },
  );
});
