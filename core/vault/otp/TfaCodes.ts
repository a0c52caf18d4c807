/**
 * The one-time code of a credential, for a user who logs in manually or with another program.
 */

import { Clock, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { SettingNames } from "../../runtime/SettingNames.ts"
import { otherwiseDie, type StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Audit } from "../../workspace/audit/Audit.ts"
import * as Permissions from "../../workspace/Permissions.ts"
import type { Caller, RoleForbids } from "../../workspace/Workspace.ts"
import * as EntryAudit from "../EntryAudit.ts"
import * as Inbox from "../inbox/Inbox.ts"
import { type ReceivedCode, ReceivedCodes } from "../inbox/ReceivedCodes.ts"
import { Sealing } from "../keys/Sealing.ts"
import { BoundSecrets } from "../providers/BoundSecrets.ts"
import type { SourceError } from "../providers/SecretSource.ts"
import * as SecretSites from "../site/SecretSites.ts"
import { locate, VaultEntries } from "../VaultEntries.ts"
import { EntryNotFound, effectiveTfaMethod, type Pair, type VaultEntry } from "../VaultEntry.ts"
import { GeneratedCodes } from "./GeneratedCodes.ts"
import * as LoginCodes from "./LoginCodes.ts"
import * as Otp from "./Otp.ts"

/** A code, and where it comes from. */
export type TfaCode =
  | {
      readonly _tag: "Authenticator"
      readonly code: Redacted.Redacted<string>
      /** Full seconds for which it is valid; `null` for a code that is valid until it is used. */
      readonly expiresInSeconds: number | null
    }
  | {
      readonly _tag: "Email"
      readonly code: Redacted.Redacted<string>
      readonly receivedAt: number
      /** What may be the code, the likeliest first, where the message has no likely one; `null` for a likely code. */
      readonly candidates: ReadonlyArray<Redacted.Redacted<string>> | null
    }

/** Raised when there is no code at present: none arrived lately, or the credential uses none. */
export class NoCode extends Schema.TaggedError<NoCode>()("NoCode", { reason: Schema.String }) {
  override get message() {
    return `No code available: ${this.reason}`
  }
}

/** Raised for a credential whose codes are mailed, where no mail is received. */
export class NoInbox extends Schema.TaggedError<NoInbox>()("NoInbox", {
  /** By which name the domain of the mail is set, if messages may say so. */
  domainSetting: Schema.NullOr(Schema.String)
}) {
  override get message() {
    const remedy =
      this.domainSetting === null ? "" : `. Set ${this.domainSetting} to the domain that it shall receive mail for`
    return `Verification email preview is not available for this credential: this service receives no mail${remedy}`
  }
}

/** Raised for a credential whose codes arrive without a sign of which credential they belong to. */
export class CodesUnsupported extends Schema.TaggedError<CodesUnsupported>()("CodesUnsupported", {
  method: Schema.Literals(["SMS", "MAGIC_LINK"])
}) {
  override get message() {
    return this.method === "SMS"
      ? "Cannot get codes that come by SMS: retrieval needs a dedicated phone number of the workspace"
      : "Cannot get a code: this credential logs in by a magic link, which has none"
  }
}

export class TfaCodes extends Context.Service<
  TfaCodes,
  {
    /**
     * The code of a credential at this instant.
     *
     * A counter-based secret (HOTP) gives another code each time: the next counter is stored before the code is
     * returned. No run gets the code of a time step that was returned here. A code received by mail is returned on each
     * request while it is fresh and unused, one that the site vouches for before others. Where none was, what may be a code is returned if `uncertain` asks for it. A
     * secret in a secret provider must not be counter-based, because its counter cannot be stored there. The audit trail
     * has an entry of each code that was returned.
     */
    readonly current: (
      caller: Caller,
      pair: Pair,
      options?: { readonly uncertain?: boolean }
    ) => Effect.Effect<
      TfaCode,
      | EntryNotFound
      | NoCode
      | NoInbox
      | CodesUnsupported
      | Otp.InvalidTfaSecret
      | SourceError
      | RoleForbids
      | StoreUnavailable
    >
  }
>()("sluice/core/vault/otp/TfaCodes") {
  static readonly layer = Layer.effect(
    TfaCodes,
    Effect.gen(function* () {
      const audit = yield* Audit
      const bound = yield* BoundSecrets
      const entries = yield* VaultEntries
      const inboxDomain = yield* Inbox.InboxDomain
      const names = yield* SettingNames
      const generated = yield* GeneratedCodes
      const received = yield* ReceivedCodes
      const sealing = yield* Sealing

      const generator = Effect.fnUntraced(function* ({ fields, workspaceId }: VaultEntry) {
        if (fields.tfa_secret === null) {
          return yield* new Otp.InvalidTfaSecret({ reason: "there is none" })
        }
        const opened = yield* sealing.unseal(workspaceId, fields.tfa_secret).pipe(
          Effect.map(Redacted.value),
          Effect.mapError(({ message }) => new Otp.InvalidTfaSecret({ reason: message }))
        )
        if ((typeof opened !== "string" && typeof opened !== "number") || opened === "") {
          return yield* new Otp.InvalidTfaSecret({ reason: "there is none" })
        }
        return yield* Effect.fromResult(Otp.parse(Redacted.make(String(opened))))
      })

      const shown = (entry: VaultEntry, otp: Otp.Otp) =>
        generated.current(entry, otp).pipe(
          Effect.map((code) => ({ _tag: "Authenticator", ...code }) as const),
          Effect.catchTag(
            "SecretChanged",
            () => new NoCode({ reason: "the secret was changed at the same time; try again" })
          )
        )

      const authenticator = (entry: VaultEntry) => Effect.flatMap(generator(entry), (otp) => shown(entry, otp))

      const provided = Effect.fnUntraced(function* (entry: VaultEntry) {
        const { oneTimeCode, tfaSecret } = yield* bound.of(entry)
        if (tfaSecret !== null) return yield* shown(entry, yield* Effect.fromResult(Otp.parseProvided(tfaSecret)))
        // A code of a while ago is none: the store makes another one now.
        const code = oneTimeCode === null ? null : (yield* bound.fresh(entry)).oneTimeCode
        if (code === null) {
          return yield* new Otp.InvalidTfaSecret({ reason: "the item of the secret provider has none" })
        }
        return { _tag: "Authenticator", code, expiresInSeconds: null } as const
      })

      const mailed = Effect.fnUntraced(function* (entry: VaultEntry, uncertain: boolean) {
        if (inboxDomain === null) return yield* new NoInbox({ domainSetting: names.inboxDomain ?? null })
        const address = Inbox.addressOf(entry.workspaceId, entry, inboxDomain)
        const since = (yield* Clock.currentTimeMillis) - Inbox.freshMillis
        const senders = SecretSites.sitesOf(entry)
        const latest = Effect.fnUntraced(function* (kind: ReceivedCode["kind"]) {
          const found = yield* received.latest(entry.workspaceId, address, { kind, since, senders })
          if (Option.isNone(found)) return null
          const opened = yield* otherwiseDie(sealing.unseal(entry.workspaceId, found.value.sealed))
          const candidates = LoginCodes.candidates(Redacted.value(opened)).map((one) => Redacted.make(one))
          return { candidates, code: candidates[0] ?? Redacted.make(""), receivedAt: found.value.receivedAt }
        })
        const likely = yield* latest("code")
        if (likely !== null) return { ...likely, _tag: "Email", candidates: null } as const
        const unlikely = yield* latest("uncertain_code")
        if (unlikely !== null && uncertain) return { ...unlikely, _tag: "Email" } as const
        const none = `none arrived at ${address} within the last ${Inbox.freshMillis / 60_000} minutes`
        return yield* new NoCode({
          reason: unlikely === null ? none : `${none}, except what may be a code: ask with uncertain=true to see it`
        })
      })

      const codeOf = Effect.fnUntraced(function* (entry: VaultEntry, uncertain: boolean) {
        const method = effectiveTfaMethod(entry)
        switch (method) {
          case "AUTHENTICATOR":
            return yield* entry.fields.secret_provider_id === null ? authenticator(entry) : provided(entry)
          case "EMAIL":
            return yield* mailed(entry, uncertain)
          case "SMS":
          case "MAGIC_LINK":
            return yield* new CodesUnsupported({ method })
          case null:
            return yield* new NoCode({ reason: "the credential has no tfa_method and no tfa_secret" })
        }
      })

      return TfaCodes.of({
        current: Effect.fn("TfaCodes.current")(function* (caller, pair, { uncertain = false } = {}) {
          const found = yield* locate(entries, caller.workspaceId, pair)
          if (Option.isNone(found)) return yield* new EntryNotFound(pair)
          const code = yield* codeOf(found.value, uncertain)
          yield* audit.record(caller, EntryAudit.ofCode(found.value))
          return code
        })
      })
    }).pipe(Permissions.checked<TfaCodes["Service"]>({ current: "edit" }))
  ).pipe(Layer.provide([BoundSecrets.layer, GeneratedCodes.layer]))
}
