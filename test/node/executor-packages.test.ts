// The packages that the local executor installs, from a folder of wheels.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { strToU8, zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { probe, runConfined } from "../../executor/bubblewrap.mjs";
import { Layers, layersFrom, NotInstalled, safeLines } from "../../executor/packages.mjs";
import { serveExecutor } from "../../executor/server.mjs";

const canInstall = (await probe()).ok && spawnSync("/usr/bin/python3", ["-m", "pip", "--version"]).status === 0;
const KEY = "a key of the tests that is long enough";
/** pip takes longer on a busy machine than a run waits. */
const waitMs = 120_000;
vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 });

let wheels: string;
let folder: string;
const hashes: Record<string, string> = {};
beforeAll(async () => {
  wheels = await mkdtemp(path.join(tmpdir(), "wheels-"));
  folder = await mkdtemp(path.join(tmpdir(), "layers-"));
  // pip runs as another user if these tests run as root.
  for (const place of [wheels, folder]) await chmod(place, 0o777);
  await wheel("first_package", "1.0.0", "first_package/__init__.py", "VALUE = 'one'\n");
  await wheel("first_package", "2.0.0", "first_package/__init__.py", "VALUE = 'two'\n");
  await wheel("escaping", "1.0.0", "../../../../../../tmp/escaped.py", "");
});
afterAll(() => Promise.all([wheels, folder].map((place) => rm(place, { recursive: true, force: true }))));

/** Writes a wheel with one module. */
async function wheel(name: string, version: string, file: string, text: string): Promise<void> {
  const about = `${name}-${version}.dist-info`;
  const files = {
    [file]: text,
    [`${about}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`,
    [`${about}/WHEEL`]: "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
  };
  const record = [...Object.keys(files), `${about}/RECORD`].map((each) => `${each},,`).join("\n");
  const entries = Object.entries({ ...files, [`${about}/RECORD`]: record }).map(([at, content]) => [
    at,
    strToU8(content),
  ]);
  const bytes = zipSync(Object.fromEntries(entries));
  hashes[`${name}-${version}`] = createHash("sha256").update(bytes).digest("hex");
  await writeFile(path.join(wheels, `${name}-${version}-py3-none-any.whl`), bytes);
}

const layers = (mode: string) => new Layers({ mode, index: wheels, folder, waitMs });
const pinned = (version: string, hash = hashes[`first_package-${version}`]) =>
  `first_package==${version} --hash=sha256:${hash}\n`;
const asked = (text: string, requirements: string[] = [], at = "/skill/requirements.txt") => ({
  path: "/skill/scripts/a.py",
  files: [{ path: at, bytes: Buffer.from(text) }],
  requirements,
});

it("only packages, versions, markers and hashes of a requirements.txt are read", () => {
  const text = [
    "--index-url https://evil.example/simple",
    "-r /etc/passwd",
    "-e .",
    "numpy>=1.26,<3  # fast",
    "requests[socks]==2.32.3 \\",
    "    --hash=sha256:00ff \\",
    "    --hash=sha256:11ee",
    "tomli; python_version < '3.11'",
    "pkg @ https://evil.example/x.whl",
    "./x.whl",
    "/etc/x.whl",
    "a --global-option=x",
    "b==1 --hash=sha256:zz",
    "c==1 --index-url=x",
  ].join("\n");
  expect(safeLines(text)).toEqual([
    "numpy>=1.26,<3",
    "requests[socks]==2.32.3 --hash=sha256:00ff --hash=sha256:11ee",
    "tomli; python_version < '3.11'",
  ]);
});

it("an unknown mode is an error", () => {
  expect(() => layersFrom({ EXECUTOR_INSTALL: "always" })).toThrow("off, pinned, any");
});

describe.runIf(canInstall)("installing", () => {
  async function valueIn(packages: string | null): Promise<string> {
    const script =
      "try:\n  import first_package; print(first_package.VALUE)\nexcept ImportError: print('absent')\ntry: open('/opt/packages/x', 'w')\nexcept OSError: print('read-only')\n";
    const files = [{ path: "/skill/a.py", bytes: Buffer.from(script) }];
    const { stdout } = await runConfined({ command: ["/usr/bin/python3", "/skill/a.py"], files, packages, ms: 60_000 });
    return stdout;
  }

  it("does nothing by default", async () => {
    expect(await layers("off").take(asked(pinned("1.0.0"), ["first_package"]))).toBeNull();
    expect(await valueIn(null)).toBe("absent\nread-only\n");
  });

  it("with `pinned` installs exact versions with hashes, once", async () => {
    const all = layers("pinned");
    const [one, two] = await Promise.all([all.take(asked(pinned("1.0.0"))), all.take(asked(pinned("1.0.0")))]);
    expect(one?.folder).toBe(two?.folder);
    expect(await valueIn(one?.folder ?? null)).toBe("one\nread-only\n");
    expect(await all.list()).toMatchObject([{ requirements: ["first_package==1.0.0"], bytes: expect.any(Number) }]);
    // Another executor on the same folder uses it, even if the wheels are gone.
    const later = new Layers({ mode: "pinned", index: wheels, folder, waitMs });
    expect((await later.take(asked(pinned("1.0.0"))))?.folder).toBe(one?.folder);
  });

  it("with `pinned` ignores requirements without a hash, and those of other folders", async () => {
    const all = layers("pinned");
    expect(await all.take(asked("first_package==1.0.0\n", ["first_package==1.0.0"]))).toBeNull();
    expect(await all.take(asked(pinned("1.0.0"), [], "/skill/other/requirements.txt"))).toBeNull();
  });

  it("with `any` installs what the skill declares", async () => {
    const layer = await layers("any").take(asked("", ["first_package<2"]));
    expect(await valueIn(layer?.folder ?? null)).toBe("one\nread-only\n");
    const newest = await layers("any").take(asked("first_package\n"));
    expect(await valueIn(newest?.folder ?? null)).toBe("two\nread-only\n");
  });

  it.each([
    ["another hash", pinned("2.0.0", "0".repeat(64)), "pinned"],
    ["an unknown package", "unknown-package-of-the-tests\n", "any"],
    ["a wheel that writes outside", "escaping\n", "any"],
  ])("fails for %s, and leaves nothing behind", async (_, text, mode) => {
    const before = await readdir(folder);
    await expect(layers(mode).take(asked(text))).rejects.toThrow(NotInstalled);
    expect(await readdir(folder)).toEqual(before);
    expect(await readdir(tmpdir())).not.toContain("escaped.py");
  });

  it("runs scripts with the packages, and returns why they cannot be installed", async () => {
    const server = await serveExecutor({ key: KEY, layers: layers("any") });
    const send = async (requirements: string[], script = "a.py") => {
      const form = new FormData();
      const language = script.endsWith(".sh") ? "shell" : "python";
      form.set("run", JSON.stringify({ language, path: `/skill/${script}`, ms: 60_000, requirements }));
      form.append("file", new Blob(["import first_package; print(first_package.VALUE)"]), "%2Fskill%2Fa.py");
      form.append("file", new Blob(["exec python3 /skill/a.py"]), "%2Fskill%2Fb.sh");
      const headers = { authorization: `Bearer ${KEY}` };
      const response = await fetch(`${server.url}/v1/runs`, { method: "POST", body: form, headers });
      return { status: response.status, text: await response.text() };
    };
    try {
      expect(await send(["first_package==2.0.0"])).toMatchObject({ status: 200, text: expect.stringContaining("two") });
      expect(await send(["first_package==1.0.0"], "b.sh")).toMatchObject({ text: expect.stringContaining("one") });
      expect(await send(["unknown-package-of-the-tests"])).toMatchObject({
        status: 422,
        text: expect.stringContaining("PACKAGES_NOT_INSTALLED"),
      });
    } finally {
      await server.close();
    }
  });
});
