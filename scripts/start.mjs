// `npm start`: runs the whole gateway on this machine. Builds it, takes the lock of the state, applies migrations, and publishes the
// built-in skills.

import { randomBytes } from "node:crypto";
import { buildGateway } from "./build/worker.mjs";
import { fail, say } from "./kit/refusal.mjs";
import { builtinVersions, publishBuiltins } from "./local/builtins.mjs";
import { readVariables, variablesWithKey } from "./local/devvars.mjs";
import { announce, readLauncherOptions, stopOnSignals, takeState } from "./local/launcher.mjs";
import { applyMigrations } from "./local/migrate.mjs";
import { kill, ownerMark, processOf } from "./local/processes.mjs";
import { runEveryHour } from "./local/schedules.mjs";
import { hintAtSkills, readServedSkills, serveSkillFolders } from "./local/skill-folders.mjs";
import { watch } from "./local/watchdog.mjs";

async function main() {
  const options = readLauncherOptions("start");
  const miniflare = Promise.all([
    import("./local/gateway.mjs"),
    import("./local/deferred.mjs"),
    import("./local/runner.mjs"),
  ]);
  const { modules, settings, deferred: parts } = await buildGateway({ defers: true });
  await readVariables(options.vars, settings);
  const { lock, port } = await takeState(options);
  const { variables, ...key } = await variablesWithKey(options.vars, settings);

  let gateway;
  let deferred;
  let folders;
  let runner;
  let executor;
  stopOnSignals(() =>
    Promise.all([folders?.close(), gateway?.stop(), deferred?.stop(), runner?.stop(), executor?.close()]),
  );
  const [{ openGateway }, { deferParts }, { openRunner }] = await miniflare;
  const owner = ownerMark(options.state, processOf(process.pid));
  deferred = deferParts(parts, owner);
  if (options.executor) executor = await openExecutor();
  runner = await openRunner({
    owner,
    onRuntime: lock.setRunner,
    onLost: () => fail(new Error("the process for skill code does not restart")),
  });
  // A call waits until the process is ready. The gateway does not.
  runner?.ready().catch(fail);
  gateway = await openGateway({
    deferred,
    runner,
    modules,
    variables: { ...variables, ...executor?.variables },
    port,
    state: options.state,
    owner,
    onRuntime: lock.setRuntime,
    onLost: () => fail(new Error("workerd does not restart")),
  });
  await gateway.ready();
  const url = `http://127.0.0.1:${port}`;
  await applyMigrations(await gateway.database());
  const served = await readServedSkills(options.state);
  await publishBuiltins(url, variables.GATEWAY_ADMIN_KEY, { except: served.names });
  await announce(port, variables, key);
  deferred.build();
  if (options.skills.length === 0) hintAtSkills(served);
  else {
    const builtins = await builtinVersions();
    folders = await serveSkillFolders({ ...options, url, key: variables.GATEWAY_ADMIN_KEY, builtins });
  }

  runEveryHour(gateway.schedules, (cron, at) => gateway.runSchedule(cron, at).catch((error) => say(error.stack)));
  void watch(url, gateway, () => {
    say("workerd does not respond, stopping it");
    kill(gateway.runtime());
  });
  if (runner !== null)
    void watch(runner.url, runner, () => {
      say("a script blocks the process for skill code, stopping it");
      kill(runner.runtime());
    });
}

/** Starts the local executor. If runs cannot be confined here, the gateway starts without one and `/health` returns the reason. */
async function openExecutor() {
  const [{ serveExecutor }, { layersFrom }] = await Promise.all([
    import("../executor/server.mjs"),
    import("../executor/packages.mjs"),
  ]);
  const key = randomBytes(32).toString("base64url");
  try {
    const { url, close } = await serveExecutor({ key, layers: layersFrom(process.env) });
    return { close, variables: { EXECUTOR_URL: url, EXECUTOR_KEY: key } };
  } catch (error) {
    say(`⚠ No executor: ${error.message}`);
    return { close: () => {}, variables: { EXECUTOR_PROBLEM: error.message } };
  }
}

main().catch(fail);
