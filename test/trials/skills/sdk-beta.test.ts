// The SDK from before general availability, unmodified: it sends the beta header and reads the beta response format.

import Anthropic, { toFile } from "@anthropic-ai/sdk";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Harness } from "../../support/harness";

const gateway = new Harness();
beforeAll(() => gateway.start());
afterAll(() => gateway.close());

const filesOf = async (body: string) => [
  await toFile(Buffer.from(`---\nname: tides\ndescription: Reads tide tables.\n---\n\n${body}\n`), "tides/SKILL.md"),
];

describe("@anthropic-ai/sdk beta", () => {
  it("publishes and updates what has changed", async () => {
    const made = await gateway.send("POST", "/api/v1/keys", {
      user_id: "beta-user",
      scopes: ["skills:write", "skills:read"],
    });
    const { key } = (await made.json()) as { key: string };
    const { skills } = new Anthropic({ apiKey: key, baseURL: `${gateway.url}/anthropic`, maxRetries: 0 }).beta;
    const { id, latest_version } = await skills.create({ files: await filesOf("One."), display_title: "Tides" });
    expect(latest_version).toMatch(/^\d{16}$/);
    const { version } = await skills.versions.create(id, { files: await filesOf("Two.") });
    expect(await skills.retrieve(id)).toMatchObject({ display_title: "Tides", latest_version: version });
    const versions: string[] = [];
    for await (const one of skills.versions.list(id, { limit: 1 })) versions.push(one.version);
    expect(versions).toEqual([version, latest_version]);
    const zip = await (await skills.versions.download(version, { skill_id: id })).arrayBuffer();
    const { "tides/SKILL.md": text } = unzipSync(new Uint8Array(zip));
    expect(new TextDecoder().decode(text)).toContain("Two.");
    await expect(skills.delete(id)).rejects.toMatchObject({ status: 400 });
    for (const one of versions) await skills.versions.delete(one, { skill_id: id });
    expect(await skills.delete(id)).toMatchObject({ type: "skill_deleted" });
    for await (const _ of skills.list()) throw new Error("A skill is left.");
  });
});
