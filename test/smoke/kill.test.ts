import { expect, it } from "vitest";
import { SkillGateway } from "../../sdk/src/index";
import { kill, newPlace, start, until } from "./launcher";
import { busy, type Workload, workloads } from "./workload";

/** The second kill hits a process that the launcher has started again. */
const ROUNDS = 2;

/** Waits until every workload has this many more acknowledged steps. */
function more(all: Workload[], steps: number): Promise<boolean> {
  const goals = all.map((workload) => workload.acknowledged() + steps);
  return until("steps are acknowledged", () => all.every((workload, i) => workload.acknowledged() >= goals[i]!));
}

it("kill -9 in the middle of work, then a plain start, loses nothing: of the launcher and workerd, then of the launcher alone", async () => {
  const place = await newPlace();
  const all = workloads.map((make) => make());
  const first = start(place);
  const gateway = await first.ready();
  const port = Number(new URL(gateway.url).port);
  const work = busy(gateway, all);
  await more(all, 5);
  const { runtime } = await first.lock();
  first.process.kill("SIGKILL");
  kill(runtime.pid);
  await first.exit;
  await work.stop();
  const second = start(place, { port });
  const next = await second.ready();
  for (const workload of all) await workload.verify(next);

  // A launcher that is killed leaves its workerd serving until the next start takes over.
  const later = busy(next, all);
  await more(all, 5);
  await second.stop("SIGKILL");
  await more(all, 5);
  const third = start(place, { port });
  const last = await third.ready();
  await more(all, 5);
  await later.stop();
  for (const workload of all) await workload.verify(last);
  expect(third.stderr).toContain("stopping processes of a killed gateway");
});

it("kill -9 of workerd alone: the launcher starts it again at once, on the same port, and nothing is lost", async () => {
  const run = start(await newPlace());
  const gateway = await run.ready();
  const all = workloads.map((make) => make());
  const work = busy(gateway, all);
  for (let round = 0; round < ROUNDS; round++) {
    await more(all, 5);
    const { runtime } = await run.lock();
    kill(runtime.pid);
    await until("another workerd", async () => (await run.lock()).runtime.pid !== runtime.pid);
  }
  await more(all, 5);
  await work.stop();
  for (const workload of all) await workload.verify(gateway);
  expect(run.stderr.filter((line) => line === "workerd stopped (SIGKILL), restarting it")).toHaveLength(ROUNDS);

  await run.stop();
  const after = await start(run.place).ready();
  for (const workload of all) await workload.verify(after);
});

it("kill -9 of workerd alone: every call of the SDK has an answer, and every turn happens once", async () => {
  const run = start(await newPlace());
  const { url, key } = await run.ready();
  const client = new SkillGateway({ url, key, retries: 10 });
  const paths = [0, 1, 2, 3].map((n) => ({ id: `sdk-${n}` }));
  const calls = [{ id: "load", name: "load_skill", arguments: { skill_name: "markdown-style" } }];
  // The runtime is killed when one chat reaches these turns, during requests of the other chats.
  const ends = new Set([2, 5]);
  const work = paths.map(async (path) => {
    for (let turn = 1; turn <= 6; turn++) {
      await client.call("turns.prepare", { path, body: { conversation: {} } });
      if (ends.delete(turn)) kill((await run.lock()).runtime.pid);
      await client.call("toolCalls.run", { path, body: { calls } });
    }
  });
  await Promise.all(work);
  for (const path of paths) expect(await client.call("conversations.get", { path })).toMatchObject({ turn: 6 });
  expect(run.stderr.filter((line) => line === "workerd stopped (SIGKILL), restarting it")).toHaveLength(2);
  expect(run.stderr).toContain("workerd is running again");
});

it("a workerd that is stuck is ended and started again", async () => {
  const run = start(await newPlace());
  const gateway = await run.ready();
  const { runtime } = await run.lock();
  kill(runtime.pid, "SIGSTOP");
  const began = performance.now();
  await run.line(/^workerd does not respond, stopping it$/);
  await run.line(/^workerd is running again$/);
  // 15 s of silence, and up to a minute for a start on a busy machine.
  expect(performance.now() - began).toBeLessThan(90_000);
  expect((await gateway.fetch("/api/v1/me")).status).toBe(200);
});
