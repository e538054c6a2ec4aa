import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSettings, type Settings } from "../../../src/domain/settings/settings";
import { handlesOf } from "../../../src/services/proxy/handles";

const FIRST = "sgw_the_first_admin_key_of_a_test";
const settings = (variables: Record<string, string>): Settings => {
  const { settings: read } = parseSettings(variables);
  if (read === null) throw new Error("bad settings");
  return read;
};

describe("a sealed handle", async () => {
  const seal = await handlesOf(settings({ GATEWAY_ADMIN_KEY: FIRST }));

  it("decrypts with its own binding to the original value, and is deterministic", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.array(fc.string(), { maxLength: 4 }), async (value, binding) => {
        const handle = await seal.close(value.toWellFormed(), binding);
        expect(handle).toMatch(/^[\w-]+$/);
        expect(await seal.open(handle, binding)).toBe(value.toWellFormed());
        expect(await seal.close(value.toWellFormed(), binding)).toBe(handle);
      }),
    );
  });

  it("opens under no other binding", async () => {
    const own = ["session", "alice", "server"];
    const handle = await seal.close("session-1", own);
    // A value that was opened is cached.
    expect(await seal.open(handle, own)).toBe("session-1");
    const others = [
      ["session", "bob", "server"],
      ["session", "alice"],
      ["session", "alice", "server", ""],
      ["session alice server"],
    ];
    for (const other of others) expect(await seal.open(handle, other)).toBeNull();
  });

  it("does not open when anything of it was changed", async () => {
    const handle = await seal.close("session-1", ["alice"]);
    expect(await seal.open(handle, ["alice"])).toBe("session-1");
    for (let at = 0; at < handle.length - 1; at++) {
      const changed = handle.slice(0, at) + (handle[at] === "A" ? "B" : "A") + handle.slice(at + 1);
      expect(await seal.open(changed, ["alice"])).toBeNull();
    }
    for (const bad of ["", "A", "no handle!", handle.slice(0, 16), `${handle}AAAA`])
      expect(await seal.open(bad, ["alice"])).toBeNull();
  });

  it("is void under another secret, and SECRETS_KEY is preferred", async () => {
    const handle = await seal.close("session-1", ["alice"]);
    const secretsKey = "c2VjcmV0cyBvZiB0aGUgcG9vbCBhcmUgbm90IHNlY3I=";
    const other = await handlesOf(settings({ GATEWAY_ADMIN_KEY: FIRST, SECRETS_KEY: secretsKey }));
    expect(await other.open(handle, ["alice"])).toBeNull();
    const later = await handlesOf(settings({ GATEWAY_ADMIN_KEY: `${FIRST}_changed`, SECRETS_KEY: secretsKey }));
    expect(await later.open(await other.close("x", []), [])).toBe("x");
  });

  it("cannot be made without any secret", () => {
    expect(() => handlesOf(settings({}))).toThrow(/SECRETS_KEY/);
  });
});
