// Shows texts of other users, which can contain invisible characters: direction marks, tags, characters without a glyph.

import type { ReactNode } from "react";
import { FORMATS } from "../text/language";
import { t } from "../text/text";

/** Control characters except tab and line breaks, format characters except the joiner in emoji, line separators, and blank letters. */
const UNSEEN =
  /(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d|(?![\t\n\r\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;

/** Returns the text with a visible escape for each invisible character: `⟨U+202E⟩`. */
export function visible(text: string): string {
  return text.replace(
    UNSEEN,
    (unseen) => `⟨U+${(unseen.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}

/** Shows a name or a line of another user. Its writing direction does not affect the text around it. */
export function Plain({ children }: { children: string }): ReactNode {
  return <bdi>{visible(children)}</bdi>;
}

/** Shows a line of another user, with the parts in backticks as code. */
export function Coded({ children }: { children: string }): ReactNode {
  return (
    <bdi>
      {visible(children)
        .split(/`([^`]+)`/)
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text are never sorted
        .map((part, n) => (n % 2 === 1 ? <code key={n}>{part}</code> : part))}
    </bdi>
  );
}

const UNITS = ["B", "KiB", "MiB", "GiB"];

/** Formats 1536 as `1.5 KiB`. */
export function bytes(count: number): string {
  const power = count < 1 ? 0 : Math.min(Math.floor(Math.log2(count) / 10), UNITS.length - 1);
  const value = count / 1024 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}

const figures = new Intl.NumberFormat(FORMATS);
/** Formats 12000 as `12,000`. */
export const figure = (count: number): string => figures.format(count);

const compacted = new Intl.NumberFormat(FORMATS, { notation: "compact", maximumSignificantDigits: 3 });
/** Formats 14312 as `14.3k`. */
export const compact = (count: number): string => compacted.format(count);

const dayAndMonth = new Intl.DateTimeFormat(FORMATS, { day: "numeric", month: "short", timeZone: "UTC" });
/** Formats 2026-11-26 as `26 Nov`. */
export const shortDay = (day: string): string => dayAndMonth.format(new Date(day));

const DOLLARS = { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" } as const;
const dollars = new Intl.NumberFormat(FORMATS, DOLLARS);
const cents = new Intl.NumberFormat(FORMATS, { ...DOLLARS, minimumSignificantDigits: 2, maximumSignificantDigits: 3 });
/** Formats 1234.5 as `$1,234.50`, and amounts below a dollar with up to three significant digits. */
export const money = (usd: number): string => (usd > 0 && usd < 1 ? cents : dollars).format(usd);

const moment = new Intl.DateTimeFormat(FORMATS, { dateStyle: "medium", timeStyle: "short" });

/** A time of the API, in the reader's zone. */
export function When({ at, never = t("never") }: { at: string | null; never?: string }): ReactNode {
  return at === null ? never : <time dateTime={at}>{moment.format(new Date(at))}</time>;
}
