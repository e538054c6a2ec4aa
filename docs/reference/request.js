// An operation's example as a command, from the examples that the gateway's own tests send.

/** What the shell passes on as it is. */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * The command, one option a line.
 * @param {object} request `method`, `path`, whether it needs a key, `parameters` (resolved) and `body`: content type and example, if any
 */
export function curlOf({ origin, method, path, hasKey, parameters, body }) {
  const filled = path.replace(/\{([^}]+)\}/g, (whole, name) => {
    const value = parameters.find((one) => one.in === "path" && one.name === name)?.example;
    return value === undefined ? whole : encodeURIComponent(value);
  });
  const asked = parameters.filter((one) => one.in === "query" && one.required === true && one.example !== undefined);
  const query = new URLSearchParams(asked.map(({ name, example }) => [name, `${example}`]));
  const address = `${origin}${filled}${query.size === 0 ? "" : `?${query}`}`;
  // Not quoted singly: the shell puts the key in.
  const options = hasKey ? ['-H "Authorization: Bearer $KEY"'] : [];
  return [`curl${method === "GET" ? "" : ` -X ${method}`} ${quoted(address)}`, ...options, ...bodyOf(body)].join(
    " \\\n  ",
  );
}

function bodyOf(body) {
  if (body?.example === undefined) return [];
  const { type, example, schema } = body;
  if (type === "multipart/form-data") {
    return Object.entries(example).map(([name, value]) => {
      const isFile = schema.properties?.[name]?.format === "binary";
      return `-F ${quoted(`${name}=${isFile ? "@" : ""}${value}`)}`;
    });
  }
  if (/[/+]json$/.test(type)) return [`-H 'Content-Type: ${type}'`, `-d ${quoted(JSON.stringify(example, null, 2))}`];
  return [`-H ${quoted(`Content-Type: ${type}`)}`, `--data-binary ${quoted(`@${example}`)}`];
}
