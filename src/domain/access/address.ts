// Whom an address stands for, where requests are counted by it.

/** Groups of an IPv6 address that name a network: providers give each customer at least a /64. */
const NETWORK = 4;

/** What to count an address under: an IPv4 address itself, of an IPv6 address its /64, since one subscriber has all of it. */
export function countedAs(address: string): string {
  if (!address.includes(":")) return address;
  const dotted = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (dotted !== undefined) return dotted;
  const [head = "", tail] = address.toLowerCase().split("::", 2);
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0");
  const groups = [...before, ...zeros, ...after].map((group) => group.replace(/^0+(?=.)/, ""));
  return `${groups.slice(0, NETWORK).join(":")}::/64`;
}

function groupsOf(part: string): string[] {
  return part === "" ? [] : part.split(":");
}
