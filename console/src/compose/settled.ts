// Debounces typed input.

import { useEffect, useState } from "react";

const PAUSE_MS = 400;

/** The value as it was when it had not changed for a moment. */
export function useSettled<T>(value: T): T {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
