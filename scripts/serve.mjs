// `npm run serve`: runs the production build on a machine of its own, behind a reverse proxy that ends TLS.

import { randomBytes } from "node:crypto";
import path from "node:path";
import { backUpBeforeMigrating } from "./backup/state.mjs";
import { buildServed } from "./build/worker.mjs";
import { EXECUTOR, executorOf, portOf, readOptions, STATE } from "./kit/options.mjs";
import { fail, logAsJson, Refusal, say } from "./kit/refusal.mjs";
import { publishBuiltins } from "./local/builtins.mjs";
import { openGateway } from "./local/gateway.mjs";
import { DEFAULT_PORT } from "./local/key.mjs";
import { stopOnSignals, takeState } from "./local/launcher.mjs";
import { applyMigrations } from "./local/migrate.mjs";
import { anyPort } from "./local/port.mjs";
import { ownerMark, processOf } from "./local/processes.mjs";
import { chooseExecutor, openSkillProcess, startSchedules, supervise } from "./local/supervised.mjs";
import { checkWritable, watchDisk } from "./serve/disk.mjs";
import { initialize, readServedVariables } from "./serve/environment.mjs";
import { createFront } from "./serve/front.mjs";
import { proxyMatcher } from "./serve/judge.mjs";
import { compactAtNight, compactNow } from "./serve/nightly.mjs";
import { resolveDestinations } from "./serve/worker.mjs";

const USAGE = `Use: npm run serve -- --state <folder> --origin https://skills.example.org [--host 127.0.0.1] [--port 8787] [--executor | --no-executor]
     npm run serve -- --state <folder> --init
  --state    where its data is, and its settings (gateway.env)
  --origin   the https address that users open; a reverse proxy ends TLS there
  --host     the address of this machine where it listens
  --port     the port where it listens
  --executor     fails the check of /health if scripts that need packages or programs cannot run with bubblewrap
  --no-executor  runs no script with bubblewrap; otherwise the gateway uses it if it works here
  --init     creates gateway.env with an admin key and a key for secrets, and ends`;

/** Milliseconds from a signal to the end of the process, at most. */
const STOP_PATIENCE = 9_000;

function readServeOptions() {
  const text = { type: "string" };
  const { values } = readOptions(USAGE, {
    ...STATE,
    origin: text,
    host: text,
    port: text,
    init: { type: "boolean", default: false },
    ...EXECUTOR,
  });
  if (values.state === undefined) throw new Refusal(`--state is missing.\n${USAGE}`);
  const state = path.resolve(process.env.INIT_CWD ?? ".", values.state);
  if (values.init) return { state, init: true };
  if (values.origin === undefined) throw new Refusal(`--origin is missing.\n${USAGE}`);
  const origin = URL.parse(values.origin);
  if (origin?.protocol !== "https:" || ![origin.origin, `${origin.origin}/`].includes(values.origin))
    throw new Refusal(
      `--origin ${values.origin} is not an https address without a path. For http on this machine use npm start.`,
    );
  return {
    state,
    init: false,
    origin,
    host: values.host ?? "127.0.0.1",
    port: portOf(values, USAGE) ?? DEFAULT_PORT,
    executor: executorOf(values, USAGE),
  };
}

/** The URLs that the operator's own settings name. */
function hostsOf({ MODEL_HOSTS, EXECUTOR_URL, JWT_JWKS_URL, OTEL_EXPORTER_OTLP_ENDPOINT }) {
  return [...MODEL_HOSTS, EXECUTOR_URL, JWT_JWKS_URL, OTEL_EXPORTER_OTLP_ENDPOINT].filter((url) => url !== undefined);
}

let isStopping = false;

async function main() {
  const options = readServeOptions();
  if (options.init) return initialize(options.state);
  const { modules, settings } = await buildServed();
  const { variables, values } = await readServedVariables(options, settings);
  await checkWritable(options.state);
  const { lock, port } = await takeState(options);
  logAsJson();

  let front;
  let gateway;
  let runner;
  let executor;
  stopOnSignals(async () => {
    isStopping = true;
    say(JSON.stringify({ event: "stopping" }));
    await front?.stop();
    await Promise.all([gateway?.stop(), runner?.stop(), executor?.close()]);
    say(JSON.stringify({ event: "stopped" }));
  }, STOP_PATIENCE);
  const owner = ownerMark(options.state, processOf(process.pid));
  await backUpBeforeMigrating(options.state);
  await compactNow(options.state);
  executor = await chooseExecutor(options.executor, variables);
  if (executor.row !== null) say(JSON.stringify({ event: "executor", message: executor.row }));
  runner = await openSkillProcess(owner, lock);
  const key = randomBytes(32).toString("base64url");
  const workerPort = await anyPort();
  gateway = await openGateway({
    modules,
    variables: { ...variables, ...executor.variables },
    runner,
    port: workerPort,
    state: options.state,
    owner,
    served: { key, allowed: await resolveDestinations(hostsOf({ ...values, ...executor.variables })) },
    onRuntime: lock.setRuntime,
    onLost: () => fail(new Error("workerd does not restart")),
  });
  await gateway.ready();
  await applyMigrations(await gateway.database());

  const storageProblem = await watchDisk(options.state, say);
  const isProxy = proxyMatcher(values.TRUSTED_PROXIES);
  front = createFront({ ...options, port, workerPort, key, isProxy, say, storageProblem });
  await front.listen();
  const isEverywhere = ["0.0.0.0", "::"].includes(options.host);
  const url = `http://${isEverywhere ? "127.0.0.1" : options.host.includes(":") ? `[${options.host}]` : options.host}:${port}`;
  await publishBuiltins(url, variables.GATEWAY_ADMIN_KEY);
  say(JSON.stringify({ event: "ready", origin: options.origin.origin, listens: `${options.host}:${port}` }));

  executor.prepare();
  const schedulesEnded = startSchedules(gateway);
  compactAtNight({ state: options.state, front, gateway, schedulesEnded, fail });
  // The Worker answers probes past the server with 403, which is an answer, and does not log them.
  supervise({ gateway, url: `http://127.0.0.1:${workerPort}`, runner });
}

main().catch((error) => {
  // A start that is stopped fails, because its gateway ends. `stopOnSignals` ends the process.
  if (isStopping) return;
  // The lock, the first file of a start, needs room, too.
  fail(
    error.code === "ENOSPC"
      ? new Refusal("The disk of the state is full. Free space and start the gateway again.")
      : error,
  );
});
