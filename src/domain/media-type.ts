// Media types of files by their extension.

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css",
  csv: "text/csv",
  gif: "image/gif",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  md: "text/markdown",
  mjs: "text/javascript",
  pdf: "application/pdf",
  png: "image/png",
  py: "text/x-python",
  sh: "application/x-sh",
  svg: "image/svg+xml",
  toml: "application/toml",
  ts: "text/x-typescript",
  ttf: "font/ttf",
  txt: "text/plain",
  webp: "image/webp",
  woff2: "font/woff2",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  zip: "application/zip",
};

/** Returns the media type by file ending, by default `application/octet-stream`. */
export function mediaTypeOf(path: string): string {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return (Object.hasOwn(TYPES, extension) ? TYPES[extension] : undefined) ?? "application/octet-stream";
}
