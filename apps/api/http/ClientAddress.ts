/**
 * The address that a request without a secret is counted under: that of its client, also behind proxies that the operator
 * trusts.
 *
 * `X-Forwarded-For` and `Forwarded` are read from the right, and only what a trusted proxy added counts: everything left
 * of it was written by the client. Where the headers name different clients, one was passed on as the client wrote it,
 * so neither is believed.
 */
import { BlockList, isIP } from "node:net"
import { Context, Option, Result } from "effect"
import type { HttpServerRequest } from "effect/http"

/** Whether a connection from an address is one of a trusted proxy. */
export type IsTrusted = (address: string) => boolean

/** The proxies whose headers are believed; none unless the operator names some. */
export const TrustedProxies: Context.Reference<IsTrusted> = Context.Reference("sluice/apps/api/http/TrustedProxies", {
  defaultValue: (): IsTrusted => () => false
})

const isShort = (text: string, most: number): boolean => /^\d{1,3}$/.test(text) && Number(text) <= most

/** Reads addresses and networks such as `10.0.0.5, 10.1.0.0/16, fd00::/8`. */
export const parse = (written: string): Result.Result<IsTrusted, string> => {
  // Separate lists, because one list would match IPv4 addresses by their mapped form.
  const [four, six] = [new BlockList(), new BlockList()]
  for (const entry of written.split(",").map((one) => one.trim())) {
    const [network = "", prefix, ...more] = entry.split("/")
    const version = isIP(network)
    const bits = version === 4 ? 32 : 128
    if (version === 0 || more.length > 0 || !isShort(prefix ?? String(bits), bits)) {
      return Result.fail(
        `Expected addresses and networks such as 10.0.0.5, 10.1.0.0/16 or fd00::/8, separated by commas, got "${entry.slice(0, 80)}"`
      )
    }
    if (version === 4) four.addSubnet(network, Number(prefix ?? bits), "ipv4")
    else six.addSubnet(network, Number(prefix ?? bits), "ipv6")
  }
  return Result.succeed((address) => {
    const plain = addressIn(address) ?? ""
    return isIP(plain) === 4 ? four.check(plain, "ipv4") : isIP(plain) === 6 && six.check(plain, "ipv6")
  })
}

/** The eight numbers of an IPv6 address. */
const groupsOf = (address: string): ReadonlyArray<number> => {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = [], tail] = canonical.split("::").map((half) => half.split(":").filter((group) => group !== ""))
  const zeros = tail === undefined ? [] : Array<string>(8 - head.length - tail.length).fill("0")
  return [...head, ...zeros, ...(tail ?? [])].map((group) => Number.parseInt(group, 16))
}

/** The address of a node, which may have a port and brackets; `null` where it is no address. A mapped IPv4 address is that. */
const addressIn = (node: string): string | null => {
  const [, inBrackets, withPort] = /^\[([^\]]+)\](?::\w+)?$|^([\d.]+):\w+$/.exec(node) ?? []
  const address = (inBrackets ?? withPort ?? node).split("%", 1)[0] ?? ""
  if (isIP(address) !== 6) return isIP(address) === 4 ? address : null
  const groups = groupsOf(address)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (!isMapped) return address
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join(".")
}

/** The nodes that `X-Forwarded-For` lists. */
const listed = (header: string): ReadonlyArray<string> => header.split(",").map((node) => node.trim())

/** The nodes of the `for` parameters of `Forwarded`, RFC 7239. A proxy that added none is an unknown node. */
const forwarded = (header: string): ReadonlyArray<string> =>
  header
    .split(",")
    .map((element) => /(?:^|;)\s*for=(?:"([^"]*)"|([^\s;,"]*))\s*(?:;|$)/i.exec(element.trim()))
    .map((found) => found?.[1] ?? found?.[2] ?? "unknown")

/** The first node from the right that is no trusted proxy; the last one that is known where a node has no address. */
const clientIn = (nodes: ReadonlyArray<string>, peer: string, isTrusted: IsTrusted): string => {
  let client = peer
  for (const node of nodes.toReversed()) {
    if (!isTrusted(client)) break
    const address = addressIn(node)
    if (address === null) break
    client = address
  }
  return client
}

/** One client has all addresses of a network of 64 bits of IPv6. */
const networkOf = (address: string): string =>
  isIP(address) === 6
    ? `${groupsOf(address)
        .slice(0, 4)
        .map((group) => group.toString(16))
        .join(":")}::/64`
    : address

type Request = Pick<HttpServerRequest.HttpServerRequest, "headers" | "remoteAddress">

/** The name that a request without a secret is counted under. */
export const of = ({ headers, remoteAddress }: Request, isTrusted: IsTrusted): string => {
  const peer = addressIn(Option.getOrElse(remoteAddress, () => "")) ?? ""
  const { "x-forwarded-for": list, forwarded: elements } = headers
  const named = [
    ...(list === undefined ? [] : [clientIn(listed(list), peer, isTrusted)]),
    ...(elements === undefined ? [] : [clientIn(forwarded(elements), peer, isTrusted)])
  ]
  const [client = peer, other = client] = named
  return networkOf(client === other ? client : peer)
}
