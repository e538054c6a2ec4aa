// Return paths after sign-in: every allowed path stays at this origin below /console, as a browser resolves it.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isConsolePath } from "../../../src/domain/console/place";

describe("a place in the console", () => {
  it("is a path below it, with a query", () => {
    for (const place of ["/console", "/console/", "/console/library/my-skill", "/console/try?model=demo&a=%20b"])
      expect([place, isConsolePath(place)]).toEqual([place, true]);
  });

  it("never redirects a browser to another origin", () => {
    const piece = fc.constantFrom(
      ...[
        "/console",
        "/",
        "//",
        "\\",
        "..",
        ".",
        "%2e",
        "%2E%2e",
        "%2f",
        "@",
        ":",
        "?",
        "#",
        "evil.example",
        "\t",
        "\n",
        "api",
        "http:",
        "x",
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join("");
        if (!isConsolePath(text)) return;
        const read = new URL(text, "https://gateway.test/console/page");
        expect([text, read.origin, /^\/console(\/(?!api(\/|$))|$)/.test(read.pathname)]).toEqual([
          text,
          "https://gateway.test",
          true,
        ]);
      }),
      { numRuns: 5_000 },
    );
  });
});
