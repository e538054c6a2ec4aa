// Constants that the bundler puts in; see `[define]` in wrangler.toml.

/** Whether this is a development build. No variable can turn it on. */
declare const __DEVELOPMENT__: boolean;

/** What the runtime has of "JSON.parse source text access" (ES2026) and the library of this TypeScript has not. */
interface JSON {
  rawJSON(text: string): object;
}
