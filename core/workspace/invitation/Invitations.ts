/**
 * Invitations to a workspace: an Owner makes one for a role, and the holder of its token makes one API key with it.
 *
 * A token names its workspace and its invitation and carries a secret. It is shown once, when the invitation is made;
 * only the hash of the whole token is stored.
 */
import { Clock, Context, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import { otherwiseDie, type StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { type ApiKey, creationOf, drafting } from "../ApiKeys.ts"
import { Audit, type Draft } from "../audit/Audit.ts"
import type { AuditAction } from "../audit/AuditAction.ts"
import * as AuditedChange from "../audit/AuditedChange.ts"
import type { Collection, Kind } from "../Collection.ts"
import { Identifiers } from "../Identifiers.ts"
import { UserId, WorkspaceId } from "../Ids.ts"
import { Keys } from "../Keys.ts"
import * as Permissions from "../Permissions.ts"
import { type Caller, Role, type RoleForbids, Scope } from "../Workspace.ts"
import { WorkspaceStore } from "../WorkspaceStore.ts"

/** How long an invitation is listed after it was used or has expired, in milliseconds. */
const listedMillis = 90 * 86_400_000

/** The use of an invitation: the key that was made with it, and the user of that key. */
const Use = Schema.Struct({ at: Schema.Finite, keyId: Schema.String, userId: UserId })

/** An invitation. Instants are epoch milliseconds. */
export const Invitation = Schema.Struct({
  id: Schema.String,
  /** The lower-case hexadecimal SHA-256 of its token. */
  hash: Schema.String,
  role: Role,
  /** The scopes of the key, where it has any. */
  scopes: Schema.optionalKey(Schema.Array(Scope)),
  /** The name of the key. */
  name: Schema.NullOr(Schema.String),
  createdAt: Schema.Finite,
  createdBy: UserId,
  /** The API key that made it, with which it ends; not stored for those made before keys were kept. */
  keyId: Schema.optionalKey(Schema.String),
  /** The first instant at which it cannot be accepted. */
  expiresAt: Schema.Finite,
  used: Schema.NullOr(Use)
})
export type Invitation = typeof Invitation.Type

export const kind: Kind<Invitation> = { name: "invitations", schema: Invitation, key: ({ hash }) => hash }

export class InvitationStore extends Context.Service<InvitationStore, Collection<Invitation>>()(
  "sluice/core/workspace/invitation/InvitationStore"
) {}

/** The properties of a new invitation. */
export interface NewInvitation {
  readonly role: Role
  readonly scopes?: ReadonlyArray<Scope>
  readonly name: string | null
  readonly lifetimeSeconds: number
}

/** The state of an invitation at an instant. */
export const stateOf = ({ expiresAt, used }: Invitation, now: number): "open" | "used" | "expired" =>
  used !== null ? "used" : expiresAt <= now ? "expired" : "open"

/** Raised for an invitation that does not exist in the workspace. */
export class InvitationNotFound extends Schema.TaggedError<InvitationNotFound>()("InvitationNotFound", {
  id: Schema.String
}) {
  override get message() {
    return `Invitation "${this.id}" not found in this workspace`
  }
}

/** Raised by revoking a used invitation, because its key would stay valid. */
export class InvitationUsed extends Schema.TaggedError<InvitationUsed>()("InvitationUsed", {
  id: Schema.String,
  keyId: Schema.String
}) {
  override get message() {
    return `Cannot revoke invitation "${this.id}": it was used already. Revoke the API key "${this.keyId}" that was made with it`
  }
}

/** Raised for an invalid token, and for one whose maker's key has ended. The message reveals neither the reason nor the workspace. */
export class InvitationNotValid extends Schema.TaggedError<InvitationNotValid>()("InvitationNotValid", {}) {
  override get message() {
    return "This invitation cannot be accepted: expected the whole token of an invitation that was not used or revoked, has not expired, and whose maker's key is still valid. Ask an Owner of the workspace for another one"
  }
}

export class Invitations extends Context.Service<
  Invitations,
  {
    /** All invitations of the workspace, oldest first; those that were used or have expired for 90 days more. */
    readonly list: (caller: Caller) => Effect.Effect<ReadonlyArray<Invitation>, RoleForbids | StoreUnavailable>

    /** Makes an invitation. `token` is returned only here; only its hash is stored. */
    readonly make: (
      caller: Caller,
      options: NewInvitation
    ) => Effect.Effect<
      { readonly invitation: Invitation; readonly token: Redacted.Redacted<string> },
      RoleForbids | StoreUnavailable
    >

    /** Removes an unused invitation and returns it. Its token is no longer accepted. */
    readonly revoke: (
      caller: Caller,
      id: string
    ) => Effect.Effect<Invitation, InvitationNotFound | InvitationUsed | RoleForbids | StoreUnavailable>

    /** Makes the key of an invitation, for a new user. Of several concurrent calls with one token, one gets it. */
    readonly accept: (
      token: Redacted.Redacted<string>
    ) => Effect.Effect<
      { readonly stored: ApiKey; readonly key: Redacted.Redacted<string> },
      InvitationNotValid | StoreUnavailable
    >
  }
>()("sluice/core/workspace/invitation/Invitations") {
  static readonly layer = Layer.effect(
    Invitations,
    Effect.gen(function* () {
      const store = yield* InvitationStore
      const workspaces = yield* WorkspaceStore
      const audit = yield* Audit
      const keys = yield* Keys
      const identifiers = yield* Identifiers
      const draftKey = yield* drafting

      /** Removes invitations that were used or expired more than 90 days ago. */
      const forget = Effect.fnUntraced(function* (workspaceId: WorkspaceId, now: number) {
        const old = (yield* store.list(workspaceId)).filter(
          ({ expiresAt, used }) => (used?.at ?? expiresAt) <= now - listedMillis
        )
        yield* Effect.forEach(old, ({ id }) => store.remove(workspaceId, id), { discard: true })
      })

      const make = Effect.fn("Invitations.make")(function* (caller: Caller, options: NewInvitation) {
        const now = yield* Clock.currentTimeMillis
        yield* forget(caller.workspaceId, now)
        const id = yield* identifiers.uuid
        const token = Redacted.make(written({ workspaceId: caller.workspaceId, id, secret: yield* keys.make }))
        const invitation: Invitation = {
          id,
          hash: yield* keys.hash(token),
          role: options.role,
          ...(options.scopes === undefined ? {} : { scopes: options.scopes }),
          name: options.name,
          createdAt: now,
          createdBy: caller.userId,
          ...(caller.keyId === undefined ? {} : { keyId: caller.keyId }),
          expiresAt: now + options.lifetimeSeconds * 1_000,
          used: null
        }
        // The hash of a new secret is unique.
        const insertion = otherwiseDie(store.insert(caller.workspaceId, invitation))
        yield* audit.recording(caller, insertion, () => [auditOf("invitation.create", null, invitation)])
        return { invitation, token }
      })

      const revoke = Effect.fn("Invitations.revoke")(function* (caller: Caller, id: string) {
        const unused = store.change(caller.workspaceId, id, (before) =>
          before.used === null
            ? Result.succeed(before)
            : Result.fail(new InvitationUsed({ id, keyId: before.used.keyId }))
        )
        const removal = AuditedChange.remove(audit, caller, store, id, (before) =>
          auditOf("invitation.revoke", before, null)
        )
        // One transaction: the check locks the invitation until it is removed.
        const revoked = yield* audit.recording(
          caller,
          Effect.andThen(Effect.catchTag(unused, "KeyTaken", Effect.die), removal),
          () => []
        )
        return Option.isSome(revoked) ? revoked.value : yield* new InvitationNotFound({ id })
      })

      const isLive = Effect.fnUntraced(function* (workspaceId: WorkspaceId, keyId: string) {
        const now = yield* Clock.currentTimeMillis
        return Option.exists(
          yield* workspaces.getKey(workspaceId, keyId),
          ({ expiresAt, revokedAt }) => revokedAt === null && (expiresAt === undefined || expiresAt > now)
        )
      })

      const accept = Effect.fn("Invitations.accept")(function* (token: Redacted.Redacted<string>) {
        const named = read(Redacted.value(token))
        if (named === null) return yield* new InvitationNotValid()
        const { id, workspaceId } = named
        const hash = yield* keys.hash(token)
        const found = yield* store.get(workspaceId, id)
        if (Option.isNone(found) || found.value.hash !== hash) return yield* new InvitationNotValid()
        const { keyId, name, role, scopes } = found.value
        if (keyId !== undefined && !(yield* isLive(workspaceId, keyId))) return yield* new InvitationNotValid()
        const draft = yield* draftKey(workspaceId, { name, role, ...(scopes === undefined ? {} : { scopes }) })
        const { stored } = draft
        const use = { at: stored.createdAt, keyId: stored.id, userId: stored.userId }
        const acceptance = Effect.gen(function* () {
          const used = yield* store
            .change(workspaceId, id, (before) =>
              stateOf(before, use.at) === "open"
                ? Result.succeed({ ...before, used: use })
                : Result.fail(new InvitationNotValid())
            )
            .pipe(Effect.catchTag("KeyTaken", Effect.die))
          if (Option.isNone(used)) return yield* new InvitationNotValid()
          yield* workspaces.addKey({ ...stored, hash: draft.hash })
          return used.value
        })
        // The author is the user that the invitation made.
        const author = { workspaceId, userId: stored.userId, keyId: stored.id }
        yield* audit.recording(author, acceptance, (after) => [
          auditOf("invitation.accept", found.value, after),
          creationOf(stored)
        ])
        return { stored, key: draft.key }
      })

      return Invitations.of({
        make,
        revoke,
        accept,
        list: Effect.fn("Invitations.list")(({ workspaceId }) => store.list(workspaceId))
      })
    }).pipe(Permissions.checked<Invitations["Service"]>({ list: "manage", make: "manage", revoke: "manage" }))
  )
}

interface Token {
  readonly workspaceId: WorkspaceId
  readonly id: string
  readonly secret: Redacted.Redacted<string>
}

const withoutDashes = (uuid: string): string => uuid.replaceAll("-", "")

const withDashes = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

/** The text of a token: `inv_`, the ids of the workspace and the invitation, and 256 random bits in base64url. */
const written = ({ id, secret, workspaceId }: Token): string =>
  `inv_${withoutDashes(workspaceId)}_${withoutDashes(id)}_${Redacted.value(secret).replace(/^sk_/, "")}`

/** The ids in a token; `null` for a text that is not a token. */
const read = (token: string): Omit<Token, "secret"> | null => {
  const [, workspace = "", id = ""] = /^inv_([0-9a-f]{32})_([0-9a-f]{32})_[\w-]{20,100}$/.exec(token) ?? []
  const workspaceId = withDashes(workspace)
  return Schema.is(WorkspaceId)(workspaceId) ? { workspaceId, id: withDashes(id) } : null
}

const auditOf = (action: AuditAction, before: Invitation | null, after: Invitation | null): Draft => ({
  action,
  resourceId: (after ?? before)?.id ?? null,
  resourceName: (after ?? before)?.name ?? null,
  before: before === null ? null : audited(before),
  after: after === null ? null : audited(after)
})

const audited = ({ createdAt, createdBy, expiresAt, name, role, scopes, used }: Invitation) => ({
  name,
  role,
  scopes: scopes ?? null,
  created_at: new Date(createdAt).toISOString(),
  created_by: createdBy,
  expires_at: new Date(expiresAt).toISOString(),
  used_at: used === null ? null : new Date(used.at).toISOString(),
  api_key_id: used?.keyId ?? null
})
