/**
 * The two registries of IANA for special-purpose addresses, whole: IPv4 and IPv6, as of 22 October 2024, with the block of
 * RFC 9780. Blocks within another one stand too, so that the table can be compared with the registries line by line.
 *
 * Blocks that are globally reachable serve protocols and no sites, so they are refused like the others.
 */

/** A block, and what it is for. */
export type Block = readonly [block: string, purpose: string]

export const v4: ReadonlyArray<Block> = [
  ["0.0.0.0/8", "this network"],
  ["0.0.0.0/32", "this host on this network"],
  ["10.0.0.0/8", "private use"],
  ["100.64.0.0/10", "shared address space"],
  ["127.0.0.0/8", "loopback"],
  ["169.254.0.0/16", "link-local"],
  ["172.16.0.0/12", "private use"],
  ["192.0.0.0/24", "IETF protocol assignments"],
  ["192.0.0.0/29", "IPv4 service continuity prefix"],
  ["192.0.0.8/32", "IPv4 dummy address"],
  ["192.0.0.9/32", "port control protocol anycast"],
  ["192.0.0.10/32", "traversal using relays around NAT anycast"],
  ["192.0.0.170/32", "NAT64 and DNS64 discovery"],
  ["192.0.0.171/32", "NAT64 and DNS64 discovery"],
  ["192.0.2.0/24", "documentation"],
  ["192.31.196.0/24", "AS112"],
  ["192.52.193.0/24", "automatic multicast tunneling"],
  ["192.88.99.0/24", "6to4 relay anycast, deprecated"],
  ["192.168.0.0/16", "private use"],
  ["192.175.48.0/24", "direct delegation of AS112"],
  ["198.18.0.0/15", "benchmarking"],
  ["198.51.100.0/24", "documentation"],
  ["203.0.113.0/24", "documentation"],
  ["240.0.0.0/4", "reserved"],
  ["255.255.255.255/32", "limited broadcast"],
  // Not in the registry of special purposes.
  ["224.0.0.0/4", "multicast"]
]

export const v6: ReadonlyArray<Block> = [
  ["::1/128", "loopback"],
  ["::/128", "unspecified"],
  ["::ffff:0:0/96", "IPv4-mapped"],
  ["64:ff9b::/96", "IPv4-IPv6 translation"],
  ["64:ff9b:1::/48", "IPv4-IPv6 translation"],
  ["100::/64", "discard only"],
  ["100:0:0:1::/64", "dummy prefix"],
  ["2001::/23", "IETF protocol assignments"],
  ["2001::/32", "TEREDO"],
  ["2001:1::1/128", "port control protocol anycast"],
  ["2001:1::2/128", "traversal using relays around NAT anycast"],
  ["2001:1::3/128", "service registration anycast"],
  ["2001:2::/48", "benchmarking"],
  ["2001:3::/32", "automatic multicast tunneling"],
  ["2001:4:112::/48", "AS112"],
  ["2001:10::/28", "ORCHID, deprecated"],
  ["2001:20::/28", "ORCHID version 2"],
  ["2001:30::/28", "remote identification of drones"],
  ["2001:db8::/32", "documentation"],
  ["2002::/16", "6to4"],
  ["2620:4f:8000::/48", "direct delegation of AS112"],
  ["3fff::/20", "documentation"],
  ["5f00::/16", "segment routing"],
  ["fc00::/7", "unique local"],
  ["fe80::/10", "link-local"],
  // Not in the registry of special purposes: they hold an IPv4 address, are deprecated, or are no unicast.
  ["::/96", "IPv4-compatible, deprecated"],
  ["::ffff:0:0:0/96", "IPv4-translated"],
  ["fec0::/10", "site-local, deprecated"],
  ["ff00::/8", "multicast"]
]
