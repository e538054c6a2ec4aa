// What an executor lacks for the scripts of a skill, as publishing and validation return it.

import { afterEach, expect, it, vi } from "vitest";
import { settingsFrom } from "../../../../src/domain/settings/settings";
import { executorHealth } from "../../../../src/services/tools/executor-health";
import { executorOffer } from "../../../../src/services/tools/executor-offer";
import { askWith } from "../../../support/app";
import { ADMIN_KEY } from "../../../support/call";
import { form, skillZip } from "../../../support/skill";
import { SKILLS } from "./published";

const KEY = "the key of an executor of the tests";
const OFFER = {
  protocol: 1,
  packages: { python: { NumPy: "1.24.2" } },
  modules: { python: ["json", "numpy"] },
  commands: ["git"],
};
const FILES = {
  "scripts/chart.py": "import numpy\nimport yaml\n",
  "scripts/clone.sh": "git status\npandoc a.md\n",
  "scripts/plain.py": "import json\n",
  "scripts/sums.py": '# /// script\n# dependencies = ["numpy>=2"]\n# ///\nimport numpy\n',
  "scripts/page.py": "import urllib.request\n",
  "scripts/status.sh": "git status\n",
  "scripts/web.js": "require('node:child_process')\n",
  "requirements.txt": "# none\n",
};

afterEach(() => vi.restoreAllMocks());

/** Publishes or validates a skill on a gateway whose executor gives this answer, and returns its scripts by path. */
async function scriptsWith(route: string, name: string, answer: () => Response) {
  const asked = vi.spyOn(globalThis, "fetch").mockImplementation(async () => answer());
  const settings = { EXECUTOR_URL: `https://${name}.example`, EXECUTOR_KEY: KEY };
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  const send = async () => {
    const body = form(skillZip({ name, frontmatter: "requirements: [json5]", files: FILES }));
    const response = await askWith(settings, `${SKILLS}/${route}`, { method: "POST", body, headers });
    return response.json<{ scripts?: Script[]; status: { scripts: Script[] } }>();
  };
  const { scripts, status } = await send();
  await send();
  return { scripts: new Map((scripts ?? status.scripts).map((script) => [script.path, script])), asked };
}

interface Script {
  path: string;
  runs: string;
  reason?: string;
  needs?: object;
  missing?: string[];
}

it.each(["validate", "public"])("%s names per script what the executor lacks", async (route) => {
  const { scripts, asked } = await scriptsWith(route, `offer-${route}`, () => Response.json(OFFER));
  expect(scripts.get("scripts/chart.py")).toMatchObject({
    runs: "remote",
    reason: expect.stringMatching(/ The executor lacks: Python module yaml, Python package json5\.$/),
    needs: { modules: ["numpy", "yaml"], requirements: ["json5"] },
    missing: ["Python module yaml", "Python package json5"],
  });
  expect(scripts.get("scripts/clone.sh")).toMatchObject({ missing: ["command pandoc"] });
  expect(scripts.get("scripts/sums.py")).toMatchObject({
    missing: ["Python package numpy>=2 (has 1.24.2)", "Python package json5"],
  });
  expect(scripts.get("scripts/status.sh")).toMatchObject({
    reason: expect.stringMatching(/ The executor has it\.$/),
    missing: [],
  });
  // It also needs network access, which the executor does not have.
  expect(scripts.get("scripts/page.py")?.reason).toMatch(/Calls that need it fail\. The executor lacks: .*json5\.$/);
  // Neither is sent to the executor.
  expect(scripts.get("scripts/plain.py")).toEqual({ path: "scripts/plain.py", runs: "isolate" });
  expect(scripts.get("scripts/web.js")).not.toHaveProperty("missing");
  // The executor is asked once a minute.
  expect(asked.mock.calls.map(([url]) => String(url))).toEqual([`https://offer-${route}.example/v1/executor`]);
});

it.each<[string, () => Response]>([
  ["refuses", () => Response.json({ error: { code: "UNAUTHORIZED", message: "no" } }, { status: 401 })],
  ["answers nonsense", () => new Response("<html>")],
  ["answers too much", () => new Response("x".repeat(2 * 1024 * 1024))],
])("publishing works with an executor that %s", async (how, answer) => {
  const { scripts } = await scriptsWith("public", `offer-${how.replaceAll(" ", "-")}`, answer);
  const chart = scripts.get("scripts/chart.py");
  expect(chart).toMatchObject({ runs: "remote", reason: expect.stringContaining("could not be asked") });
  expect(chart).not.toHaveProperty("missing");
});

it("the executor is asked again 5 s after a failure, and a minute after an answer", async () => {
  const settings = settingsFrom({ EXECUTOR_URL: "https://offer-recovery.example", EXECUTOR_KEY: KEY });
  let isUp = false;
  const asked = vi
    .spyOn(globalThis, "fetch")
    .mockImplementation(async () => (isUp ? Response.json(OFFER) : new Response(null, { status: 503 })));
  const at = (seconds: number) => executorOffer({ settings, now: () => seconds * 1_000 });
  expect(await at(1_000)).toHaveProperty("problem");
  isUp = true;
  expect(await at(1_004)).toHaveProperty("problem");
  expect(await at(1_006)).toHaveProperty("offer");
  expect(await at(1_060)).toHaveProperty("offer");
  expect(asked).toHaveBeenCalledTimes(2);
  await at(1_067);
  expect(asked).toHaveBeenCalledTimes(3);
});

it.each([
  ["EXECUTOR_UNAVAILABLE", 503, "bwrap is not installed. Install it: apt-get install bubblewrap"],
  ["UNAUTHORIZED", 401, "The executor does not respond, or refuses the key."],
  ["INTERNAL", 500, "The executor does not respond, or refuses the key."],
])("the health with an executor that returns %s says what to do", async (code, status, expected) => {
  const url = `https://health-${status}.example`;
  const message = "bwrap is not installed. Install it: apt-get install bubblewrap";
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({ error: { code, message } }, { status }));
  const health = await executorHealth(settingsFrom({ EXECUTOR_URL: url, EXECUTOR_KEY: KEY }));
  expect(health.state).toBe("failed");
  expect(health.issues).toEqual([
    {
      code: "EXECUTOR_UNAVAILABLE",
      message: expect.stringMatching(/Scripts that need packages or programs do not run\.$/),
    },
  ]);
  expect(health.issues[0]?.message).toContain(expected);
  expect(health.issues[0]?.message.includes(message)).toBe(code === "EXECUTOR_UNAVAILABLE");
});
