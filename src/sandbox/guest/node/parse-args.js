// Implements `util.parseArgs`, which the runtime does not have.

const refuse = (code, message) => Object.assign(new TypeError(message), { code: `ERR_PARSE_ARGS_${code}` });

/** @param own the arguments of the run, used if the caller passes none */
export const parseArgsOf = (own) =>
  function parseArgs({
    args = own(),
    options = {},
    strict = true,
    allowPositionals = !strict,
    allowNegative = false,
    tokens: wantsTokens = false,
  } = {}) {
    const values = Object.create(null);
    const positionals = [];
    const tokens = [];
    const shorts = new Map(
      Object.entries(options).flatMap(([name, { short }]) => (short === undefined ? [] : [[short, name]])),
    );

    const set = (name, value) => {
      const option = Object.hasOwn(options, name) ? options[name] : undefined;
      if (option?.multiple) values[name] = [...(values[name] ?? []), value];
      else values[name] = value;
    };
    const option = (rawName, name, value, index, isInline) => {
      const isNegative = allowNegative && name.startsWith("no-") && !Object.hasOwn(options, name);
      const known = isNegative ? name.slice(3) : name;
      const type = Object.hasOwn(options, known) ? options[known].type : undefined;
      if (strict && type === undefined)
        throw refuse(
          "UNKNOWN_OPTION",
          `Unknown option '${rawName}'${allowPositionals ? `. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- "${rawName}"` : ""}`,
        );
      if (strict && type === "string" && typeof value !== "string")
        throw refuse("INVALID_OPTION_VALUE", `Option '${rawName} <value>' argument missing`);
      if (strict && type === "boolean" && value !== undefined)
        throw refuse("INVALID_OPTION_VALUE", `Option '${rawName}' does not take an argument`);
      tokens.push({
        kind: "option",
        name: known,
        rawName,
        index,
        value,
        inlineValue: value === undefined ? undefined : isInline,
      });
      set(known, value ?? !isNegative);
    };
    const takesText = (name) => Object.hasOwn(options, name) && options[name].type === "string";

    const rest = [...args];
    for (let index = 0; rest.length > 0; index++) {
      const arg = rest.shift();
      const next = () => (rest.length > 0 ? rest.shift() : undefined);
      if (arg === "--") {
        tokens.push({ kind: "option-terminator", index });
        positionals.push(...rest.splice(0));
      } else if (/^--./.test(arg)) {
        const at = arg.indexOf("=", 3);
        const name = arg.slice(2, at < 0 ? undefined : at);
        option(`--${name}`, name, at < 0 ? (takesText(name) ? next() : undefined) : arg.slice(at + 1), index, at >= 0);
      } else if (/^-./.test(arg)) {
        const letters = [...arg.slice(1)];
        while (letters.length > 0) {
          const letter = letters.shift();
          const name = shorts.get(letter) ?? letter;
          const isText = takesText(name);
          const inline = isText && letters.length > 0;
          option(`-${letter}`, name, inline ? letters.splice(0).join("") : isText ? next() : undefined, index, inline);
        }
      } else {
        if (!allowPositionals)
          throw refuse(
            "UNEXPECTED_POSITIONAL",
            `Unexpected argument '${arg}'. This command does not take positional arguments`,
          );
        tokens.push({ kind: "positional", index, value: arg });
        positionals.push(arg);
      }
    }
    for (const [name, { default: fallback }] of Object.entries(options))
      if (fallback !== undefined && values[name] === undefined) values[name] = fallback;
    return { values, positionals, ...(wantsTokens ? { tokens } : {}) };
  };
