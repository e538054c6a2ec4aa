// Applies the stored theme before the first paint. Runs as a blocking script in the head.

try {
  const theme = localStorage.getItem("skill-gateway-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage can be blocked. The theme of the system applies then.
}
