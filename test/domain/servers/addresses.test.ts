// Aliases of servers' resources in a conversation: each leads to its own server only.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Addresses, aliasOf, serverProviderOf } from "../../../src/domain/servers/library/addresses";

const holding = (owner: string, uris: string[], templates: string[] = []) => ({
  owner,
  library: {
    resources: uris.map((uri) => ({ uri, name: "" })),
    templates: templates.map((uriTemplate) => ({ uriTemplate, name: "" })),
  },
});

describe("an address that is shown", () => {
  const uri = fc.oneof(
    fc.constantFrom(
      "test://a",
      "ui://a",
      "skill://a/SKILL.md",
      "via:two/test://a",
      "ui://via/two/ui://a",
      "result:fil_a",
    ),
    fc.webUrl(),
  );
  const template = fc.constantFrom("{+all}", "test://{a}", "ui://{a}", "http://{a}", "SKILL://{a}");

  it("leads back to the server that has it, whatever others list", () => {
    fc.assert(
      fc.property(fc.array(uri), fc.array(uri), fc.array(template), (mine, others, templates) => {
        const addresses = new Addresses([holding("one", mine), holding("two", others, templates)]);
        for (const own of mine)
          expect(addresses.find(addresses.shownUri("one", own))).toEqual({ owner: "one", uri: own });
        for (const own of others)
          expect(addresses.find(addresses.shownUri("two", own))).toEqual({ owner: "two", uri: own });
      }),
    );
  });

  it("keeps a template a template that leads to its server", () => {
    const two = [holding("one", [], ["test://{id}/data"]), holding("two", [], ["test://x/{y}"])];
    for (const addresses of [new Addresses(two), new Addresses(two.slice(0, 1))]) {
      const made = addresses.shownTemplate("one", "test://{id}/data").replace("{id}", "7");
      expect(addresses.find(made)).toEqual({ owner: "one", uri: "test://7/data" });
    }
    expect(new Addresses(two.slice(0, 1)).shownTemplate("one", "test://{id}/data")).toBe("test://{id}/data");
  });

  it("belongs to no server if the server or the resource is not in the conversation", () => {
    const addresses = new Addresses([holding("one", ["test://a"])]);
    for (const shown of [
      aliasOf("gone", "test://a"),
      "test://b",
      "via:one/",
      "via:one",
      "via:",
      "ui://via/one/test://a",
      "skill://a",
    ])
      expect(addresses.find(shown)).toBeNull();
  });

  it("names the skill beside the server, in no way that another name could imitate", () => {
    const of = (name: string, skill: string | null) =>
      serverProviderOf({ name, skill: skill === null ? null : { name: skill } });
    const names = [of("a", "b"), of("a@b", null), of("a/b", null), of("a", "b/c"), of("a\ud800", null)];
    expect(names).toEqual(["a@b", "a%40b", "a%2Fb", "a@b%2Fc", "a%EF%BF%BD"]);
  });
});
