// `npm start`: the whole gateway on this machine. Builds it, takes the state, migrates, publishes the built-in skills.

import { buildGateway } from "./build/worker.mjs";
import { fail, say } from "./kit/refusal.mjs";
import { publishBuiltins } from "./local/builtins.mjs";
import { readVariables, variablesWithKey } from "./local/devvars.mjs";
import { announce, readLauncherOptions, stopOnSignals, takeState } from "./local/launcher.mjs";
import { applyMigrations } from "./local/migrate.mjs";
import { kill, ownerMark, processOf } from "./local/processes.mjs";
import { runEveryHour } from "./local/schedules.mjs";
import { watch } from "./local/watchdog.mjs";

async function main() {
  const options = readLauncherOptions("start");
  const miniflare = Promise.all([import("./local/gateway.mjs"), import("./local/deferred.mjs")]);
  const { modules, settings, deferred: parts } = await buildGateway({ defers: true });
  await readVariables(options.vars, settings);
  const { lock, port } = await takeState(options);
  const { variables, ...key } = await variablesWithKey(options.vars, settings);

  let gateway;
  let deferred;
  stopOnSignals(() => Promise.all([gateway?.stop(), deferred?.stop()]));
  const [{ openGateway }, { deferParts }] = await miniflare;
  const owner = ownerMark(options.state, processOf(process.pid));
  deferred = deferParts(parts, owner);
  gateway = await openGateway({
    deferred,
    modules,
    variables,
    port,
    state: options.state,
    owner,
    onRuntime: lock.setRuntime,
    onLost: () => fail(new Error("workerd does not come back")),
  });
  await gateway.ready();
  const url = `http://127.0.0.1:${port}`;
  await applyMigrations(await gateway.database());
  await publishBuiltins(url, variables.GATEWAY_ADMIN_KEY);
  await announce(port, variables, key);
  deferred.build();

  runEveryHour(gateway.schedules, (cron, at) => gateway.runSchedule(cron, at).catch((error) => say(error.stack)));
  const end = () => {
    say("workerd is stuck, ending it");
    kill(gateway.runtime());
  };
  void watch(url, gateway, end);
}

main().catch(fail);
