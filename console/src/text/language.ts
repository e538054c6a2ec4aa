// Contains the language of the console: the user's choice in this browser, otherwise that of the browser.

import { read, write } from "../shell/kept";

export const LANGUAGES = ["en", "zh"] as const;
type Language = (typeof LANGUAGES)[number];
/** `browser`: the language of the browser. */
export type Choice = Language | "browser";

const STORED = "skill-gateway-language";

/** The choice of the user, or `browser` for the language of the browser. */
export function chosenLanguage(): Choice {
  const stored = read(STORED);
  return LANGUAGES.find((language) => language === stored) ?? "browser";
}

/** Stores the choice and loads the page again, because texts are read once. */
export function chooseLanguage(language: Choice): void {
  write(STORED, language === "browser" ? null : language);
  location.reload();
}

/** Returns the first of the browser's languages that the console has. */
function browserLanguage(): Language {
  for (const tag of navigator.languages) {
    const found = LANGUAGES.find((language) => tag.toLowerCase().split("-")[0] === language);
    if (found !== undefined) return found;
  }
  return "en";
}

const chosen = chosenLanguage();
/** The language of this page. */
export const LANGUAGE: Language = chosen === "browser" ? browserLanguage() : chosen;
/** The locale for React Aria. */
export const LOCALE = LANGUAGE === "zh" ? "zh-CN" : "en-US";
/** The locale for numbers and dates. British English writes dates without commas and the day first. */
export const FORMATS = LANGUAGE === "zh" ? "zh-CN" : "en-GB";
