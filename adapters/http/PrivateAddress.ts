/**
 * Addresses that are not public on the internet. Requests on behalf of users must not reach them.
 */
import { BlockList, isIP } from "node:net"
import * as SpecialAddresses from "./SpecialAddresses.ts"

/**
 * Returns whether an IP address is of a special purpose by the registries of IANA, multicast, or an IPv6 address that leads
 * to an IPv4 address of any kind. A text that is not an IP address counts as
 * private.
 */
export const isPrivate = (address: string): boolean => {
  const version = isIP(address)
  if (version === 0) return true
  return version === 6 ? privateV6.check(address, "ipv6") : privateV4.check(address, "ipv4")
}

// Separate lists, because in one list the network of mapped addresses would match every IPv4 address.
const [privateV4, privateV6] = [new BlockList(), new BlockList()]
const add = (list: BlockList, blocks: ReadonlyArray<SpecialAddresses.Block>, version: "ipv4" | "ipv6"): void => {
  for (const [block] of blocks) {
    const [network = "", prefix] = block.split("/")
    list.addSubnet(network, Number(prefix), version)
  }
}
add(privateV4, SpecialAddresses.v4, "ipv4")
add(privateV6, SpecialAddresses.v6, "ipv6")
