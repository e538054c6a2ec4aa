// Returns the texts of the console in the language of the user. English texts are the keys of the catalog, so a page reads naturally, and
// the first load contains no catalog unless the user has chosen another language.

import { Fragment, type ReactNode } from "react";
import { LANGUAGE } from "./language";
import type { zh } from "./zh";

/** An English text. The compiler refuses one that has no translation. */
export type Text = keyof typeof zh;
type Names<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type Values<T extends string, Value> = [Names<T>] extends [never] ? [] : [values: Record<Names<T>, Value>];

/** Loaded before any page is rendered, so texts outside of components are translated, too. */
const catalog: Readonly<Record<string, string>> = LANGUAGE === "zh" ? (await import("./zh")).zh : {};

const translated = (text: Text): string => catalog[text] ?? text;

/** Returns a text, with `{name}` replaced by the value of that name. */
export function t<T extends Text>(text: T, ...[values]: Values<T, string | number>): string {
  if (values === undefined) return translated(text);
  const known = new Map<string, string | number>(Object.entries(values));
  return translated(text).replace(PLACE, (place, name: string) => String(known.get(name) ?? place));
}

/** Returns a text whose values are elements. */
export function rich<T extends Text>(text: T, values: Record<Names<T>, ReactNode>): ReactNode {
  const known = new Map<string, ReactNode>(Object.entries(values));
  return translated(text)
    .split(PLACE)
    .map((part, n) => (n % 2 === 0 ? part : <Fragment key={part}>{known.get(part)}</Fragment>));
}

const PLACE = /\{(\w+)\}/g;
