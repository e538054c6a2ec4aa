// Removes deleted content from the disk: at each start, every night, and on SIGUSR2.

import { say } from "../kit/refusal.mjs";
import { compact } from "../local/compact.mjs";
import { runSchedules } from "../local/schedules.mjs";

/** The hour of this machine's clock. */
const HOUR = 3;

/** A failure, such as a full disk, leaves the data as it was. */
export async function compactNow(state) {
  const began = performance.now();
  try {
    const files = await compact(state);
    say(JSON.stringify({ event: "compacted", files, ms: Math.round(performance.now() - began) }));
  } catch (error) {
    say(
      `Deleted content was not removed from the disk: ${error.message}. The next attempt is at night or at the next start.`,
    );
  }
}

/**
 * @param {{ state: string, front: { pause: () => Promise<void>, resume: () => void }, gateway: { restart: (between: () => Promise<void>) =>
 * Promise<void> }, schedulesEnded: () => Promise<unknown>, fail: (error: Error) => void }} options `schedulesEnded`: waits for jobs of the
 * Worker that run; `fail`: ends the process
 */
export function compactAtNight({ state, front, gateway, schedulesEnded, fail }) {
  let isRunning = false;
  const run = async () => {
    if (isRunning) return;
    isRunning = true;
    try {
      await schedulesEnded();
      await front.pause();
      await gateway.restart(() => compactNow(state));
    } catch (error) {
      fail(error);
    } finally {
      front.resume();
      isRunning = false;
    }
  };
  process.on("SIGUSR2", run);
  runSchedules(["0 * * * *"], (_, at) => {
    if (at.getHours() === HOUR) void run();
  });
}
