// The stated source of a skill, and which sources can be stored.

import { describe, expect, it } from "vitest";
import { claimedSource } from "../../../src/domain/catalog/source";

const GIT = { type: "git", url: "https://github.com/owner/repo" };
const read = (more: object) => claimedSource.safeParse({ ...GIT, ...more });

describe("a source", () => {
  it("is stored as the URL parser writes it, so that no character looks like another", () => {
    expect(read({ url: "https://GitHub.com:443/owner/./repo" }).data?.url).toBe("https://github.com/owner/repo");
    // A Cyrillic o, and a mark that reverses the text direction.
    expect(read({ url: "https://github.c\u043em/a" }).data?.url).toBe("https://github.xn--cm-fmc/a");
    expect(read({ url: "https://a.example/\u202egpj" }).data?.url).toBe("https://a.example/%E2%80%AEgpj");
  });

  it("contains everything that a repository provides", () => {
    const whole = {
      ...GIT,
      path: "skills/tide",
      ref: "v1.2/x",
      commit: "a".repeat(40),
      digest: `sha256:${"0".repeat(64)}`,
    };
    expect(claimedSource.parse(whole)).toEqual(whole);
  });

  it.each([
    ["a password", { url: "https://me:secret@a.example/" }],
    ["a user", { url: "https://me@a.example/" }],
    ["a query", { url: "https://a.example/?token=abc" }],
    ["an empty query", { url: "https://a.example/?" }],
    ["a fragment", { url: "https://a.example/#key" }],
    ["a key of the gateway", { url: `https://a.example/l/sgl_${"a1".repeat(20)}/index.json` }],
    ["a token of a Git host", { url: `https://a.example/ghp_${"a1".repeat(18)}/x` }],
    ["a token that is escaped", { url: `https://a.example/%67hp_${"a1".repeat(18)}/x` }],
    ["a scheme that runs", { url: "javascript:alert(1)" }],
    ["a file", { url: "file:///etc/passwd" }],
    ["data", { url: "data:text/html,x" }],
    ["git by ssh", { url: "ssh://git@github.com/a/b" }],
    ["no address", { url: "owner/repo" }],
    ["a long one", { url: `https://a.example/${"a".repeat(1_024)}` }],
    ["one that is long once it is written out", { url: `https://a.example/${"\u00e9".repeat(400)}` }],
    ["a path that leads out", { path: "../x" }],
    ["a path from the root", { path: "/etc" }],
    ["a path with a direction", { path: "skills/\u202eedit" }],
    ["a path with a command for terminals", { path: "skills/\u001b[2J" }],
    ["a path with what is not seen", { path: "skills/ti\u200bde" }],
    ["a path with a backslash", { path: "a\\..\\b" }],
    ["a ref with a blank", { ref: "main --upload-pack=x" }],
    ["half a commit", { commit: "abc" }],
    ["another digest", { digest: "md5:abc" }],
    ["another type", { type: "svn" }],
    ["a field that nobody knows", { token: "x" }],
  ])("with %s is refused", (_, more) => {
    expect(read(more).success).toBe(false);
  });
});
