// Access to all client integrations: compares the rows and the fuzzer's routes with the registered routes, and sends the request of every
// cell.

import { describe, expect, it } from "vitest";
import { CLAWHUB } from "../../src/compat/clawhub/edges";
import { COMPAT_EDGES } from "../../src/compat/edges";
import { ACTORS } from "../api/matrix/actors";
import { absentAs, verdictsOf } from "../api/matrix/probe";
import { PLACE_ROWS } from "../api/matrix/scope-rows";
import type { Row } from "../api/matrix/table";
import { VENDOR_ROWS } from "../api/matrix/vendor-rows";
import { DOORS_DOCUMENT } from "../fuzz/compat";
import { operationsOf } from "../fuzz/document";

const ROWS = [...PLACE_ROWS, ...VENDOR_ROWS];

/** Every route of an integration, with parameters as in the rows, without middleware. */
const ROUTES = [
  ...new Set(
    Object.values({ ...COMPAT_EDGES, ...CLAWHUB }).flatMap((edge) =>
      [...(edge.open?.routes ?? []), ...edge.routes.routes]
        .filter(({ method, path }) => method !== "ALL" && !path.endsWith("*"))
        .map(({ method, path }) => `${method} ${path.replace(/:(\w+)(\{[^}]*\})?/g, "{$1}")}`),
    ),
  ),
];

/** Routes without a key: links, which contain their own secret, and open routes. */
const isKeyless = (route: string) => /^GET \/(t\/|\.well-known\/)/.test(route);

/**
 * Returns a pattern of the paths that a route matches. Parameter names do not matter, and a parameter at the end can match several
 * segments.
 */
const taking = (route: string) =>
  new RegExp(
    `^${route
      .replaceAll(".", "[.]")
      .replace(/\{path\}/g, ".+")
      .replace(/\{\w+\}/g, "[^/]+")}$`,
  );
const plain = (route: string) => route.replace(/\{\w+\}/g, "x");

describe(`the integrations' matrix of ${ROWS.length} rows for ${ROUTES.length} routes × ${ACTORS.length} actors`, () => {
  it("has every route that accepts a key, and no others", () => {
    expect(ROUTES.length).toBeGreaterThan(80);
    const rows = [...new Set(ROWS.map(({ route }) => route))];
    const missing = ROUTES.filter((route) => !isKeyless(route) && !rows.some((row) => taking(route).test(plain(row))));
    const strange = rows.filter((row) => !ROUTES.some((route) => taking(route).test(plain(row))));
    expect({ missing, strange }).toEqual({ missing: [], strange: [] });
  });

  it("the fuzzer has every route, and no others", () => {
    const known = operationsOf(DOORS_DOCUMENT).map(({ method, path }) => plain(`${method} ${path}`));
    const missing = ROUTES.filter((route) => !known.some((one) => taking(route).test(one)));
    const strange = known.filter((one) => !ROUTES.some((route) => taking(route).test(one)));
    expect({ missing, strange }).toEqual({ missing: [], strange: [] });
  });

  const named = (rows: readonly Row[]) => rows.map((row): [string, Row] => [`${row.route} of ${row.of}`, row]);

  it.each(named(ROWS))("%s", async (_, row) => {
    const { seen, expected } = await verdictsOf(row);
    expect(seen).toEqual(expected);
  });

  it.each(named(ROWS.filter(({ of }) => of !== "nobody")))("%s: another's is as a missing one", async (_, row) => {
    const refused = await absentAs(row);
    for (const { there, missing } of refused) {
      expect(there).toEqual(missing);
      expect(there.headers).not.toHaveProperty("etag");
    }
    expect(refused.length > 0 || row.of === "public").toBe(true);
  });
});
