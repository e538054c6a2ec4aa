// Constants that the bundler puts in; see `[define]` in wrangler.toml.

/** Whether this is a development build. No variable can turn it on. */
declare const __DEVELOPMENT__: boolean;

/** The part of "JSON.parse source text access" (ES2026) that the runtime has and this TypeScript's library lacks. */
interface JSON {
  rawJSON(text: string): object;
}
