// Shows progress of long operations: one updated line in a terminal, separate lines in a log, nothing with `--json`.

import { note, shown, type Work } from "./context";

export interface Progress {
  step(text: string): void;
  /** Ends the progress and clears the line. */
  end(): void;
}

/** Shows on stderr what the command is doing. */
export function progressOf(work: Work, text: string): Progress {
  const isLive = work.stderr.isTTY === true && !work.json;
  let last = "";
  const step = (now: string) => {
    if (work.json || now === last) return;
    last = now;
    if (isLive) work.stderr.write(`\r\u001b[2K${shown(now)}`);
    else note(work, now);
  };
  step(text);
  return { step, end: () => void (isLive && work.stderr.write("\r\u001b[2K")) };
}

/** Formats a size for people. */
export function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  return bytes < 1_024 * 1_024 ? `${(bytes / 1_024).toFixed(1)} KiB` : `${(bytes / 1_024 / 1_024).toFixed(1)} MiB`;
}
