// Shortens the bodies of recorded examples, and lists the shortened parts.

/** Longer strings are cut, and end in `…`. Longer lists are cut: of objects at the top, of objects further down, of other values. */
const SHOWN = { chars: 200, objects: 2, innerObjects: 1, values: 12 };

/**
 * Returns the shortened body and its shortened lists, each as `<shown> of <length> <path>`.
 * @param {unknown} body
 */
export function shortened(body) {
  const lists = [];
  return { body: shorten(body, [], lists), lists };
}

function shorten(value, path, lists) {
  if (typeof value === "string") return value.length > SHOWN.chars ? `${value.slice(0, SHOWN.chars)}…` : value;
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shorten(one, [...path, name], lists)]));
  const limit = limitOf(value, path);
  if (value.length > limit) {
    const name = path.length === 0 ? "items" : `\`${path.join(".")}\``;
    lists.push(`${limit} of ${value.length} ${name}`);
  }
  return value.slice(0, limit).map((one) => shorten(one, path, lists));
}

function limitOf(list, path) {
  if (!list.some((one) => typeof one === "object")) return SHOWN.values;
  return path.length > 1 ? SHOWN.innerObjects : SHOWN.objects;
}
