// Constants that the bundler inserts; see `[define]` in wrangler.toml.

/** Whether this is a development build. No variable can change it. */
declare const __DEVELOPMENT__: boolean;

/** Whether the Worker runs on a machine of its own (`npm start`, `npm run serve`), where nothing else limits the CPU time of skill code. */
declare const __LOCAL_RUNTIME__: boolean;

/** The part of "JSON.parse source text access" (ES2026) that the runtime has and this TypeScript's library lacks. */
interface JSON {
  rawJSON(text: string): object;
}
