// Constants that the bundler puts in; see `[define]` in wrangler.toml.

/** Whether this is a development build. No variable can turn it on. */
declare const __DEVELOPMENT__: boolean;
