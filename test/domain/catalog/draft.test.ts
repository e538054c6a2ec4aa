// References to drafts: they always determine the author, either explicitly or from the caller.

import { describe, expect, it } from "vitest";
import { authorOfDrafts, canExecute, draftScope, visibleScopes } from "../../../src/domain/access/access";
import { readNeeds } from "../../../src/domain/catalog/dependency-list";
import { draftReference, isOthersDraft, parseDraft } from "../../../src/domain/catalog/draft";
import { parseReference } from "../../../src/domain/reference";

describe("a reference to a draft", () => {
  it.each([
    ["draft:poem", { author: "ann", name: "poem" }],
    ["draft:bob/poem", { author: "bob", name: "poem" }],
    ["draft:bob@example.com/poem", { author: "bob@example.com", name: "poem" }],
    ["draft:cafe\u0301", { author: "ann", name: "caf\u00e9" }],
    ["draft:", null],
    ["draft:/poem", null],
    ["draft:bob/", null],
    ["poem", null],
    ["Draft:poem", null],
  ])("%s means %j", (text, place) => {
    expect(parseDraft(text, "ann")).toEqual(place);
  });

  it("has no range, and is parsed back unchanged", () => {
    for (const text of ["draft:poem", "draft:bob@example.com/poem"]) {
      expect(parseReference(text)).toEqual({ name: text, range: "*" });
      const place = parseDraft(text, "ann");
      expect(place === null ? null : draftReference(place, "ann")).toBe(text);
    }
  });

  it("distinguishes own drafts from others'", () => {
    expect([isOthersDraft("draft:poem", "ann"), isOthersDraft("draft:ann/poem", "ann")]).toEqual([false, false]);
    expect([isOthersDraft("draft:bob/poem", "ann"), isOthersDraft("poem", "ann")]).toEqual([true, false]);
  });

  it("is nothing that a skill could depend on", () => {
    expect(readNeeds("poem", ["draft:other", "draft:ann/other"]).map(({ kind }) => kind)).toEqual([
      "foreign",
      "foreign",
    ]);
  });
});

describe("the scope of drafts", () => {
  it("is in no list of visible scopes, not even the author's, whatever the user's name", () => {
    for (const userId of ["ann", "draft:ann", "public", "public-draft:ann"]) {
      const scopes = visibleScopes({ userId, role: "admin", groups: [], scopes: [], keyId: "k" });
      expect(scopes.filter((scope) => authorOfDrafts(scope) !== null)).toEqual([]);
      expect(scopes).not.toContain(draftScope("ann"));
    }
  });

  it("runs no code, by whatever name its author goes", () => {
    for (const author of ["ann", "public", "draft:public", "public-draft:ann"])
      expect(canExecute(draftScope(author), "groups"), author).toBe(false);
    expect(canExecute("user:public-draft:ann", "groups")).toBe(false);
  });
});
