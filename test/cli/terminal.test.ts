// Text of other people is printed as text and never interpreted by the terminal: descriptions, files and errors can contain escape
// sequences.

import { strToU8, zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Stub, send, skillText, WorkFolder } from "../support/skillgate";

const ID = "skl_01K0000000000000000000TIDE";
/** Clears the screen, returns to the start of the line, reverses the text direction, and the 8-bit form of an escape. */
const HOSTILE = "Tides\u001b[2J\rgood\u202eelif\u009b31m.";
/** `list` replaces every run of white space, including carriage returns, by one space. */
const SHOWN = /Tides\\u001b\[2J(\\u000d| )good\\u202eelif\\u009b31m\./;

const zip = (body: string) =>
  Buffer.from(zipSync({ "tide/SKILL.md": strToU8(skillText("tide")), "tide/notes.md": strToU8(body) }));
const VERSIONS = ["ver_2", "ver_1"].map((version_id, index) => ({
  version_id,
  version: `1.${1 - index}.0`,
  is_current: index === 0,
  created_at: "2026-11-01T00:00:00.000Z",
  yanked_at: null,
}));

let work: WorkFolder;
let gateway: Stub;
beforeAll(async () => {
  work = await WorkFolder.make();
  gateway = await Stub.open((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://stub");
    switch (pathname.replace("/api/v1/kinds/skills", "S")) {
      case "S":
        return send(response, 200, {
          items: [
            {
              metadata: { name: "tide", namespace: "default", labels: { id: ID, user_id: "ann" } },
              spec: { description: HOSTILE, version: "1.1.0", tags: [HOSTILE], dependencies: [] },
              status: {
                version_id: "ver_2",
                warnings: [],
                tokens: { line: 9, instructions: 20, files: 0 },
                state: "available",
              },
            },
          ],
          next_cursor: null,
        });
      case "S/unified":
        return send(response, 200, [
          { id: ID, name: "tide", namespace: "default", description: HOSTILE, version: "1.1.0", is_public: false },
        ]);
      case `S/${ID}/versions`:
        return send(response, 200, { items: VERSIONS, next_cursor: null });
      case `S/${ID}/download`:
        return response.end(zip(searchParams.get("version") === "ver_1" ? "calm\n" : `${HOSTILE}\n`));
      default:
        return send(response, 400, { code: "INVALID_REQUEST", detail: HOSTILE });
    }
  });
});
afterAll(async () => {
  gateway.close();
  await work.remove();
});

const there = () => ["--url", gateway.url, "--key", "sgw_good"];
const COMMANDS = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u;

describe("a hostile text on the terminal", () => {
  it.each([
    ["list", []],
    ["info", ["tide"]],
    ["diff", ["tide"]],
    ["usage", ["tide"]],
  ])("%s shows it as letters", async (command, args) => {
    const { stdout, stderr } = await work.run(command, ...args, ...there());
    expect(`${stdout}${stderr}`).toMatch(SHOWN);
    expect(`${stdout}${stderr}`).not.toMatch(COMMANDS);
  });

  it("programs get it as it is", async () => {
    const { stdout } = await work.run("list", "--json", ...there());
    expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(HOSTILE).slice(1, -1));
    expect(stdout).not.toContain("\\\\u001b");
  });
});
