// The kinds of settings. They are read at the start of every isolate, so they are plain functions: schemas for forty settings took a tenth
// of that start.

/** Reports a problem of a value. */
type Say = (problem: string) => void;

/** One setting: its default, and how a value is parsed. */
export interface Setting<T> {
  initial: T;
  /** Description for docs/settings.md. */
  description: string;
  /** Parses a value and reports problems. With a problem, the returned value is ignored. */
  read(text: string, say: Say): T;
  /** Adds a description. */
  describe(description: string): Setting<T>;
}

function setting<T>(initial: T, read: (text: string, say: Say) => T, description = ""): Setting<T> {
  return { initial, description, read, describe: (next) => setting(initial, read, next) };
}

/** Returns the entries of a list setting: separated by commas, trimmed. */
export const entriesOf = (text: string): string[] =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

/** `true` or `false`. */
export const onOff = (initial: boolean): Setting<boolean> =>
  setting(initial, (text, say) => {
    if (text !== "true" && text !== "false") say("use true or false");
    return text === "true";
  });

/** One of several fixed values. */
export const choice = <const T extends string>(values: readonly T[], initial: NoInfer<T>): Setting<T> =>
  setting(initial, (text, say) => {
    const found = values.find((value) => value === text);
    if (found === undefined) say(`use one of ${values.join(", ")}`);
    return found ?? initial;
  });

/** A whole number. */
export const count = (initial: number, least: number, most: number): Setting<number> =>
  setting(initial, (text, say) => readCount(text, least, most, say));

export function readCount(text: string, least: number, most: number, say: Say): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isInteger(value) || value < least || value > most) say(`use a whole number from ${least} to ${most}`);
  return value;
}

/** An optional text. */
export const optionalText = (check?: (value: string) => string | null): Setting<string | undefined> =>
  setting<string | undefined>(undefined, checked(check));

/** A text with a default. */
export const textOr = (initial: string, check: (value: string) => string | null): Setting<string> =>
  setting(initial, checked(check));

function checked(check: (value: string) => string | null = () => null) {
  return (value: string, say: Say): string => {
    const problem = check(value);
    if (problem !== null) say(problem);
    return value;
  };
}

/** Entries between commas. `check` returns the problem of an entry, or `null`. */
export const list = (check: (entry: string) => string | null = () => null): Setting<string[]> =>
  parsedList((entry, say) => {
    const problem = check(entry);
    if (problem !== null) say(problem);
    return entry;
  });

/** Entries separated by commas, each parsed. */
export const parsedList = <T>(read: (entry: string, say: Say) => T | null): Setting<T[]> =>
  setting<T[]>([], (value, say) =>
    entriesOf(value).flatMap((entry) => {
      const one = read(entry, say);
      return one === null ? [] : [one];
    }),
  );

/** A setting with its own parser. */
export const own = setting;

/** The values of a table of settings. */
export type ValuesOf<T extends Record<string, Setting<unknown>>> = {
  [Name in keyof T]: T[Name] extends Setting<infer Value> ? Value : never;
};

/** Parses a table of settings. Each problem names its setting. The caller handles unknown names. */
export function readTable<T extends Record<string, Setting<unknown>>>(
  table: T,
  variables: Readonly<Record<string, string>>,
): { values: ValuesOf<T>; problems: { name: string; problem: string }[] } {
  const problems: { name: string; problem: string }[] = [];
  const values = Object.fromEntries(
    Object.entries(table).map(([name, { initial, read }]) => {
      const given = Object.hasOwn(variables, name) ? variables[name] : undefined;
      return [name, given === undefined ? initial : read(given, (problem) => problems.push({ name, problem }))];
    }),
  );
  // The object has the names and value types of the table.
  return { values: values as ValuesOf<T>, problems };
}
