// Clients of plugin marketplaces, unmodified, against the built gateway. Their archives must come over https from another machine, and one
// client reads marketplaces only from Git or a folder. Therefore the gateway's archives are unpacked where the clients install them.

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { deskAtGateway, well } from "./run";

const { gateway, desk } = deskAtGateway();
let users = 0;

interface Marketplace {
  name: string;
  plugins: { name: string; source: { url: string; sha256: string } | string }[];
}

/** Returns the marketplace URL of a new user, through a link. It has two plugins. */
async function market(): Promise<string> {
  const user = `plugin-user-${++users}`;
  const { key } = (await (await gateway.send("POST", "/api/v1/keys", { user_id: user })).json()) as { key: string };
  const headers = { authorization: `Bearer ${key}` };
  for (const name of ["tides", "boats"]) {
    const form = new FormData();
    const text = `---\nname: ${name}\ndescription: Knows ${name}.\n---\n\nLook at the moon.\n`;
    form.append("files[]", new File([text], `${name}/SKILL.md`));
    const made = await fetch(`${gateway.url}/anthropic/v1/skills`, { method: "POST", headers, body: form });
    expect(made.status).toBe(200);
  }
  const json = { ...headers, "content-type": "application/json" };
  const link = await fetch(`${gateway.url}/api/v1/links`, { method: "POST", headers: json, body: "{}" });
  return `${((await link.json()) as { url: string }).url.replace(/\/$/, "")}/.claude-plugin/marketplace.json`;
}

/** Writes the same marketplace to a folder, with each plugin unpacked from its archive. Returns its name. */
async function unpacked(url: string): Promise<string> {
  const told = (await (await fetch(url)).json()) as Marketplace;
  const put = async (file: string, bytes: Uint8Array | string) => {
    const place = path.join(desk().project, "market", file);
    await mkdir(path.dirname(place), { recursive: true });
    await writeFile(place, bytes);
  };
  const plugins = [];
  for (const { name, source, ...plugin } of told.plugins) {
    if (typeof source === "string") throw new Error("no archive");
    const files = unzipSync(new Uint8Array(await (await fetch(source.url)).arrayBuffer()));
    for (const [file, bytes] of Object.entries(files)) await put(`plugins/${name}/${file}`, bytes);
    plugins.push({ ...plugin, name, source: `./plugins/${name}` });
  }
  await put(".claude-plugin/marketplace.json", JSON.stringify({ ...told, plugins }));
  return told.name;
}

describe("claude", () => {
  it("adds what a link reads", async () => {
    const url = await market();
    well(await desk().run("claude", ["plugin", "marketplace", "add", url]));
    expect(well(await desk().run("claude", ["plugin", "marketplace", "list"]))).toContain(url);
    const offered = well(await desk().run("claude", ["plugin", "list", "--available", "--json"]));
    expect(offered).toMatch(/"pluginId": "tides@link-/);
    // The client rejects the http URL of this machine. It accepts https URLs of other machines.
    expect(offered).toContain("Archive URLs must use https://");
  });

  it("adds one skill of many", async () => {
    const name = await unpacked(await market());
    well(await desk().run("claude", ["plugin", "validate", "market/plugins/tides"]));
    well(await desk().run("claude", ["plugin", "marketplace", "add", "./market"]));
    well(await desk().run("claude", ["plugin", "install", `tides@${name}`]));
    const installed = JSON.parse(well(await desk().run("claude", ["plugin", "list", "--json"]))) as { id: string }[];
    expect(installed.map(({ id }) => id)).toEqual([`tides@${name}`]);
  });
});

describe("copilot", () => {
  it.skip("adds what a link reads (it takes an address for a Git repository)", () => undefined);

  it("adds one skill of many", async () => {
    const name = await unpacked(await market());
    well(await desk().run("copilot", ["plugin", "marketplace", "add", path.join(desk().project, "market")]));
    expect(well(await desk().run("copilot", ["plugin", "marketplace", "browse", name]))).toContain("Knows boats.");
    expect(well(await desk().run("copilot", ["plugin", "install", `tides@${name}`]))).toContain("Installed 1 skill");
    expect(well(await desk().run("copilot", ["skill", "list"]))).toContain("Knows tides.");
  });
});
