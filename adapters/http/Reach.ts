/** Restricts connections on behalf of users, and describes their failures. */
import { isIP, type LookupFunction } from "node:net"
import { type Judge, lookupOf, type Names } from "./Names.ts"
import { isPrivate } from "./PrivateAddress.ts"

/** Raised while connecting to a name with a private address. */
export class PrivateAddress extends Error {}

/** Refuses a name when any of its addresses is private. */
const judgePublic: Judge = (host, addresses) => (addresses.some(isPrivate) ? new PrivateAddress(sentence(host)) : null)

/** The lookup for connections to public addresses, or to any address if exempt. */
export const lookupFor = (names: Names, isExempt: boolean): LookupFunction =>
  lookupOf(names, isExempt ? undefined : judgePublic)

/** Names only the given host. The resolved address would reveal the structure of the private network. */
export const sentence = (host: string): string =>
  `${host} is at a private or loopback address; SLUICE_ALLOW_PRIVATE_NETWORKS=1 allows them`

/** The host of an address in the form for a name lookup. */
export const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "")

/** Whether an address names a private or loopback address without a lookup. */
export const isLocal = (url: URL): boolean => {
  const host = bareHost(url)
  return (isIP(host) > 0 && isPrivate(host)) || /(^|\.)localhost$/.test(host)
}

/** The reason of a failed connection, as a sentence. */
export const reasonOf = (error: Error & { readonly code?: string }): string =>
  (error.code === undefined ? undefined : reasons[error.code]) ??
  (/CERT|SIGNATURE|ISSUER/.test(error.code ?? "")
    ? `The certificate of the host is not accepted: ${error.code}; NODE_EXTRA_CA_CERTS names further authorities`
    : `The connection failed: ${error.code ?? error.name}`)

/** Whether the host took no connection, or none leads to it: it says nothing about a request or an address. */
export const isConnectionRefused = ({ code }: Error & { readonly code?: string }): boolean =>
  code === "ECONNREFUSED" || code === "EHOSTUNREACH" || code === "ENETUNREACH"

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "The connection was refused",
  ECONNRESET: "The connection was closed before the answer was complete",
  ENOTFOUND: "The name of the host is unknown",
  EAI_AGAIN: "The name of the host could not be looked up",
  ETIMEDOUT: "The host did not answer",
  EPROTO: "The host does not speak TLS"
}
