// Maps IP addresses to the subscriber that rate limits count.

/** Groups of an IPv6 address that identify a network: providers assign at least a /64 per customer. */
const NETWORK = 4;

/** Returns the key for counting an address: an IPv4 address itself, or the /64 of an IPv6 address. */
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
