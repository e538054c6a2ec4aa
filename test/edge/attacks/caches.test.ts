// Attacks through caches. `api/matrix.test.ts` covers access.

import { beforeAll, describe, expect, it } from "vitest";
import { conversation, ghost, keyOfUser, skill, type Thing } from "../../api/matrix/actors";
import { call } from "../../support/call";
import { closed, fill } from "./operations";

describe("caches", () => {
  let things: [string, Thing][];
  beforeAll(async () => {
    things = [
      ["/api/v1/kinds/skills/{id}", await skill("self")],
      ["/api/v1/kinds/skills/{id}/download", await skill("self")],
      ["/api/v1/kinds/skills/{id}/files", await skill("self")],
      ["/api/v1/kinds/skills/{id}/files/{path}", await skill("self")],
      ["/api/v1/kinds/skills/{id}/versions/{version_id}/files", await skill("self")],
      ["/api/v1/kinds/skills/{id}/versions/{version_id}/files/{path}", await skill("self")],
      ["/api/v1/kinds/skills/{id}/versions/{version_id}/permissions", await skill("self")],
      ["/api/v1/kinds/ghosts/{id}", await ghost()],
      ["/api/v1/conversations/{id}", await conversation()],
      ["/api/v1/conversations/{id}/at/{turn}", await conversation()],
      ["/api/tasks/{id}/skills", await conversation()],
    ];
  });

  it("have different ETags only for users who can see the object", async () => {
    const [self, stranger] = [await keyOfUser("self"), await keyOfUser("stranger")];
    for (const [template, thing] of things) {
      const path = fill(template, thing);
      const answer = await call("GET", path, { key: self });
      const tag = answer.headers.get("etag");
      expect([path, answer.status, tag]).toEqual([path, 200, expect.stringMatching(/^"sha256-/)]);
      const again = await call("GET", path, { key: self, headers: { "if-none-match": tag! } });
      expect(again.status).toBe(304);
      for (const guess of [tag!, `W/${tag}`, "*"]) {
        const other = await call("GET", path, { key: stranger, headers: { "if-none-match": guess } });
        expect([other.status, other.headers.get("etag")]).toEqual([404, null]);
      }
    }
  });

  it("cannot share responses to requests with a key", async () => {
    const key = await keyOfUser("self");
    const gets = closed.filter((operation) => operation.method === "GET");
    const paths = [
      ...gets.map(({ template }) => fill(template, {})),
      ...things.map(([template, thing]) => fill(template, thing)),
    ];
    for (const path of paths) {
      for (const options of [{ key }, { key: null }, { key: "nonsense" }, { key, headers: { "if-none-match": "*" } }]) {
        const answer = await call("GET", path, options);
        const caching = answer.headers.get("cache-control") ?? "";
        expect([path, /\b(no-store|private)\b/.test(caching) && !/public|s-maxage/.test(caching)]).toEqual([
          path,
          true,
        ]);
        if (answer.status < 400) expect(answer.headers.get("vary")?.toLowerCase()).toContain("authorization");
        expect(answer.headers.get("set-cookie")).toBeNull();
      }
    }
  });
});
