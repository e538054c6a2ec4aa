// Returns a typed value after the user pauses.

import { useEffect, useState } from "react";

const PAUSE_MS = 400;

/** Returns the last value that did not change for `PAUSE_MS`. */
export function useSettled<T>(value: T): T {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
