/**
 * How far connections reach that are made on behalf of users, and why they fail.
 */
import type { LookupFunction } from "node:net"
import { type Judge, lookupOf, type Names } from "./Names.ts"
import { isPrivate } from "./PrivateAddress.ts"

/** Raised while a connection is made, for a name that leads where it must not. */
export class PrivateAddress extends Error {}

/** Refuses a name when any of its addresses is private. */
const judgePublic: Judge = (host, addresses) => (addresses.some(isPrivate) ? new PrivateAddress(sentence(host)) : null)

/** Looks names up for a connection to public addresses, or to any where the address is exempt. */
export const lookupFor = (names: Names, isExempt: boolean): LookupFunction =>
  lookupOf(names, isExempt ? undefined : judgePublic)

/** Only what was written is named: an address that was looked up would describe the network that must not be reached. */
export const sentence = (host: string): string =>
  `${host} is at a private or loopback address; SLUICE_ALLOW_PRIVATE_NETWORKS=1 allows them`

/** The host of an address in the form for a name lookup. */
export const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "")

/** Why a connection failed, in words. */
export const reasonOf = (error: Error & { readonly code?: string }): string =>
  (error.code === undefined ? undefined : reasons[error.code]) ??
  (/CERT|SIGNATURE|ISSUER/.test(error.code ?? "")
    ? `The certificate of the host is not accepted: ${error.code}; NODE_EXTRA_CA_CERTS names further authorities`
    : `The connection failed: ${error.code ?? error.name}`)

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "The connection was refused",
  ECONNRESET: "The connection was closed before the answer was complete",
  ENOTFOUND: "The name of the host is unknown",
  EAI_AGAIN: "The name of the host could not be looked up",
  ETIMEDOUT: "The host did not answer",
  EPROTO: "The host does not speak TLS"
}
