// Deep dependency graphs: the cost of many paths to the same skill, for the conversation that loads it and for others.

import { describe, expect, it } from "vitest";
import { call } from "../support/call";
import { seedSkill } from "../support/registry";

interface Body {
  active: { skill: string; remaining: number | null; reason: string }[];
  results: { isError?: boolean; content: { text: string }[] }[];
  warnings: { code: string; path?: string }[];
}

const BASE = "/api/v1/conversations";

/** `top` requires two skills, each of which requires two more, and so on: 2^layers paths to the last ones. */
async function layered(scope: string, layers: number): Promise<void> {
  const layer = (n: number) => (n < layers ? [`l${n}a`, `l${n}b`] : []);
  await Promise.all(
    Array.from({ length: layers }, (_, n) =>
      layer(n).map((name) => seedSkill({ name, scope, dependencies: layer(n + 1) })),
    ).flat(),
  );
  await seedSkill({ name: "top", scope, dependencies: layer(0) });
}

async function talk(as: string) {
  const send = async (method: string, path: string, json?: unknown): Promise<Body> => {
    const response = await call(method, `${BASE}/chat${path}`, { as, json });
    expect(response.status).toBeLessThan(300);
    return response.json();
  };
  await send("PUT", "", { delivery: "system" });
  await send("POST", "/turns", {});
  return {
    send,
    load: (skill_name: string) =>
      send("POST", "/tool-calls", {
        calls: [{ id: crypto.randomUUID(), name: "load_skill", arguments: { skill_name } }],
      }),
  };
}

describe("a skill with more ways to its dependencies than anybody could walk", () => {
  // 20 layers have a million paths, which took over a second. 60 layers have too many paths to visit at all.
  it.each([20, 60])("is loaded over %i layers, and its conversation continues", async (layers) => {
    const user = `layers-${layers}`;
    await layered(`user:${user}`, layers);
    const { send, load } = await talk(user);
    const { results, active } = await load("top");
    expect(results[0]?.isError).toBeUndefined();
    expect(active).toHaveLength(2 * layers + 1);
    expect(active.every(({ remaining }) => remaining === 5)).toBe(true);
    const next = await send("POST", "/turns", {});
    expect(next.active).toEqual(active);
    expect((await send("GET", "")).active).toEqual(active);
    expect((await send("GET", "/at/1")).active).toEqual(active);
  });

  it("is refused where they are too many, as a result and as a warning", async () => {
    const user = "layers-200";
    await layered(`user:${user}`, 65);
    const { send, load } = await talk(user);
    const { results, active } = await load("top");
    expect(results[0]).toMatchObject({ isError: true });
    expect(results[0]?.content[0]?.text).toMatch(/^Error: Skill 'top' cannot be loaded: .* more than 128 skills/);
    expect(active).toEqual([]);
    const next = await send("POST", "/turns", { selected_skills: ["top"] });
    expect(next.warnings).toMatchObject([{ code: "TOO_MANY_DEPENDENCIES", path: "top" }]);
    expect(next.active).toEqual([]);
  });

  it("of a group is loaded by another member, and no other request waits", async () => {
    await call("POST", "/api/v1/groups", { json: { name: "layer-team", display_name: "Team" } });
    await call("PUT", "/api/v1/groups/layer-team/members/layer-member", { json: { role: "Reporter" } });
    await layered("group:layer-team", 60);
    const { send, load } = await talk("layer-member");
    const [{ active }, other] = await Promise.all([load("top"), call("GET", "/api/v1/me", { as: "layer-other" })]);
    expect(active).toHaveLength(121);
    expect(other.status).toBe(200);
    expect((await send("GET", "")).active).toHaveLength(121);
  });
});
