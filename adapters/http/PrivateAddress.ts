/**
 * Addresses that are not public on the internet. Requests on behalf of users must not reach them.
 */
import { BlockList, isIP } from "node:net"

/**
 * Returns whether an IP address is private, loopback, link-local (where clouds keep their metadata), shared, multicast,
 * reserved, or an IPv6 address that leads to an IPv4 address of any kind. A text that is not an IP address counts as
 * private.
 */
export const isPrivate = (address: string): boolean => {
  const version = isIP(address)
  if (version === 0) return true
  return version === 6 ? privateV6.check(address, "ipv6") : privateV4.check(address, "ipv4")
}

// Separate lists, because in one list the network of mapped addresses would match every IPv4 address.
const [privateV4, privateV6] = [new BlockList(), new BlockList()]
const v4: ReadonlyArray<readonly [string, number]> = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3]
]
const v6: ReadonlyArray<readonly [string, number]> = [
  ["::", 96],
  ["::ffff:0:0", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["2001::", 32],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8]
]
for (const [network, prefix] of v4) privateV4.addSubnet(network, prefix, "ipv4")
for (const [network, prefix] of v6) privateV6.addSubnet(network, prefix, "ipv6")
