// `npm run dev`: runs `wrangler dev` on the same state as `npm start`, for work on the code. It reloads on every edit.

import { rmSync } from "node:fs";
import path from "node:path";
import { buildGateway } from "./build/worker.mjs";
import { writeWhole } from "./kit/files.mjs";
import { fail, Refusal } from "./kit/refusal.mjs";
import { spawnWrangler } from "./kit/wrangler.mjs";
import { publishBuiltins } from "./local/builtins.mjs";
import { formatVariables, readVariables, variablesWithKey } from "./local/devvars.mjs";
import { openGateway } from "./local/gateway.mjs";
import { announce, readLauncherOptions, stopOnSignals, takeState } from "./local/launcher.mjs";
import { applyMigrations } from "./local/migrate.mjs";
import { kill, OWNER_VARIABLE, ownerMark, processOf } from "./local/processes.mjs";

async function main() {
  const options = readLauncherOptions("run dev");
  const { modules, main, settings } = await buildGateway();
  await readVariables(options.vars, settings);
  const { lock, port } = await takeState({ ...options, group: true });
  const { variables, ...key } = await variablesWithKey(options.vars, settings);
  const owner = ownerMark(options.state, processOf(process.pid));
  let stop = () => {};
  stopOnSignals(() => stop());

  // Miniflare applies migrations in 0.5 s, wrangler in 5 s.
  const common = { modules, variables, state: options.state, owner, onRuntime: lock.setRuntime };
  const migrating = await openGateway({
    ...common,
    port: 0,
    onLost: () => fail(new Error("workerd does not restart")),
  });
  stop = migrating.stop;
  await migrating.ready();
  await applyMigrations(await migrating.database());
  await migrating.stop();

  const variablesFile = path.join(options.state, "dev.vars");
  await writeWhole(variablesFile, formatVariables(variables), 0o600);
  const wrangler = spawnWrangler(
    [
      ...[
        "dev",
        main,
        "--no-bundle",
        "--ip",
        "127.0.0.1",
        "--port",
        String(port),
        "--persist-to",
        options.state,
        "--env-file",
        variablesFile,
      ],
      ...["--log-level", "warn", "--show-interactive-dev-session=false"],
    ],
    // In its own process group, because it starts several processes and does not forward signals.
    { detached: true, stdio: ["ignore", 2, 2], env: { [OWNER_VARIABLE]: owner } },
  );
  lock.setRuntime(wrangler.pid);
  const ended = new Promise((resolve) => wrangler.once("exit", resolve));
  process.on("exit", () => {
    kill(-wrangler.pid);
    rmSync(variablesFile, { force: true });
  });
  let isStopping = false;
  stop = () => {
    isStopping = true;
    kill(-wrangler.pid, "SIGTERM");
    return ended;
  };
  void ended.then(() => isStopping || fail(new Refusal("wrangler dev has ended.")));

  const url = `http://127.0.0.1:${port}`;
  // After a failed first build wrangler waits for a change, and so does this script.
  while (!(await answers(url))) await new Promise((resolve) => setTimeout(resolve, 200));
  await publishBuiltins(url, variables.GATEWAY_ADMIN_KEY);
  await announce(port, variables, key);
}

async function answers(url) {
  try {
    const answer = await fetch(new URL("/health", url), { signal: AbortSignal.timeout(5_000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

main().catch(fail);
