// Chromium, for whatever drives one: tests, trials, pictures, a bench.

import { existsSync } from "node:fs";
import { Refusal } from "./refusal.mjs";

/** Debian's. The one that can open no window comes first: the same pages take it a third less of the machine. */
const PLACES = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/** @returns {string} the executable: that of $CHROMIUM, else the first that is there */
export function chromiumPath() {
  const { CHROMIUM } = process.env;
  const places = CHROMIUM === undefined ? PLACES : [CHROMIUM];
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new Refusal(
    `No browser at ${places.join(" or ")}. Install it (apt-get install -y chromium-headless-shell) or set CHROMIUM.`,
  );
}
