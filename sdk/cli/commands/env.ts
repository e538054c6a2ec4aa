// `env` and `network`: the values of variables that a skill declares, and the hosts that its code can call.

import { text as readText } from "node:stream/consumers";
import { isCancel, password } from "@clack/prompts";
import { type Command, GATEWAY_OPTIONS, option, TEXT, YES } from "../command";
import { answer, tell, type Work } from "../context";
import { columns } from "../print";
import { EXIT, misused, Problem } from "../problem";
import { findNamed, gatewayOf, SKILLS } from "../resolve";
import { networkSchema, type SkillVariables, skillVariablesSchema } from "../resources";

const MINE = "/api/v1/me/skill-env";
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

export const env: Command = {
  usage: "<skill> [NAME] [--hosts a,b] [--unset] [--shared]",
  summary:
    "Lists the variables of a skill; with NAME, sets your value, read from stdin or asked for. --hosts limits where it is sent, --unset deletes it, --shared changes the value of all users (admins only).",
  options: { ...GATEWAY_OPTIONS, hosts: TEXT, unset: YES, shared: YES },
  names: [1, 2],
  async run(work, [skill = "", name], values) {
    const isUnset = values.unset === true;
    const isShared = values.shared === true;
    if (name !== undefined && !NAME.test(name))
      throw misused("The second argument is only the name of a variable. Write the value to stdin.");
    if (name === undefined && isShared && !isUnset) throw misused("--shared needs the name of a variable, or --unset.");
    const hosts = listOf(option(values, "hosts"));
    if (hosts !== undefined && (name === undefined || isUnset)) throw misused("--hosts needs a variable to set.");
    const gateway = await gatewayOf(work, values);
    const own = `${MINE}/${encodeURIComponent(skill)}`;
    const read = () => gateway.read(skillVariablesSchema, own);
    if (name === undefined && !isUnset) {
      const found = await read();
      answer(work, found);
      tell(work, variableLines(found));
      return EXIT.done;
    }
    // The shared values are below the skill's id.
    const path = isShared ? `${SKILLS}/${(await read()).skill_id}/env` : own;
    const whose = isShared ? "shared value" : "value";
    if (isUnset) {
      await gateway.send(path, { method: "DELETE", query: { name } });
      answer(work, { skill, name: name ?? null, unset: true });
      tell(work, `${skill}: the ${whose} of ${name ?? "each variable"} is deleted`);
      return EXIT.done;
    }
    const value = await readValue(work, name ?? "");
    const json = { values: { [name ?? ""]: value }, ...(hosts === undefined ? {} : { hosts }) };
    const found = await gateway.read(skillVariablesSchema, path, { method: "PUT", json });
    const set = found.values.find((one) => one.name === name && one.shared === isShared);
    answer(work, found);
    tell(work, `${skill}: the ${whose} of ${name} is set, for ${set?.hosts.join(", ") ?? "no host"}`);
    return EXIT.done;
  },
};

/** Reads a value from a hidden prompt or from stdin. Arguments are visible to other programs and stay in the shell's history. */
async function readValue(work: Work, name: string): Promise<string> {
  if (work.stdin.isTTY === true) {
    if (work.json) throw misused("No value. Write it to stdin.");
    const given = await password({ message: `Value of ${name}`, input: work.stdin, output: work.stdout });
    if (isCancel(given)) throw new Problem(EXIT.interrupted, "Nothing was changed.");
    return given;
  }
  const value = (await readText(work.stdin)).replace(/\r?\n$/, "");
  if (value === "") throw misused("No value. Write it to stdin.");
  return value;
}

function variableLines({ env: declared, network, values, missing }: SkillVariables): string {
  if (declared.length === 0 && values.length === 0) return "no variables";
  const rows = values.map(({ name, shared, hosts, updated_at }) => {
    const unused = network.filter((host) => !hosts.includes(host));
    const beyond = unused.length === 0 ? "" : `not sent to ${unused.join(", ")}; set it again to include them`;
    const whose = shared ? "shared" : "own";
    return [
      name,
      declared.includes(name) ? whose : `${whose}, no longer declared`,
      updated_at.slice(0, 10),
      hosts.join(", "),
      beyond,
    ];
  });
  return columns([...rows, ...missing.map((name) => [name, "not set", "", "", ""])]);
}

export const network: Command = {
  usage: "<skill> [host…] [--approve | --revoke]",
  summary:
    "Shows the hosts that the code of a skill declares, and which are approved. --approve approves the named hosts, or all that wait; --revoke withdraws the named hosts, or all.",
  options: { ...GATEWAY_OPTIONS, approve: YES, revoke: YES },
  names: [1, 101],
  async run(work, [skill = "", ...hosts], values) {
    const isChanged = values.approve === true || values.revoke === true;
    if (values.approve === true && values.revoke === true)
      throw misused("--approve and --revoke exclude each other. Use one of them.");
    if (hosts.length > 0 && !isChanged) throw misused("Hosts need --approve or --revoke.");
    const gateway = await gatewayOf(work, values);
    const { metadata } = await findNamed(gateway, skill);
    const path = `${SKILLS}/${metadata.labels.id}/network`;
    const read = await gateway.readWithStatus(networkSchema, path);
    let found = read.body;
    if (isChanged) {
      const named = new Set(hosts.map((host) => host.toLowerCase()));
      const stay = found.approved.filter((host) => named.size > 0 && !named.has(host));
      const approved =
        values.revoke === true ? stay : [...new Set([...found.approved, ...(named.size > 0 ? named : found.waiting)])];
      // Hosts of a version that became current meanwhile are not approved unseen.
      const headers: Record<string, string> = read.tag === "" ? {} : { "if-match": read.tag };
      found = await gateway.read(networkSchema, path, { method: "PUT", json: { hosts: approved }, headers });
    }
    answer(work, { id: metadata.labels.id, name: metadata.name, ...found });
    const { declared, approved, waiting } = found;
    const rows = [
      ...declared.map((host) => [host, waiting.includes(host) ? "waiting" : "approved"]),
      ...approved.filter((host) => !declared.includes(host)).map((host) => [host, "approved, no longer declared"]),
    ];
    tell(work, rows.length === 0 ? "no hosts" : columns(rows));
    return EXIT.done;
  },
};

function listOf(text: string | undefined): string[] | undefined {
  return text
    ?.split(",")
    .map((host) => host.trim())
    .filter((host) => host !== "");
}
