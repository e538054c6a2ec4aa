// `npm start`: runs the whole gateway on this machine. Builds it, takes the lock of the state, applies migrations, and publishes the
// built-in skills.

import { buildGateway } from "./build/worker.mjs";
import { fail } from "./kit/refusal.mjs";
import { builtinVersions, publishBuiltins } from "./local/builtins.mjs";
import { readVariables, variablesWithKey } from "./local/devvars.mjs";
import { openExecutor } from "./local/executor.mjs";
import { announce, readLauncherOptions, stopOnSignals, takeState } from "./local/launcher.mjs";
import { applyMigrations } from "./local/migrate.mjs";
import { ownerMark, processOf } from "./local/processes.mjs";
import { hintAtSkills, readServedSkills, serveSkillFolders } from "./local/skill-folders.mjs";

async function main() {
  const options = readLauncherOptions("start");
  // Starts while the gateway is built. In the mode `auto` it is ready sooner than the build.
  const opening = openExecutor(options.executor);
  const miniflare = Promise.all([
    import("./local/gateway.mjs"),
    import("./local/deferred.mjs"),
    import("./local/supervised.mjs"),
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
  const [{ openGateway }, { deferParts }, supervised] = await miniflare;
  const owner = ownerMark(options.state, processOf(process.pid));
  deferred = deferParts(parts, owner);
  executor = await supervised.chooseExecutor(options.executor, variables, opening);
  runner = await supervised.openSkillProcess(owner, lock);
  gateway = await openGateway({
    deferred,
    runner,
    modules,
    variables: { ...variables, ...executor.variables },
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
  await announce(port, variables, key, executor.row);
  deferred.build();
  executor.prepare();
  if (options.skills.length === 0) hintAtSkills(served);
  else {
    const builtins = await builtinVersions();
    folders = await serveSkillFolders({ ...options, url, key: variables.GATEWAY_ADMIN_KEY, builtins });
  }

  supervised.startSchedules(gateway);
  supervised.supervise({ gateway, url, runner });
}

main().catch(fail);
