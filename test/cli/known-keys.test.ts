// Signing keys that `skillgate` stored: which it accepts later, and what it writes.

import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { acceptedKeys } from "../../sdk/cli/known-keys";
import { publicKeys } from "../../src/services/secrets/signing";
import { Stub, send, streams, WorkFolder } from "../support/skillgate";

const SITE = "https://gateway.example";
const secret = (letter: string) => btoa(letter.repeat(32));
/** The keys that a gateway publishes with these secrets, the current one first. */
const published = (current: string, ...previous: string[]) =>
  publicKeys({ SECRETS_KEY: secret(current), SECRETS_KEYS_PREVIOUS: previous.map(secret) });

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "known-keys-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const work = () => ({
  ...{ program: "skillgate", folder, env: { XDG_CONFIG_HOME: folder }, json: false, checkout: null },
  ...streams(),
  signal: new AbortController().signal,
});
const accepted = async (keys: Awaited<ReturnType<typeof published>>, url = SITE) =>
  (await acceptedKeys(work(), url, keys)).map(({ kid }) => kid);
const ids = (keys: Awaited<ReturnType<typeof published>>) => keys.map(({ kid }) => kid);
const file = () => path.join(folder, "skillgate", "keys.json");

it("accepts the keys of the first use, and then only those, for each gateway", async () => {
  const [a, b] = [await published("a"), await published("b")];
  expect(await accepted(a)).toEqual(ids(a));
  expect(await accepted(a)).toEqual(ids(a));
  await expect(accepted(b)).rejects.toThrow(
    `${SITE} no longer publishes the keys that it signed with before (${ids(a)[0]}). It publishes ${ids(b)[0]}.`,
  );
  await expect(accepted([])).rejects.toThrow("It publishes none.");
  expect(await accepted(b, "https://other.example")).toEqual(ids(b));
  expect(JSON.parse(await readFile(file(), "utf8"))).toEqual({ [SITE]: ids(a), "https://other.example": ids(b) });
  expect((await stat(file())).mode & 0o777).toBe(0o600);
});

it("follows a rotation that the previous key endorses, also when it saw only its end", async () => {
  await accepted(await published("a"));
  const both = await published("b", "a");
  expect(await accepted(both)).toEqual(ids(both));
  expect(await accepted(await published("b"))).toEqual(ids(await published("b")));
  const three = await published("d", "c", "b");
  expect(await accepted(three)).toEqual([three[0]!.kid, three[2]!.kid]);
});

it("does not follow a key that is only listed next to the stored one", async () => {
  const a = await published("a");
  await accepted(a);
  const [forged] = await published("z");
  const [, real] = await published("b", "a");
  const endorsed = (await published("b", "a"))[0]!;
  expect(await accepted([forged!, real!])).toEqual([real!.kid]);
  // The endorsement of another key, and the id of the stored key with other bytes.
  expect(await accepted([{ ...forged!, endorsements: endorsed.endorsements! }, real!])).toEqual([real!.kid]);
  await expect(accepted([{ ...forged!, kid: a[0]!.kid }])).rejects.toThrow("no longer publishes");
});

it("ends with an error if its file is damaged, and does not store keys of this machine", async () => {
  expect(await accepted(await published("a"), "http://127.0.0.1:8787")).toHaveLength(1);
  expect(await accepted(await published("b"), "http://127.0.0.1:8787")).toHaveLength(1);
  await accepted(await published("a"));
  await writeFile(file(), "{");
  await expect(accepted(await published("a"))).rejects.toThrow("is damaged");
});

it("`trust` stores the published keys", async () => {
  const keys = await published("a");
  const stub = await Stub.open((_, response) => send(response, 404, {}), { keys });
  const other = await Stub.open((_, response) => send(response, 404, {}), { keys: [] });
  const place = await WorkFolder.make();
  try {
    const { code, stdout } = await place.run("trust", stub.url, "--json");
    expect([code, JSON.parse(stdout)]).toEqual([0, { url: stub.url, keys: ids(keys) }]);
    const stored = await readFile(path.join(place.folder, ".config", "skillgate", "keys.json"), "utf8");
    expect(JSON.parse(stored)).toEqual({ [stub.url]: ids(keys) });
    expect(await place.run("trust", "--url", other.url)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("publishes no signing keys"),
    });
  } finally {
    stub.close();
    other.close();
    await place.remove();
  }
});
