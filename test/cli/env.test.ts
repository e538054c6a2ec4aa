// `env` and `network` against a scripted gateway: what is sent, what is printed, and that values never are.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Stub, send, WorkFolder } from "../support/skillgate";

const ID = "skl_01K0000000000000000000TIDE";
const KEY = "sgw_good";
const VALUE = "ghp_value-of-the-test";
const SKILL = {
  metadata: { name: "tide", namespace: "default", labels: { id: ID, user_id: "ann" } },
  spec: { description: "Tides.", version: "1.1.0", tags: [], dependencies: [] },
  status: { version_id: "ver_2", warnings: [], state: "available" },
};
const at = "2026-11-02T00:00:00.000Z";
const times = { created_at: at, updated_at: at, last_used_at: null };
const VARIABLES = {
  skill_id: ID,
  skill_name: "tide",
  network: ["api.example.com", "new.example.com"],
  env: ["TOKEN", "OTHER"],
  values: [
    { name: "TOKEN", shared: false, hosts: ["api.example.com"], ...times },
    { name: "OLD", shared: true, hosts: ["api.example.com", "new.example.com"], ...times },
  ],
  missing: ["OTHER"],
};
const NETWORK = {
  declared: ["api.example.com", "new.example.com"],
  approved: ["api.example.com", "old.example.com"],
  waiting: ["new.example.com"],
};

let work: WorkFolder;
let gateway: Stub;
const TAG = '"sha256-of-the-hosts"';
let sent: { at: string; body: unknown; tag?: string }[] = [];
beforeAll(async () => {
  work = await WorkFolder.make();
  gateway = await Stub.open((request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://stub");
    const asked = `${request.method} ${pathname.replace("/api/v1/kinds/skills", "S").replace("/api/v1/me/skill-env", "E")}`;
    const body: unknown = request.body.length === 0 ? null : JSON.parse(request.body.toString());
    const tag = request.headers["if-match"];
    if (request.method !== "GET") sent.push({ at: asked + search, body, ...(tag === undefined ? {} : { tag }) });
    switch (asked) {
      case "GET S":
        return send(response, 200, { items: [SKILL], next_cursor: null });
      case `GET S/${ID}/network`:
        response.setHeader("etag", TAG);
        return send(response, 200, NETWORK);
      case `PUT S/${ID}/network`:
        if (isChanged) return send(response, 412, { code: "NETWORK_CHANGED", detail: "Read them again." });
        return send(response, 200, NETWORK);
      case "GET E/tide":
      case "PUT E/tide":
      case `PUT S/${ID}/env`:
        return send(response, 200, VARIABLES);
      case "GET E/twice":
        return send(response, 409, { code: "SKILL_AMBIGUOUS", detail: `Use one of their ids: ${ID}, skl_2.` });
      case "DELETE E/tide":
      case `DELETE S/${ID}/env`:
        return response.writeHead(204).end();
      default:
        return send(response, 404, { code: "NOT_FOUND", detail: `There is no ${asked}.` });
    }
  });
});
let isChanged = false;
beforeEach(() => {
  isChanged = false;
  sent = [];
});
afterAll(async () => {
  gateway.close();
  await work.remove();
});

const there = () => ["--url", gateway.url, "--key", KEY];
const run = (...args: string[]) => work.run(...args, ...there());
const type = (input: string, ...args: string[]) => work.runWith({ input }, ...args, ...there());

describe("env", () => {
  it("lists variables: own, shared, no longer declared, and not set", async () => {
    const { code, stdout } = await run("env", "tide");
    expect(code).toBe(0);
    expect(stdout.split("\n").map((line) => line.replaceAll(/ {2,}/g, " | "))).toEqual([
      "TOKEN | own | 2026-11-02 | api.example.com | not sent to new.example.com; set it again to include them",
      "OLD | shared, no longer declared | 2026-11-02 | api.example.com, new.example.com",
      "OTHER | not set",
      "",
    ]);
    expect(JSON.parse((await run("env", "tide", "--json")).stdout)).toEqual(VARIABLES);
  });

  it.each([
    ["with a line break", `${VALUE}\n`],
    ["without a line break", VALUE],
    ["with a line break of Windows", `${VALUE}\r\n`],
  ])("sets a value from stdin %s, and prints no value", async (_, input) => {
    const ended = await type(input, "env", "tide", "TOKEN", "--hosts", "api.example.com, new.example.com");
    expect(ended).toMatchObject({
      code: 0,
      stdout: "tide: the value of TOKEN is set, for api.example.com\n",
      stderr: "",
    });
    const body = { values: { TOKEN: VALUE }, hosts: ["api.example.com", "new.example.com"] };
    expect(sent).toEqual([{ at: "PUT E/tide", body }]);
    expect(ended.stdout + ended.stderr).not.toContain(VALUE);
  });

  it("sets and deletes the value of all users below the id of the skill", async () => {
    expect((await type(VALUE, "env", "tide", "TOKEN", "--shared")).code).toBe(0);
    expect((await run("env", "tide", "TOKEN", "--shared", "--unset")).code).toBe(0);
    expect(sent).toEqual([
      { at: `PUT S/${ID}/env`, body: { values: { TOKEN: VALUE } } },
      { at: `DELETE S/${ID}/env?name=TOKEN`, body: null },
    ]);
  });

  it("deletes one value, or all", async () => {
    expect((await run("env", "tide", "TOKEN", "--unset")).stdout).toBe("tide: the value of TOKEN is deleted\n");
    expect((await run("env", "tide", "--unset")).stdout).toBe("tide: the value of each variable is deleted\n");
    expect(sent.map((one) => one.at)).toEqual(["DELETE E/tide?name=TOKEN", "DELETE E/tide"]);
  });

  it("prints the ids of skills with the same name", async () => {
    const ended = await run("env", "twice");
    expect(ended.code).toBe(6);
    expect(ended.stderr).toContain(`409 SKILL_AMBIGUOUS: Use one of their ids: ${ID}, skl_2.`);
  });

  it.each([
    [["env", "tide", `TOKEN=${VALUE}`], "Write the value to stdin."],
    [["env", "tide", "TOKEN", VALUE], "Unexpected argument"],
    [["env", "tide", "TOKEN"], "No value. Write it to stdin."],
    [["env", "tide", "--shared"], "--shared needs the name of a variable"],
    [["env", "tide", "--hosts", "a.example.com"], "--hosts needs a variable to set."],
    [["network", "tide", "a.example.com"], "Hosts need --approve or --revoke."],
    [["network", "tide", "--approve", "--revoke"], "exclude each other"],
  ])("%j is refused and sends nothing", async (args, message) => {
    const ended = await run(...args);
    expect([ended.code, ended.stdout, sent]).toEqual([2, "", []]);
    expect(ended.stderr).toContain(message);
  });
});

describe("network", () => {
  it("shows which hosts are approved, wait, or are no longer declared", async () => {
    const { stdout } = await run("network", "tide");
    expect(stdout.split("\n").map((line) => line.replaceAll(/ {2,}/g, " | "))).toEqual([
      "api.example.com | approved",
      "new.example.com | waiting",
      "old.example.com | approved, no longer declared",
      "",
    ]);
    const shown: unknown = JSON.parse((await run("network", "tide", "--json")).stdout);
    expect(shown).toEqual({ id: ID, name: "tide", ...NETWORK });
  });

  it.each([
    [["--approve"], ["api.example.com", "old.example.com", "new.example.com"]],
    [
      ["--approve", "API.example.com", "x.example.com"],
      ["api.example.com", "old.example.com", "x.example.com"],
    ],
    [["--revoke"], []],
    [["--revoke", "Old.example.com"], ["api.example.com"]],
  ])("%j sends the whole list, and the tag of the hosts that were read", async (args, hosts) => {
    expect((await run("network", "tide", ...args)).code).toBe(0);
    expect(sent).toEqual([{ at: `PUT S/${ID}/network`, body: { hosts }, tag: TAG }]);
  });

  it("approves nothing if the hosts were changed meanwhile", async () => {
    isChanged = true;
    const { code, stdout, stderr } = await run("network", "tide", "--approve");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("412 NETWORK_CHANGED");
  });
});
