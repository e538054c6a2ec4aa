// What `npm start` and `npm run serve` do with their processes: the one for skill code, the executor, and the watch over what is stuck.

import { fail, say } from "../kit/refusal.mjs";
import { NO_EXECUTOR, openExecutor } from "./executor.mjs";
import { kill } from "./processes.mjs";
import { openRunner } from "./runner.mjs";
import { runSchedules } from "./schedules.mjs";
import { watch } from "./watchdog.mjs";

/**
 * Opens the process for skill code. A call waits until it is ready. The gateway does not.
 * @param {string} owner marks the process
 * @param {{ setRunner: (pid: number) => void }} lock
 */
export async function openSkillProcess(owner, lock) {
  const runner = await openRunner({
    owner,
    onRuntime: lock.setRunner,
    onLost: () => fail(new Error("the process for skill code does not restart")),
  });
  runner?.ready().catch(fail);
  return runner;
}

/**
 * Returns the executor of this machine, unless the user has configured another one.
 * @param {"on" | "off" | "auto"} mode
 * @param {Record<string, string>} variables
 * @param {ReturnType<typeof openExecutor>} [opening] one that was begun before the settings were read
 */
export async function chooseExecutor(mode, variables, opening = undefined) {
  const isOther = mode === "auto" && variables.EXECUTOR_URL !== undefined;
  const executor = await (opening ?? (isOther ? NO_EXECUTOR : openExecutor(mode)));
  if (!isOther || executor === NO_EXECUTOR) return executor;
  await executor.close();
  return NO_EXECUTOR;
}

/** Ends a process that is stuck, so that it is started again. */
export function supervise({ gateway, url, runner }) {
  void watch(url, gateway, () => {
    say("workerd does not respond, stopping it");
    kill(gateway.runtime());
  });
  if (runner !== null)
    void watch(runner.url, runner, () => {
      say("a script blocks the process for skill code, stopping it");
      kill(runner.runtime());
    });
}

/**
 * Runs the schedules of the gateway.
 * @returns {() => Promise<unknown>} waits for those that run
 */
export function startSchedules(gateway) {
  const running = new Set();
  runSchedules(gateway.schedules, (cron, at) => {
    const run = gateway
      .runSchedule(cron, at)
      .catch((error) => say(error.stack))
      .finally(() => running.delete(run));
    running.add(run);
  });
  return () => Promise.all(running);
}
