// `trust`: stores the signing keys that a gateway publishes now.

import { keysIn } from "../attestation";
import { type Command, option, TEXT } from "../command";
import { answer, tell } from "../context";
import { idsOf, trustKeys } from "../known-keys";
import { EXIT, Problem } from "../problem";
import { chosenUrl, gatewayUrl } from "../sign-in";
import { jsonFrom } from "../sources/fetched";

export const trust: Command = {
  usage: "[gateway]",
  summary:
    "Stores the signing keys that a gateway publishes now, in place of the stored ones. Compare the printed ids with the operator's.",
  options: { url: TEXT },
  names: [0, 1],
  async run(work, [typed], values) {
    const url = typed === undefined ? await chosenUrl(work, { url: option(values, "url") }) : gatewayUrl(typed);
    const keySet = await jsonFrom(work, new URL(`${url}/.well-known/jwks.json`));
    const keys = keySet === null ? [] : keysIn(keySet);
    if (keys.length === 0)
      throw new Problem(EXIT.absent, `${url} publishes no signing keys. The operator must set SECRETS_KEY.`);
    await trustKeys(work, url, keys);
    tell(work, `Stored for ${url}: ${idsOf(keys)}`);
    answer(work, { url, keys: keys.map(({ kid }) => kid) });
    return EXIT.done;
  },
};
