/**
 * The credentials of a workspace, as callers write and read them.
 */
import { Clock, Context, Effect, Layer, Option, Redacted, Result, type Schema, Struct } from "effect"
import { Signals } from "../runtime/Signals.ts"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import { Audit } from "../workspace/audit/Audit.ts"
import * as AuditedChange from "../workspace/audit/AuditedChange.ts"
import { Identifiers } from "../workspace/Identifiers.ts"
import type { WorkspaceId } from "../workspace/Ids.ts"
import * as Permissions from "../workspace/Permissions.ts"
import { type Caller, permits, type RoleForbids } from "../workspace/Workspace.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import * as EntryAudit from "./EntryAudit.ts"
import * as EntryBody from "./EntryBody.ts"
import * as EntryRules from "./EntryRules.ts"
import * as SignInHealth from "./health/SignInHealth.ts"
import * as Inbox from "./inbox/Inbox.ts"
import { accepted, effectiveVersion } from "./keys/EncryptionKeys.ts"
import { type Cipher, markOf, Sealing } from "./keys/Sealing.ts"
import { PhoneNumbers } from "./otp/PhoneNumbers.ts"
import * as Proxies from "./Proxies.ts"
import { SecretProviders } from "./providers/SecretProviders.ts"
import * as Domain from "./site/Domain.ts"
import * as FormerSecrets from "./site/FormerSecrets.ts"
import * as SecretSites from "./site/SecretSites.ts"
import { locate, VaultEntries } from "./VaultEntries.ts"
import {
  type BrowserState,
  browserStateNames,
  EntryNotFound,
  EntryTaken,
  effectiveExpiresAt,
  effectiveTfaMethod,
  type Fields,
  InvalidEntry,
  noBrowserState,
  OriginsForOwners,
  openBrowserState,
  type Pair,
  type Problem,
  type SealedField,
  sealedNames,
  type VaultEntry,
  withoutBrowserState,
  withoutExpired
} from "./VaultEntry.ts"

/** An entry with its derived facts. */
export interface EntryView {
  readonly entry: VaultEntry
  /** All `null` for callers other than Owners, because this state is a login. */
  readonly browserState: BrowserState
  readonly effectiveExpiresAt: number | null
  readonly health: SignInHealth.HealthStatus
  /** When its saved session is likely to have ended; `null` where that is not known. */
  readonly sessionEnd: number | null
  readonly siteIdentifier: string
  /** The mail address for the codes of the credential, if it has them mailed and this service receives mail. */
  readonly tfaEmail: string | null
  /** The phone number for the codes of the credential, if they come by SMS and its workspace has a number. */
  readonly tfaPhoneNumber: string | null
  /** `ip:port` of the proxy of the installation that runs with the entry use; `null` where none is assigned. */
  readonly proxyString: string | null
}

export class Vault extends Context.Service<
  Vault,
  {
    /** The entries in order of creation, optionally only those of a user or of a site. */
    readonly list: (caller: Caller, filter: Partial<Pair>) => Effect.Effect<ReadonlyArray<EntryView>, StoreUnavailable>

    readonly get: (caller: Caller, pair: Pair) => Effect.Effect<EntryView, EntryNotFound | StoreUnavailable>

    /** Stores a new entry. `body` is user input; every problem of it is reported. */
    readonly create: (
      caller: Caller,
      body: unknown
    ) => Effect.Effect<EntryView, InvalidEntry | EntryTaken | OriginsForOwners | RoleForbids | StoreUnavailable>

    /** Changes the entry that the body names. Fields that the body leaves out stay. */
    readonly update: (
      caller: Caller,
      body: unknown
    ) => Effect.Effect<EntryView, InvalidEntry | EntryNotFound | OriginsForOwners | RoleForbids | StoreUnavailable>

    /** Removes the entry that the body names, and returns it. */
    readonly remove: (
      caller: Caller,
      body: unknown
    ) => Effect.Effect<EntryView, InvalidEntry | EntryNotFound | RoleForbids | StoreUnavailable>

    /** Removes cookies and storage from the entry that the body names. */
    readonly clearBrowserState: (
      caller: Caller,
      body: unknown
    ) => Effect.Effect<void, InvalidEntry | EntryNotFound | RoleForbids | StoreUnavailable>
  }
>()("sluice/core/vault/Vault") {
  static readonly layer = Layer.effect(
    Vault,
    Effect.gen(function* () {
      const entries = yield* VaultEntries
      const audit = yield* Audit
      const former = yield* FormerSecrets.make()
      const identifiers = yield* Identifiers
      const inboxDomain = yield* Inbox.InboxDomain
      const phoneNumbers = yield* PhoneNumbers
      const providers = yield* SecretProviders
      const sealing = yield* Sealing
      const pool = yield* Proxies.ProxyPool
      const signals = yield* Signals
      const workspaces = yield* WorkspaceStore

      /** Runs that waited for the entry, or for another slot of it, may be able to start. */
      const changed = signals.publish({ _tag: "work" })

      /** The version of the key that the caller reads with. */
      const readsWith = Effect.fnUntraced(function* ({ keyId, workspaceId }: Caller, { keys }: Cipher) {
        if (keyId === undefined || accepted(keys) === null) return keys.present.version
        const key = yield* workspaces.getKey(workspaceId, keyId)
        return Option.isSome(key) ? effectiveVersion(keys, key.value) : keys.present.version
      })

      /** Records the key that the caller sealed with: the latest one shows which key its clients have. */
      const note = Effect.fnUntraced(function* (caller: Caller, { keys }: Cipher, versions: ReadonlyArray<number>) {
        const { keyId, workspaceId } = caller
        if (keyId === undefined || versions.length === 0 || accepted(keys) === null) return
        const version = Math.min(...versions)
        const key = yield* workspaces.getKey(workspaceId, keyId)
        if (Option.isSome(key) && key.value.sealsWith !== version)
          yield* workspaces.noteSealing(workspaceId, keyId, version)
      })

      const viewAll = Effect.fnUntraced(function* (caller: Caller, cipher: Cipher, entries: ReadonlyArray<VaultEntry>) {
        const version = yield* readsWith(caller, cipher)
        return yield* Effect.forEach(entries, (entry) => viewUnder(caller, cipher, version, entry))
      })

      const view = Effect.fnUntraced(function* (caller: Caller, cipher: Cipher, entry: VaultEntry) {
        return yield* viewUnder(caller, cipher, yield* readsWith(caller, cipher), entry)
      })

      const viewUnder = Effect.fnUntraced(function* (
        caller: Caller,
        cipher: Cipher,
        version: number,
        kept: VaultEntry
      ) {
        const now = yield* Clock.currentTimeMillis
        const lasting = withoutExpired(kept, now)
        const browserState = permits(caller, "manage") ? yield* openBrowserState(cipher, lasting) : noBrowserState
        const entry = cipher.keys.former.length === 0 ? lasting : yield* readable(cipher, version, lasting)
        const method = effectiveTfaMethod(entry)
        const isMailed = method === "EMAIL" || method === "MAGIC_LINK"
        return {
          entry,
          browserState,
          effectiveExpiresAt: effectiveExpiresAt(entry),
          health: SignInHealth.statusOf(entry, now),
          sessionEnd: SignInHealth.sessionEnd(entry),
          proxyString: Proxies.assigned(pool, entry),
          siteIdentifier: Domain.siteIdentifier(entry.domain),
          tfaEmail: isMailed && inboxDomain !== null ? Inbox.addressOf(entry.workspaceId, entry, inboxDomain) : null,
          tfaPhoneNumber: method === "SMS" ? yield* phoneNumbers.phoneNumberOf(entry.workspaceId) : null
        } satisfies EntryView
      })

      const found = Effect.fnUntraced(function* (workspaceId: WorkspaceId, pair: Pair) {
        const entry = yield* locate(entries, workspaceId, pair)
        return Option.isSome(entry) ? entry.value : yield* new EntryNotFound(pair)
      })

      /** The effect of a body on an entry, or on a new one. */
      const understand = Effect.fnUntraced(function* (
        caller: Caller,
        cipher: Cipher,
        reading: EntryBody.Reading,
        before: VaultEntry | null
      ) {
        const { sent } = reading
        const opened: { -readonly [field in keyof EntryRules.Given["opened"]]: EntryRules.Given["opened"][field] } = {}
        const renewed: { [field in SealedField]?: string } = {}
        const versions: Array<number> = []
        for (const [name, sealed] of EntryRules.sealedIn(sent, before?.fields ?? null)) {
          const accepted = yield* Effect.result(cipher.accept(sealed))
          opened[name] = Result.map(accepted, ({ value }) => value)
          if (Result.isFailure(accepted)) continue
          renewed[name] = accepted.success.sealed
          versions.push(accepted.success.version)
        }
        const provider = sent.secret_provider_id ?? null
        const given = {
          reading: { ...reading, sent: { ...sent, ...renewed } },
          opened,
          browserState: yield* sealState(cipher, sent),
          providerIsKnown: provider !== null && Option.isSome(yield* providers.get(caller.workspaceId, provider)),
          sameTfaSecret: yield* isSame(cipher, sent.tfa_secret ?? null, before?.fields.tfa_secret ?? null),
          samePasskey: yield* isSame(cipher, sent.passkey ?? null, before?.fields.passkey ?? null)
        } satisfies EntryRules.Given
        return { given, versions }
      })

      /**
       * Refuses secrets of another site from a caller other than an Owner, whether a credential has them or had them.
       * Otherwise a caller who cannot decrypt them could have them typed into a site of their own.
       */
      const refuseCopies = Effect.fnUntraced(function* (
        caller: Caller,
        { sent }: EntryBody.Reading,
        domain: string | undefined
      ) {
        const given = EntryRules.sealedIn(sent, null)
        if (permits(caller, "manage") || domain === undefined || given.length === 0) return
        const { workspaceId } = caller
        const others = yield* entries.list(workspaceId)
        const isHome = (home: string) =>
          Domain.originsOf(domain).every((origin) =>
            SecretSites.permits({ domain: home, fields: { allowed_origins: null } }, origin)
          )
        const problems: Array<Problem> = []
        for (const [path, sealed] of given) {
          const present = others.filter(({ fields }) =>
            FormerSecrets.secretsOf(fields).some((one) => markOf(one) === markOf(sealed))
          )
          const domains = [...present.map((entry) => entry.domain), ...(yield* former.domainsOf(workspaceId, sealed))]
          if (domains.some(isHome)) continue
          if (domains[0] !== undefined) problems.push({ path, message: copied(domains[0]) })
          else if (yield* former.isFull(workspaceId)) problems.push({ path, message: unrecognised })
        }
        if (problems.length > 0) return yield* new InvalidEntry({ problems })
      })

      /** Only an Owner changes where secrets come from and go; every editor may send the present values back. */
      const refuseReach = Effect.fnUntraced(function* (
        caller: Caller,
        cipher: Cipher,
        { sent }: EntryBody.Reading,
        before: Fields | null
      ) {
        if (permits(caller, "manage")) return
        const sameProxy = yield* isSame(cipher, sent.proxy_value ?? null, before?.proxy_value ?? null)
        const fields = EntryRules.ownersFields(sent, before, sameProxy)
        if (fields.length > 0) return yield* new OriginsForOwners({ role: caller.role, fields })
      })

      const pairOf = Effect.fnUntraced(function* (body: unknown) {
        const { problems, sent } = EntryBody.readPair(body)
        const pair = sentPair(sent)
        return pair ?? (yield* new InvalidEntry({ problems }))
      })

      return Vault.of({
        list: Effect.fn("Vault.list")(function* (caller, filter) {
          const all = yield* entries.list(caller.workspaceId)
          const cipher = yield* sealing.cipher(caller.workspaceId)
          return yield* viewAll(
            caller,
            cipher,
            all.filter(
              ({ domain, permissionedUserId }) =>
                (filter.permissionedUserId === undefined || filter.permissionedUserId === permissionedUserId) &&
                (filter.domain === undefined || Domain.matches(domain, filter.domain))
            )
          )
        }),

        get: Effect.fn("Vault.get")(function* (caller, pair) {
          const entry = yield* found(caller.workspaceId, pair)
          return yield* view(caller, yield* sealing.cipher(caller.workspaceId), entry)
        }),

        create: Effect.fn("Vault.create")(function* (caller, body) {
          const cipher = yield* sealing.cipher(caller.workspaceId)
          const reading = withinSight(caller, EntryBody.read(body))
          yield* refuseCopies(caller, reading, reading.sent.domain)
          const { given, versions } = yield* understand(caller, cipher, reading, null)
          const id = yield* identifiers.uuid
          const now = yield* Clock.currentTimeMillis
          const entry = yield* Effect.fromResult(EntryRules.create(given, { caller, id, now }))
          yield* refuseReach(caller, cipher, reading, null)
          yield* audit
            .recording(caller, entries.insert(caller.workspaceId, entry), () => [EntryAudit.ofCreation(entry)])
            .pipe(
              Effect.catchTag("KeyTaken", () =>
                Effect.fail(new EntryTaken({ permissionedUserId: entry.permissionedUserId, domain: entry.domain }))
              )
            )
          yield* changed
          yield* note(caller, cipher, versions)
          return yield* view(caller, cipher, entry)
        }),

        update: Effect.fn("Vault.update")(function* (caller, body) {
          const cipher = yield* sealing.cipher(caller.workspaceId)
          const reading = withinSight(caller, EntryBody.read(body))
          const pair = sentPair(reading.sent)
          if (pair === null) return yield* new InvalidEntry({ problems: reading.problems })
          const before = yield* locate(entries, caller.workspaceId, pair)
          if (Option.isNone(before)) {
            return yield* reading.problems.length === 0
              ? new EntryNotFound(pair)
              : new InvalidEntry({ problems: reading.problems })
          }
          yield* refuseCopies(caller, reading, before.value.domain)
          const { given, versions } = yield* understand(caller, cipher, reading, before.value)
          const decide = EntryRules.update(given, yield* Clock.currentTimeMillis)
          const decided = yield* Effect.fromResult(decide(before.value))
          yield* refuseReach(caller, cipher, reading, before.value.fields)
          yield* former.remember(before.value, decided.fields)
          let replaced = before.value
          const after = yield* AuditedChange.change(
            audit,
            caller,
            entries,
            before.value.id,
            (present) => {
              replaced = present
              return decide(present)
            },
            EntryAudit.ofChange
          ).pipe(Effect.catchTag("KeyTaken", Effect.die))
          if (Option.isNone(after)) return yield* new EntryNotFound(pair)
          // The entry may have changed since it was read.
          yield* former.remember(replaced, after.value.fields)
          yield* changed
          yield* note(caller, cipher, versions)
          return yield* view(caller, cipher, after.value)
        }),

        remove: Effect.fn("Vault.remove")(function* (caller, body) {
          const pair = yield* pairOf(body)
          const entry = yield* found(caller.workspaceId, pair)
          const { id } = entry
          // Before, so that none is removed and not remembered, and again as it was when it was removed.
          yield* former.remember(entry, null)
          const removed = yield* AuditedChange.remove(audit, caller, entries, id, EntryAudit.ofRemoval)
          if (Option.isNone(removed)) return yield* new EntryNotFound(pair)
          yield* former.remember(removed.value, null)
          yield* changed
          return yield* view(caller, yield* sealing.cipher(caller.workspaceId), removed.value)
        }),

        clearBrowserState: Effect.fn("Vault.clearBrowserState")(function* (caller, body) {
          const pair = yield* pairOf(body)
          const { id } = yield* found(caller.workspaceId, pair)
          const now = yield* Clock.currentTimeMillis
          const cleared = yield* AuditedChange.change(
            audit,
            caller,
            entries,
            id,
            (before) => Result.succeed(withoutBrowserState(before, now)),
            EntryAudit.ofClearing
          ).pipe(Effect.catchTag("KeyTaken", Effect.die))
          if (Option.isNone(cleared)) return yield* new EntryNotFound(pair)
        })
      })
    }).pipe(
      Permissions.checked<Vault["Service"]>({
        list: "read",
        get: "read",
        create: "edit",
        update: "edit",
        remove: "edit",
        clearBrowserState: "edit"
      })
    )
  ).pipe(Layer.provide(PhoneNumbers.layer))
}

/**
 * A body without the `null` of browser state that its caller is not shown: they send back what they were answered.
 * `clearBrowserState` removes it.
 */
const withinSight = (caller: Caller, { sent, ...reading }: EntryBody.Reading): EntryBody.Reading => {
  if (permits(caller, "manage")) return { ...reading, sent }
  return {
    ...reading,
    sent: Struct.omit(
      sent,
      browserStateNames.filter((name) => sent[name] === null)
    )
  }
}

const copied = (domain: string): string =>
  `Expected a value that was sealed for this site; this one belongs to the credential for ${domain}, and only an Owner may copy it to another site`

const unrecognised =
  "Expected an Owner to store it: this workspace remembers as many former secrets as it can, and does not know whether this one belongs to another site"

const sentPair = ({ domain, permissioned_user_id }: EntryBody.Sent): Pair | null =>
  domain === undefined || permissioned_user_id === undefined
    ? null
    : { permissionedUserId: permissioned_user_id, domain }

/** The parts of the browser state that were sent, sealed. */
const sealState = Effect.fnUntraced(function* (cipher: Cipher, sent: EntryBody.Sent) {
  const sealed: { -readonly [part in keyof BrowserState]?: string | null } = {}
  for (const name of browserStateNames) {
    const value = sent[name]
    // A part that was read is JSON, which its type does not say.
    if (value !== undefined)
      sealed[name] = value === null ? null : yield* cipher.seal(Redacted.make(value as Schema.Json))
  }
  return sealed
})

/** The entry with its credentials sealed for readers with the key of a version. */
const readable = Effect.fnUntraced(function* (cipher: Cipher, version: number, entry: VaultEntry) {
  const fields: { -readonly [field in keyof Fields]: Fields[field] } = { ...entry.fields }
  for (const name of sealedNames(entry.fields)) {
    const sealed = fields[name]
    // Return a value that no key can decrypt unchanged.
    if (sealed !== null) fields[name] = yield* Effect.catch(cipher.under(version, sealed), () => Effect.succeed(sealed))
  }
  return { ...entry, fields }
})

/** Returns whether two sealed values hold the same. A value that cannot be opened counts as absent. */
const isSame = Effect.fnUntraced(function* (cipher: Cipher, one: string | null, other: string | null) {
  if (one === null || other === null) return one === other
  if (one === other) return true
  const opened = yield* Effect.all([Effect.option(cipher.unseal(one)), Effect.option(cipher.unseal(other))])
  const [first, second] = opened.map(Option.map(Redacted.value))
  return first !== undefined && second !== undefined && Option.isSome(first) && Option.isSome(second)
    ? first.value === second.value
    : false
})
