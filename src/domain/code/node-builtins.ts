// Lists the Node modules that scripts can use. The harness in src/sandbox/guest/node/ implements them.

const NAMES = `assert assert/strict async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns dns/promises
events fs fs/promises http http2 https module net os path path/posix path/win32 perf_hooks process punycode querystring readline
readline/promises stream stream/consumers stream/promises stream/web string_decoder sys timers timers/promises tls tty url util
util/types v8 vm worker_threads zlib`;

const BUILTINS = new Set(NAMES.split(/\s+/));

export function isNodeBuiltin(specifier: string): boolean {
  return BUILTINS.has(specifier.replace(/^node:/, ""));
}
