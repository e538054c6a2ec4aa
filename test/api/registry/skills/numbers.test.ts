// Version numbers: 1, 2, … for each skill, even after earlier versions are deleted.

import { beforeAll, describe, expect, it } from "vitest";
import { call, keyFor } from "../../../support/call";
import { publishOwn } from "../../../support/chat-turns";
import { SKILLS, type Skill } from "./published";

let ada: string;
beforeAll(async () => {
  ada = await keyFor("numbers-ada");
});

interface Numbered {
  id: string;
  version_id: string;
  version_number: number;
}

const publish = (name: string, version: string) => publishOwn(ada, { name, version, body: `Body of ${version}.` });
const shown = async (id: string) => (await call("GET", `${SKILLS}/${id}`, { key: ada })).json<{ status: Numbered }>();
const listed = async (id: string) => {
  const { items } = await (await call("GET", `${SKILLS}/${id}/versions`, { key: ada })).json<{
    items: { number: number; version: string }[];
  }>();
  return items.map(({ number, version }) => [number, version]);
};

describe("the number of a version", () => {
  it("counts each skill's own versions, in every answer that shows one", async () => {
    const first = await publish("counted", "1.0.0");
    expect(first.version_id).toMatch(/^ver_/);
    await publish("beside", "1.0.0");
    await publish("counted", "0.9.0");
    expect(await listed(first.id)).toEqual([
      [2, "0.9.0"],
      [1, "1.0.0"],
    ]);
    expect((await shown(first.id)).status.version_number).toBe(2);
    const back = await call("POST", `${SKILLS}/${first.id}/versions/${first.version_id}/activate`, { key: ada });
    expect((await back.json<Skill & { status: Numbered }>()).status).toMatchObject({
      version_id: first.version_id,
      version_number: 1,
    });
  });

  it("is not given again after a yank", async () => {
    const { id } = await publish("yanked-away", "1.0.0");
    const second = await publish("yanked-away", "2.0.0");
    await call("POST", `${SKILLS}/${id}/versions/${second.version_id}/yank`, { key: ada });
    await publish("yanked-away", "3.0.0");
    expect(await listed(id)).toEqual([
      [3, "3.0.0"],
      [2, "2.0.0"],
      [1, "1.0.0"],
    ]);
  });

  it("differs for versions that are published at the same time", async () => {
    const { id } = await publish("raced", "1.0.0");
    await Promise.all(["1.1.0", "1.2.0", "1.3.0"].map((version) => publish("raced", version)));
    expect((await listed(id)).map(([number]) => number).sort()).toEqual([1, 2, 3, 4]);
  });
});
