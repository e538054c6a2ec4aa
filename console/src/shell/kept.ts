// Stores the user's display choices in this browser: the theme and the width of the sidebar.

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** `theme-early.js` reads the same key. */
const THEME = "skill-gateway-theme";
const SIDEBAR = "skill-gateway-sidebar";

export function themeOf(): Theme {
  const stored = read(THEME);
  return THEMES.find((theme) => theme === stored) ?? "system";
}

export function setTheme(theme: Theme): void {
  write(THEME, theme === "system" ? null : theme);
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export const isSidebarNarrow = (): boolean => read(SIDEBAR) === "narrow";
export const setSidebarNarrow = (isNarrow: boolean): void => write(SIDEBAR, isNarrow ? "narrow" : null);

/** Storage can be blocked or full. The choice then lasts until the page is reloaded. */
export function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}

export function write(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}
