/**
 * An inbox for mails and SMS, on stores in memory, with a mail server on a free port.
 */
import { generateKeyPairSync } from "node:crypto"
import { Effect, Layer, Option, Redacted } from "effect"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../adapters/crypto/Encryption.ts"
import * as SmtpServer from "../../adapters/mail/SmtpServer.ts"
import * as Memory from "../../adapters/memory/Memory.ts"
import { addressOf, InboxDomain } from "../../core/vault/inbox/Inbox.ts"
import { type ReceivedCode, ReceivedCodes } from "../../core/vault/inbox/ReceivedCodes.ts"
import { Receiving } from "../../core/vault/inbox/Receiving.ts"
import { Sealing } from "../../core/vault/keys/Sealing.ts"
import { PhoneNumbers } from "../../core/vault/otp/PhoneNumbers.ts"
import { VaultEntries } from "../../core/vault/VaultEntries.ts"
import type { VaultEntry } from "../../core/vault/VaultEntry.ts"
import type { WorkspaceId } from "../../core/workspace/Ids.ts"
import type { Caller } from "../../core/workspace/Workspace.ts"
import { entryOf } from "./entries.ts"

export const inboxDomain = "inbox.example"

const dkim = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "der" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" }
})

/** The key that signs the mail of `sender.example`, under the selector `k`. */
export const dkimKey = dkim.privateKey

/** A name server by which only 127.0.0.1 may send mail of `sender.example` and `other.example`. */
export const resolver = async (name: string, type: string): Promise<Array<Array<string>>> => {
  if (["sender.example", "other.example"].includes(name) && type === "TXT") return [["v=spf1 ip4:127.0.0.1 -all"]]
  if (name === "k._domainkey.sender.example" && type === "TXT") {
    return [[`v=DKIM1; k=rsa; p=${dkim.publicKey.toString("base64")}`]]
  }
  if (name === "forged.example" && type === "TXT") return [["v=spf1 -all"]]
  throw Object.assign(new Error("Unknown name"), { code: "ENOTFOUND" })
}

export const stores = Layer.mergeAll(
  Encryption.layer(Redacted.make("00".repeat(32))).pipe(Layer.provideMerge(Layer.merge(Memory.layer, Crypto.layer)))
)

export const receiving = Receiving.layer.pipe(
  Layer.provideMerge(PhoneNumbers.layer),
  Layer.provideMerge(stores),
  Layer.provide(Layer.succeed(InboxDomain, inboxDomain))
)

/** The options of a mail server on a free port, without limits on mails. */
export const smtpOptions: SmtpServer.Options = {
  ...SmtpServer.defaults,
  host: "127.0.0.1",
  port: 0,
  name: inboxDomain,
  certificate: null,
  perRemoteAddress: [],
  perRecipient: [],
  perRemoteAndRecipient: [],
  closeMillis: 500,
  authentication: { resolver, budgetMillis: 3_000 }
}

/** The mail server, with options in place of its defaults. */
export const smtp = (options: Partial<SmtpServer.Options>) =>
  SmtpServer.layer({ ...smtpOptions, ...options }).pipe(Layer.provideMerge(receiving))

/** A credential whose codes are mailed. */
export const mailed = (caller: Caller, permissionedUserId: string, domain: string): VaultEntry =>
  entryOf({ tfa_method: "EMAIL" }, { workspaceId: caller.workspaceId, permissionedUserId, domain })

/** Stores a credential of a user, and returns the mail address of its codes. */
export const makeCredential = Effect.fnUntraced(function* (
  caller: Caller,
  user: string,
  domain = "https://app.example.com"
) {
  const entry = mailed(caller, user, domain)
  yield* Effect.orDie((yield* VaultEntries).insert(caller.workspaceId, entry))
  return addressOf(caller.workspaceId, entry, inboxDomain)
})

/** The newest code at an address, unsealed, with the domains whose mails are expected; none without one. */
export const latest = Effect.fnUntraced(function* (
  workspaceId: WorkspaceId,
  address: string,
  kind: ReceivedCode["kind"] = "code",
  senders: ReadonlyArray<string> = []
) {
  const found = yield* (yield* ReceivedCodes).latest(workspaceId, address, { kind, since: 0, senders })
  if (Option.isNone(found)) return null
  const value = yield* Effect.orDie((yield* Sealing).unseal(workspaceId, found.value.sealed))
  return { value: Redacted.value(value), authentication: found.value.authentication }
})
