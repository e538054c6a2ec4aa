// Reads `network` and `env` of the frontmatter: the hosts that a skill's code calls, and the variables whose values are sent there.

import { isBoundHost } from "../servers/binding";
import { judgeUrl } from "../servers/host-policy";
import { SECRET_NAME } from "../servers/template";
import type { FieldReader } from "./manifest-field";
import type { Manifest } from "./skill";

/** The number of hosts, and of variables. */
export const NETWORK_LIMITS = { hosts: 20, variables: 20 } as const;
/** Characters of a wrong value that a warning repeats. */
const SHOWN = 80;

/** Variables that change how an interpreter, a shell or a loader works. */
const RESERVED =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|PWD|OLDPWD|LANG|LANGUAGE|TMPDIR|IFS|ENV|CDPATH|(?:LC|LD|DYLD|BASH|NODE|PYTHON|GLIBC|MALLOC)_?\w*|NO_PROXY|(?:HTTPS?|ALL)_PROXY)$/i;

/** Whether skill code can declare this host: an exact name that a public network can resolve, with a port unless it is the port of https. */
export function isNetworkHost(text: string): boolean {
  // A parser that changes the name (`0x7f.1`) shows that others could read it differently.
  return isBoundHost(text) && judgeUrl(`https://${text}/`, true).url?.host === text.toLowerCase();
}

/** Whether skill code can use a variable of this name. */
export function isEnvName(text: string): boolean {
  return SECRET_NAME.test(text) && !RESERVED.test(text);
}

/** Reads both fields. Warnings: `NETWORK_INVALID`, `ENV_INVALID`, `TOO_MANY_HOSTS`, `TOO_MANY_VARIABLES`, `ENV_WITHOUT_NETWORK`. */
export function readNetwork(fields: FieldReader): Pick<Manifest, "network" | "env"> {
  const network = valid(fields, "network", isNetworkHost, (text) => [
    "NETWORK_INVALID",
    `'${text}' is not a host that skill code can call. Write one public host name without a scheme, as in 'api.example.com'.`,
  ]).map((host) => host.toLowerCase());
  const env = valid(fields, "env", isEnvName, (text) => [
    "ENV_INVALID",
    `'${text}' is not a variable that a skill can use. Write 1-64 of A-Za-z0-9_, not starting with a digit and not a name of the system such as PATH.`,
  ]);
  if (network.length > NETWORK_LIMITS.hosts)
    fields.warn("TOO_MANY_HOSTS", ["network"], `Too many hosts (limit ${NETWORK_LIMITS.hosts}). The rest is not used.`);
  if (env.length > NETWORK_LIMITS.variables)
    fields.warn(
      "TOO_MANY_VARIABLES",
      ["env"],
      `Too many variables (limit ${NETWORK_LIMITS.variables}). The rest is not used.`,
    );
  if (env.length > 0 && network.length === 0)
    fields.warn(
      "ENV_WITHOUT_NETWORK",
      ["env"],
      "`env` is not used without `network`. Declare the hosts that receive the values.",
    );
  const hosts = [...new Set(network)].slice(0, NETWORK_LIMITS.hosts);
  const names = [...new Set(env)].slice(0, NETWORK_LIMITS.variables);
  return { ...(hosts.length === 0 ? {} : { network: hosts }), ...(names.length === 0 ? {} : { env: names }) };
}

function valid(
  fields: FieldReader,
  key: string,
  isValid: (text: string) => boolean,
  problem: (shown: string) => [code: string, message: string],
): string[] {
  return fields.list(key).filter((text, index) => {
    if (isValid(text)) return true;
    const [code, message] = problem(text.slice(0, SHOWN));
    fields.warn(code, [key, `${index}`], message);
    return false;
  });
}
