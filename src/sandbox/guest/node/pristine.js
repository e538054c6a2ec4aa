// Checks whether shared objects of the language are unchanged. A script can modify objects that all scripts of its isolate share
// (`Object.prototype`, `JSON.parse`, a Node module). The isolate is then not used again. This prevents accidental side effects. It is not a
// security boundary.

const { ownKeys, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
const { hasOwn, is } = Object;

const NAMES =
  `Object Function Array String Number Boolean Symbol BigInt Date RegExp Promise Map Set WeakMap WeakSet WeakRef Proxy Error
  AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError ArrayBuffer SharedArrayBuffer DataView Int8Array
  Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array
  JSON Math Reflect Intl Atomics Iterator URL URLSearchParams TextEncoder TextDecoder Headers Request Response Blob Buffer Event
  EventTarget AbortController AbortSignal ReadableStream WritableStream TransformStream parseInt parseFloat isNaN isFinite
  encodeURIComponent decodeURIComponent encodeURI decodeURI structuredClone atob btoa fetch setTimeout clearTimeout setInterval
  clearInterval setImmediate clearImmediate queueMicrotask`.split(/\s+/);

/**
 * Own properties of shared objects, and the values of global names. Plain lists, because this code must not call anything that a script can
 * modify.
 */
const kept = [];
const globals = [];

/** Called once per isolate, after all globals are installed. */
export function keepLanguage() {
  for (const name of NAMES) {
    const value = globalThis[name];
    if (value === undefined) continue;
    globals.push([name, value]);
    keepShared(value);
    keepShared(value.prototype);
  }
  const generator = function* () {};
  const asyncGenerator = async function* () {};
  for (const hidden of [
    ...[[], new Map(), new Set(), ""].map((one) => one[Symbol.iterator]()),
    generator,
    asyncGenerator,
    async () => {},
    generator(),
    asyncGenerator(),
  ]) {
    // The object itself is not shared, but its prototypes are.
    for (let at = getPrototypeOf(hidden); at !== null; at = getPrototypeOf(at)) keepShared(at);
  }
  keepShared(getPrototypeOf(Uint8Array));
  keepShared(getPrototypeOf(Uint8Array.prototype));
}

/** Saves a Node module and its classes. */
export function keepModule(module) {
  keepShared(module);
  if (module === undefined) return;
  for (const key of ownKeys(module)) {
    const value = getOwnPropertyDescriptor(module, key).value;
    if (typeof value === "function") keepShared(value.prototype);
  }
}

function keepShared(object) {
  if (object === null || (typeof object !== "object" && typeof object !== "function")) return;
  if (kept.some((one) => one.object === object)) return;
  const keys = ownKeys(object);
  kept.push({
    object,
    keys,
    properties: keys.map((key) => getOwnPropertyDescriptor(object, key)),
    proto: getPrototypeOf(object),
  });
}

export function isPristine() {
  for (let at = 0; at < globals.length; at++) {
    if (!is(globalThis[globals[at][0]], globals[at][1])) return false;
  }
  for (let at = 0; at < kept.length; at++) {
    const { object, keys, properties, proto } = kept[at];
    const now = ownKeys(object);
    if (now.length !== keys.length || getPrototypeOf(object) !== proto) return false;
    for (let n = 0; n < keys.length; n++) {
      const property = getOwnPropertyDescriptor(object, keys[n]);
      if (property === undefined || !isSame(property, properties[n])) return false;
    }
  }
  return true;
}

function isSame(one, other) {
  if (hasOwn(one, "value") !== hasOwn(other, "value")) return false;
  return hasOwn(one, "value") ? is(one.value, other.value) : one.get === other.get && one.set === other.set;
}
