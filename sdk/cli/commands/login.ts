// `login`: verifies a key with the gateway and stores it for that gateway.

import { isCancel, password, text } from "@clack/prompts";
import { type Command, GATEWAY_OPTIONS, option } from "../command";
import { answer, tell } from "../context";
import { Gateway } from "../gateway";
import { EXIT, misused, Problem } from "../problem";
import { meSchema } from "../resources";
import { chosenUrl, gatewayUrl, keepKey } from "../sign-in";

export const login: Command = {
  usage: "[--url <gateway>] [--key <key>]",
  summary: "Checks a key with a gateway and saves it. Asks for the URL and the key if they are not given.",
  options: GATEWAY_OPTIONS,
  names: [0, 0],
  async run(work, _names, values) {
    const isAsked = work.stdin.isTTY === true && !work.json;
    const { stdin: input, stdout: output } = work;
    let url = await chosenUrl(work, { url: option(values, "url"), port: option(values, "port") });
    if (isAsked && values.url === undefined && values.port === undefined && !work.env.GATEWAY_URL) {
      url = gatewayUrl(
        await asked(text({ message: "URL of the gateway", placeholder: url, defaultValue: url, input, output })),
      );
    }
    const typed = option(values, "key") || work.env.GATEWAY_KEY;
    if (!typed && !isAsked) throw misused("No key. Pass it with --key or in GATEWAY_KEY.");
    const key = typed || (await asked(password({ message: `Key for ${url} (sgw_…)`, input, output })));
    const me = await new Gateway(work, { url, key }).read(meSchema, "/api/v1/me");
    const file = await keepKey(work, { url, key });
    tell(work, `Signed in to ${url} as ${me.user_id}. The key is saved in ${file}, readable only by you.`);
    answer(work, { url, user_id: me.user_id, role: me.role ?? null });
    return EXIT.done;
  },
};

async function asked(answering: Promise<string | symbol>): Promise<string> {
  const given = await answering;
  if (isCancel(given) || typeof given !== "string") throw new Problem(EXIT.interrupted, "Nothing was changed.");
  return given;
}
