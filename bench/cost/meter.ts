// Counts the units that Cloudflare would bill. It patches the platform's own classes, of which every binding and every object's storage in
// this isolate is an instance. Nothing in the gateway is wrapped, so no call is missed.

/** The units since the last call of `takeUnits`. */
export interface Units {
  d1Queries: number;
  d1RowsRead: number;
  d1RowsWritten: number;
  objectRequests: number;
  /** Objects that started, for the first time or after hibernation. */
  objectsBegun: number;
  objectRowsRead: number;
  objectRowsWritten: number;
  /** Each is billed as one row written and appears in no other count. */
  alarmsSet: number;
  r2ClassA: number;
  r2ClassB: number;
  /** Isolates requested with a new id. */
  isolates: number;
  /** The calls an object waited for, which keep it in memory: to D1, R2, isolates, and other servers. */
  waits: { d1: number; r2: number; isolate: number; server: number };
}

type Member = (this: unknown, ...given: unknown[]) => unknown;
type Cursor = { rowsRead: number; rowsWritten: number };

const none = (): Units => ({
  d1Queries: 0,
  d1RowsRead: 0,
  d1RowsWritten: 0,
  objectRequests: 0,
  objectsBegun: 0,
  objectRowsRead: 0,
  objectRowsWritten: 0,
  alarmsSet: 0,
  r2ClassA: 0,
  r2ClassB: 0,
  isolates: 0,
  waits: { d1: 0, r2: 0, isolate: 0, server: 0 },
});

let units = none();
let cursors: Cursor[] = [];
/** The number of running requests to objects. The bench sends requests one at a time, so all calls during one belong to it. */
let inside = 0;
const isolates = new Set<unknown>();
const watched = new WeakSet<object>();
let ahead = 0;
const realNow = Date.now.bind(Date);

/** Returns the units since its last call. */
export function takeUnits(): Units {
  for (const { rowsRead, rowsWritten } of cursors) {
    units.objectRowsRead += rowsRead;
    units.objectRowsWritten += rowsWritten;
  }
  const taken = units;
  units = none();
  cursors = [];
  return taken;
}

/** Advances this isolate's clock. */
export function moveClock(milliseconds: number): void {
  ahead += milliseconds;
  Date.now = () => realNow() + ahead;
}

/** Starts to count a Worker's calls of its bindings. */
export function watchBindings(env: Env): void {
  replaceIn(
    env.DB.withSession(),
    "_send",
    (send) =>
      async function (this: unknown, ...given) {
        if (inside > 0) units.waits.d1++;
        const answer = await send.apply(this, given);
        for (const one of [answer].flat()) {
          units.d1Queries++;
          units.d1RowsRead += rowsIn(one, "rows_read");
          units.d1RowsWritten += rowsIn(one, "rows_written");
        }
        return answer;
      },
  );
  const counting = (count: "r2ClassA" | "r2ClassB") => (member: Member) =>
    function (this: unknown, ...given: unknown[]) {
      units[count]++;
      if (inside > 0) units.waits.r2++;
      return member.apply(this, given);
    };
  for (const name of ["put", "list", "createMultipartUpload"]) replaceIn(env.PACKAGES, name, counting("r2ClassA"));
  for (const name of ["get", "head"]) replaceIn(env.PACKAGES, name, counting("r2ClassB"));
  replaceIn(
    env.CONVERSATIONS,
    "getByName",
    (get) =>
      function (this: unknown, ...given) {
        return countingStub(get.apply(this, given) as object);
      },
  );
  replaceIn(
    env.LOADER,
    "get",
    (get) =>
      function (this: unknown, ...given) {
        if (inside > 0) units.waits.isolate++;
        if (!isolates.has(given[0])) units.isolates++;
        isolates.add(given[0]);
        return get.apply(this, given);
      },
  );
  replaceIn(globalThis, "fetch", (fetch) => (...given) => {
    if (inside > 0) units.waits.server++;
    return fetch.apply(globalThis, given);
  });
}

/** Counts a started object, and the rows that objects write and read from now on. */
export function watchStorage(storage: DurableObjectStorage): void {
  units.objectsBegun++;
  replaceIn(
    storage.sql,
    "exec",
    (exec) =>
      function (this: unknown, ...given) {
        const cursor = exec.apply(this, given);
        cursors.push(cursor as Cursor);
        return cursor;
      },
  );
  replaceIn(
    storage,
    "setAlarm",
    (set) =>
      function (this: unknown, ...given) {
        units.alarmsSet++;
        return set.apply(this, given);
      },
  );
}

/** Replaces a method of a class once, for all its instances. */
function replaceIn(one: object, name: string, make: (before: Member) => Member): void {
  const owner: object = one === globalThis ? one : Object.getPrototypeOf(one);
  const before: unknown = Reflect.get(owner, name);
  if (typeof before !== "function") throw new Error(`there is no ${name} to count`);
  if (watched.has(before)) return;
  const after = make(before as Member);
  watched.add(after);
  Reflect.set(owner, name, after);
}

/** Counts every event that wakes an object as a request to it. */
export async function asRequest<T>(run: () => T): Promise<Awaited<T>> {
  units.objectRequests++;
  inside++;
  try {
    return await run();
  } finally {
    inside--;
  }
}

function countingStub(stub: object): object {
  return new Proxy(stub, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...given: unknown[]) => asRequest(() => Reflect.apply(member, target, given));
    },
  });
}

function rowsIn(answer: unknown, name: "rows_read" | "rows_written"): number {
  if (typeof answer !== "object" || answer === null || !("meta" in answer)) return 0;
  const { meta } = answer;
  const rows: unknown = typeof meta === "object" && meta !== null ? Reflect.get(meta, name) : 0;
  return typeof rows === "number" ? rows : 0;
}
