// Replaces values of recorded examples that differ between runs: addresses, ids, times, secrets and durations.

import { createHash } from "node:crypto";

/** The time of the first request in the examples. Each further request is a minute later. */
const BEGIN = Date.parse("2026-01-15T09:00:00Z");
const MINUTE = 60_000;
const DAY = 86_400_000;

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const ULID = /[0-9A-HJKMNP-TV-Z]{26}/g;
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
/** Digests that depend on ids or times: ids of files and cache keys. */
const DIGEST = /(?<=\b(?:fil_|skills-))[0-9a-f]{32}\b/g;
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** The id of an event: its time and its number. */
const PLACE = /^\d{13}\.(\d+)$/;
/** A day, for example in the usage of a skill. */
const DATE = /^\d{4}-\d\d-\d\d$/;
/** The random part of a key, a link, a sign-in or a client secret. */
const SECRET = /\b(sg[a-z]_(?:[0-9A-HJKMNP-TV-Z]{26}_)?)[A-Za-z0-9_-]{40,}/g;
/** The nonce and the signature of a ticket. */
const TICKET = /^(\w+)\.[0-9a-f]{64}\.[\w.-]+$/;
/** Members whose numbers are measured, with the value that is shown. */
const MEASURED = { duration_ms: 12, took_ms: 12, latency_ms: 12, ms: 12 };

/**
 * Returns a function that replaces the values of one example. Equal values stay equal in all examples.
 * @param {{ addresses: Record<string, string>, steps: number[] }} run `addresses`: the replacement of each host of this run; `steps`: when
 * each request was sent, in milliseconds
 * @returns {(value: unknown, step: number) => unknown}
 */
export function stabilizer({ addresses, steps }) {
  const known = new Map();
  const fixed = (kind, value, make) => {
    const key = `${kind} ${value}`;
    if (!known.has(key)) known.set(key, make(createHash("sha256").update(`${kind} ${known.size}`).digest()));
    return known.get(key);
  };

  const times = new Map();
  /** Returns the time in the examples. A time is first seen in the response of `step`, and stays the same in later ones. */
  function timeOf(real, step) {
    if (!times.has(real)) times.set(real, shownTime(real, step));
    return times.get(real);
  }

  /** A time before the response becomes that of the request then. A later time keeps its distance. */
  function shownTime(real, step) {
    if (real < steps[0] - MINUTE) return real;
    if (real > (steps[step + 1] ?? steps[step] + MINUTE / 2))
      return BEGIN + step * MINUTE + Math.round((real - steps[step]) / MINUTE) * MINUTE;
    const after = steps.findIndex((begun) => begun > real);
    return BEGIN + ((after < 0 ? steps.length : Math.max(after, 1)) - 1) * MINUTE;
  }

  function dayOf(date) {
    const distance = Date.parse(date) - Math.floor(steps[0] / DAY) * DAY;
    // Other days are constants, such as revisions of MCP.
    return distance < -30 * DAY || distance > DAY ? date : new Date(BEGIN + distance).toISOString().slice(0, 10);
  }

  function text(value, step) {
    if (DATE.test(value)) return dayOf(value);
    let result = value;
    for (const [host, shown] of Object.entries(addresses))
      for (const scheme of ["http", "ws"])
        result = result.replaceAll(`${scheme}://${host}`, `${scheme}s://${shown}`).replaceAll(host, shown);
    return result
      .replace(PLACE, (_, seq) => `${BEGIN + Number(seq) * MINUTE}.${seq}`)
      .replace(SECRET, (_, head) => `${head}EXAMPLE`)
      .replace(TICKET, (_, head) => `${head}.EXAMPLE`)
      .replace(ULID, (id) => fixed("id", id, ulidOf))
      .replace(UUID, (id) => fixed("uuid", id, uuidOf))
      .replace(DIGEST, (id) => fixed("digest", id, (digest) => digest.toString("hex").slice(0, 32)))
      .replace(TIME, (time) => {
        const shown = new Date(timeOf(Date.parse(time), step)).toISOString();
        return time.includes(".") ? shown : shown.replace(/\.\d+/, "");
      });
  }

  return function stable(value, step) {
    if (typeof value === "string") return text(value, step);
    if (typeof value === "number")
      return value > steps[0] - DAY && value < steps[0] + 400 * DAY ? timeOf(value, step) : value;
    if (Array.isArray(value)) return value.map((one) => stable(one, step));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        text(name, step),
        typeof inner === "number" && Object.hasOwn(MEASURED, name) ? MEASURED[name] : stable(inner, step),
      ]),
    );
  };
}

/** A ULID whose time is in January 2026. */
const ulidOf = (digest) => `01KF${[...digest.subarray(0, 22)].map((byte) => ALPHABET[byte % 32]).join("")}`;

function uuidOf(digest) {
  const hex = digest.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
