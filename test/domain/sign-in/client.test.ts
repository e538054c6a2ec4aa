// Metadata that OAuth clients provide about themselves, which is untrusted.

import { describe, expect, it } from "vitest";
import {
  cacheLifetimeOf,
  canonicalMetadata,
  displayClientName,
  readAddress,
  readDocument,
  readMetadata,
} from "../../../src/domain/sign-in/client";

describe("a name", () => {
  it.each([
    ["Claude", "Claude"],
    ["  two   words\n", "two words"],
    ["safe\u202Eelif.exe", "safe elif.exe"],
    ["a\u200Bb\u{E0041}c\u0000d", "a b c d"],
    ["z\u0301\u0301\u0301\u0301\u0301", "z\u0301\u0301\u0301"],
    ["", "Unnamed program"],
    ["\u2066\u2069", "Unnamed program"],
    ["👩".repeat(100), "👩".repeat(64)],
  ])("%j is shown as %j", (said, shown) => {
    expect(
      displayClientName(said)
        .normalize("NFD")
        .replace(/z\u0301+/, "z\u0301\u0301\u0301"),
    ).toBe(shown);
  });
});

describe("metadata", () => {
  it("keeps usable redirect URIs, and unusable ones do not reject the others", () => {
    const read = readMetadata({
      client_name: "X",
      redirect_uris: ["javascript:x", "cursor://a/b", "cursor://a/b"],
      scope: "admin",
    });
    expect(read).toEqual({ metadata: { name: "X", redirectUris: ["cursor://a/b"] } });
    expect(readMetadata({ redirect_uris: ["javascript:x"] })).toMatchObject({ uris: true });
    for (const wrong of [null, [], "x", {}, { redirect_uris: [] }, { redirect_uris: "x" }, { redirect_uris: [1] }])
      expect(readMetadata(wrong)).toHaveProperty("issues");
    expect(readMetadata({ redirect_uris: Array(33).fill("cursor://a/b") })).toHaveProperty("issues");
    expect(readMetadata({ redirect_uris: ["cursor://a/b"], grant_types: ["password"] })).toMatchObject({ uris: false });
  });

  it("is the same client in any order and with any other metadata", () => {
    const one = readMetadata({
      client_name: "X",
      redirect_uris: ["b://1", "a://1"],
      token_endpoint_auth_method: "none",
    });
    const two = readMetadata({ client_name: " X ", redirect_uris: ["a://1", "b://1"], logo_uri: "https://l.example" });
    if (!("metadata" in one) || !("metadata" in two)) throw new Error("not read");
    expect(canonicalMetadata(one.metadata)).toBe(canonicalMetadata(two.metadata));
  });
});

describe("the address of a document", () => {
  const OWN = "https://skills.example.com";

  it.each([
    ...[
      "http://host.dev/client.json",
      "https://127.0.0.1/client.json",
      "https://[::1]/c",
      "https://localhost/c",
      "https://10.0.0.1/c",
    ],
    ...[
      "https://0x7f.1/c",
      "https://2130706433/c",
      "https://169.254.169.254/latest",
      "https://printer.local/c",
      "https://intranet/c",
    ],
    ...[
      "https://host.internal/c",
      "https://user@host.dev/c",
      "https://host.dev/c#x",
      "https://host.dev/",
      "https://host.dev",
    ],
    ...[
      "https://host.dev/a/../c",
      "https://host.dev/%2e%2e/c",
      "https://HOST.dev/c",
      "https://host.dev:443/c",
      "https://host.dev:25/c",
    ],
    ...["https://host.dev./c", "ftp://host.dev/c", "file:///etc/passwd", "https://host.dev\\c", "https://host.dev/c d"],
    ...[`${OWN}/skills/evil.json`, `https://host.dev/${"a".repeat(2_100)}`],
  ])("%s is not required", (address) => {
    expect(readAddress(address, OWN)).toHaveProperty("problem");
  });

  it("is plain and public", () => {
    expect(readAddress("https://host.dev/oauth/client.json?v=1", OWN)).toMatchObject({ url: { host: "host.dev" } });
  });

  it("is valid as long as its response says, within limits", () => {
    const life = (said: string | null) => cacheLifetimeOf(said, 300, 86_400_000);
    expect([
      life(null),
      life("no-store, max-age=9999"),
      life("max-age=0"),
      life("public, max-age=3600"),
      life("max-age=9999999"),
    ]).toEqual([300, 300, 300, 3_600_000, 86_400_000]);
  });

  it("must be in the document exactly", () => {
    const at = "https://host.dev/c";
    const text = (client_id: string) =>
      JSON.stringify({ client_id, client_name: "H", redirect_uris: ["https://host.dev/b"] });
    expect(readDocument(at, text(at))).toMatchObject({ metadata: { name: "H" } });
    for (const other of ["https://host.dev/C", "https://host.dev/c/", "https://claude.ai/c"])
      expect(readDocument(at, text(other))).toHaveProperty("problem");
    for (const broken of ["", "[]", "{}", "<html>", JSON.stringify({ client_id: at })])
      expect(readDocument(at, broken)).toHaveProperty("problem");
  });
});
