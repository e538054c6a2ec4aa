// `npm run serve` is killed in the middle of work. `npm run try:kills` repeats it 200 times.

import { expect, it } from "vitest";
import { initServed, kill, newPlace, type Run, readyServed, serve, until } from "./launcher";
import { busy, type Workload, workloads } from "./workload";

const KILLS = Number(process.env.KILLS ?? 3);
/** Acknowledged steps of each workload between two kills. */
const STEPS = 3;

type Victim = "workerd" | "both" | "launcher";
/** Most kills hit workerd, because a start of the launcher takes longer. */
const VICTIMS: Victim[] = ["workerd", "both", "launcher", ...Array<Victim>(5).fill("workerd")];

function more(all: Workload[]): Promise<boolean> {
  const goals = all.map((workload) => workload.acknowledged() + STEPS);
  return until("steps are acknowledged", () => all.every((workload, i) => workload.acknowledged() >= goals[i]!));
}

async function end(run: Run, victim: Victim): Promise<void> {
  const { runtime } = await run.lock();
  if (victim !== "workerd") run.process.kill("SIGKILL");
  if (victim !== "launcher") kill(runtime.pid);
  if (victim === "workerd") await until("another workerd", async () => (await run.lock()).runtime.pid !== runtime.pid);
  else await run.exit;
}

it("loses nothing that was acknowledged", { timeout: Math.max(600_000, KILLS * 60_000) }, async () => {
  const place = await newPlace();
  const key = await initServed(place);
  const all = workloads.map((make) => make());
  let run = serve(place);
  let gateway = await readyServed(run, key);
  for (let n = 0; n < KILLS; n++) {
    const victim = VICTIMS[n % VICTIMS.length]!;
    const work = busy(gateway, all);
    await more(all);
    await end(run, victim);
    if (victim !== "workerd") {
      await work.stop();
      run = serve(place);
      gateway = await readyServed(run, key);
      for (const workload of all) await workload.verify(gateway);
      console.log(`${n + 1} of ${KILLS} kills, nothing acknowledged is lost`);
    } else {
      await more(all);
      await work.stop();
    }
  }
  for (const workload of all) await workload.verify(gateway);
  expect(all.every((workload) => workload.acknowledged() >= KILLS * STEPS)).toBe(true);
  console.log(
    `${KILLS} kills: ${all.map((each) => `${each.acknowledged()} ${each.name}`).join(", ")} acknowledged, none lost`,
  );
});
