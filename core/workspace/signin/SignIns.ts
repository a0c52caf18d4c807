/**
 * The service that signs in to the console. It exchanges an API key, or a link made for one, for a session. The session
 * has the role and the scopes of its key. It ends with the key, by signing out, or after twelve hours. The audit trail has
 * each link and session.
 */
import { Clock, Context, Effect, Layer, Option, type Redacted, Result, Schema } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Audit, type Author } from "../audit/Audit.ts"
import type { WorkspaceId } from "../Ids.ts"
import { Keys } from "../Keys.ts"
import type { Caller } from "../Workspace.ts"
import { type StoredKey, WorkspaceStore } from "../WorkspaceStore.ts"
import * as SignInAudit from "./SignInAudit.ts"
import { type SignInKind, SignInStore, type StoredSignIn } from "./SignInStore.ts"

/** How long sessions and links are valid, in milliseconds. */
export const lifetimes = { session: 12 * 3_600_000, link: 3_600_000 } as const satisfies Record<SignInKind, number>

/** How long after its sign-in a session may make keys and what else outlives it, in milliseconds. */
export const freshMillis = 600_000

/** Raised when an old session makes something that outlives it. */
export class SignInAgain extends Schema.TaggedError<SignInAgain>()("SignInAgain", {}) {
  override get message() {
    return `Cannot make keys or invitations with a session that was opened more than ${freshMillis / 60_000} minutes ago: sign in again, or send the API key in the header cc-key`
  }
}

/** Raised when a session requests a link, which would extend it beyond twelve hours. */
export class LinkNeedsKey extends Schema.TaggedError<LinkNeedsKey>()("LinkNeedsKey", {}) {
  override get message() {
    return "Cannot make a sign-in link with a session: expected an API key in the header cc-key"
  }
}

/** How many sign-in links there may be: unused ones at a time, and those of one key that are made in any hour. */
export const linkLimits = { unusedOfKey: 20, unusedOfWorkspace: 100, hourlyOfKey: 60 } as const

const limitWords = {
  unusedOfKey: "unused links of one API key",
  unusedOfWorkspace: "unused links of one workspace",
  hourlyOfKey: "links that one API key makes in an hour"
} as const

/** Raised when a key makes a link beyond a limit. */
export class TooManyLinks extends Schema.TaggedError<TooManyLinks>()("TooManyLinks", {
  limit: Schema.Literals(["unusedOfKey", "unusedOfWorkspace", "hourlyOfKey"]),
  /** When there is room for one again, at the latest, in milliseconds from now. */
  retryAfterMillis: Schema.Finite
}) {
  override get message() {
    return `Cannot make a sign-in link: the limit is ${linkLimits[this.limit]} ${limitWords[this.limit]}. Use one that was made, or try again in ${Math.ceil(this.retryAfterMillis / 60_000)} minutes`
  }
}

/** The holder of a session. */
export interface SignedIn {
  readonly caller: Caller
  readonly keyName: string | null
  /** When it signed in, in epoch milliseconds. */
  readonly openedAt: number
  /** In epoch milliseconds. */
  readonly expiresAt: number
}

/** A new session with its secret, which is returned only here. */
export interface NewSession extends SignedIn {
  readonly secret: Redacted.Redacted<string>
}

export class SignIns extends Context.Service<
  SignIns,
  {
    /** Opens a session for an API key; none if the key is unknown or revoked. */
    readonly withKey: (key: Redacted.Redacted<string>) => Effect.Effect<Option.Option<NewSession>, StoreUnavailable>
    /** Opens a session for the secret of a link, which is valid once; none if it is unknown, used or expired. */
    readonly withLink: (secret: Redacted.Redacted<string>) => Effect.Effect<Option.Option<NewSession>, StoreUnavailable>
    /** The holder of a session; none if it has ended, or its key is revoked. */
    readonly of: (secret: Redacted.Redacted<string>) => Effect.Effect<Option.Option<SignedIn>, StoreUnavailable>
    readonly end: (secret: Redacted.Redacted<string>) => Effect.Effect<void, StoreUnavailable>
    /**
     * The secret of a new link for an API key of the workspace of its author. It opens one session within an hour.
     * `linkLimits` bounds the links of users, not those that an operator makes at the command line.
     */
    readonly link: (
      author: Author,
      keyId: string
    ) => Effect.Effect<Redacted.Redacted<string>, TooManyLinks | StoreUnavailable>
  }
>()("sluice/core/workspace/signin/SignIns") {
  static readonly layer = Layer.effect(
    SignIns,
    Effect.gen(function* () {
      const store = yield* SignInStore
      const workspaces = yield* WorkspaceStore
      const keys = yield* Keys
      const audit = yield* Audit

      /** A new sign-in with the lifetime of its kind, at most that of the key, and its secret. */
      const make = Effect.fnUntraced(function* (
        kind: SignInKind,
        workspaceId: WorkspaceId,
        keyId: string,
        keyExpiresAt = Number.POSITIVE_INFINITY
      ) {
        const secret = yield* keys.make
        const createdAt = yield* Clock.currentTimeMillis
        const expiresAt = Math.min(createdAt + lifetimes[kind], keyExpiresAt)
        const stored: StoredSignIn = { hash: yield* keys.hash(secret), kind, workspaceId, keyId, createdAt, expiresAt }
        return { secret, stored }
      })

      const session = Effect.fnUntraced(function* ({ expiresAt, id, workspaceId }: StoredKey) {
        const { secret, stored } = yield* make("session", workspaceId, id, expiresAt)
        yield* store.add(stored)
        return { secret, openedAt: stored.createdAt, expiresAt: stored.expiresAt }
      })

      /** Fails where a key has made as many links in the last hour as it may. */
      const checkHour = Effect.fnUntraced(function* (workspaceId: WorkspaceId, keyId: string) {
        const now = yield* Clock.currentTimeMillis
        const from = now - 3_600_000
        const limit = linkLimits.hourlyOfKey
        const actions = ["sign_in_link.create"]
        const oldest = (yield* audit.list(workspaceId, { actions, resourceId: keyId, from, limit })).at(limit - 1)
        if (oldest !== undefined) {
          return yield* new TooManyLinks({ limit: "hourlyOfKey", retryAfterMillis: Math.max(1, oldest.at - from) })
        }
      })

      const open = Effect.fnUntraced(function* (workspaceId: WorkspaceId, keyId: string, isByLink: boolean) {
        const now = yield* Clock.currentTimeMillis
        const key = Option.filter(yield* workspaces.getKey(workspaceId, keyId), isLiveAt(now))
        if (Option.isNone(key)) return Option.none<NewSession>()
        const one = holder(key.value)
        const made = yield* audit.recording(one.caller, session(key.value), ({ expiresAt }) =>
          SignInAudit.ofStart(key.value, expiresAt, isByLink)
        )
        return Option.some<NewSession>({ ...one, ...made })
      })

      return SignIns.of({
        withKey: Effect.fn("SignIns.withKey")(function* (key) {
          const caller = yield* workspaces.authenticate(yield* keys.hash(key))
          if (Option.isNone(caller) || caller.value.keyId === undefined) return Option.none()
          return yield* open(caller.value.workspaceId, caller.value.keyId, false)
        }),
        withLink: Effect.fn("SignIns.withLink")(function* (secret) {
          const hash = yield* keys.hash(secret)
          const now = yield* Clock.currentTimeMillis
          const known = yield* store.get(hash)
          if (Option.isNone(known) || known.value.kind !== "link") return Option.none()
          const taken = yield* store.remove(hash)
          if (Option.isNone(taken) || taken.value.expiresAt <= now) return Option.none()
          return yield* open(taken.value.workspaceId, taken.value.keyId, true)
        }),
        of: Effect.fn("SignIns.of")(function* (secret) {
          const known = yield* store.get(yield* keys.hash(secret))
          const now = yield* Clock.currentTimeMillis
          if (Option.isNone(known) || known.value.kind !== "session" || known.value.expiresAt <= now) {
            return Option.none()
          }
          const { createdAt, expiresAt, keyId, workspaceId } = known.value
          const key = Option.filter(yield* workspaces.getKey(workspaceId, keyId), isLiveAt(now))
          return Option.map(key, (one): SignedIn => {
            const { caller, keyName } = holder(one)
            return { caller: { ...caller, signedIn: true }, keyName, openedAt: createdAt, expiresAt }
          })
        }),
        end: Effect.fn("SignIns.end")(function* (secret) {
          const hash = yield* keys.hash(secret)
          const known = yield* store.get(hash)
          if (Option.isNone(known) || known.value.kind !== "session") return
          const { keyId, workspaceId } = known.value
          const key = Option.getOrUndefined(yield* workspaces.getKey(workspaceId, keyId))
          const author = { workspaceId, keyId, ...(key === undefined ? {} : { userId: key.userId }) }
          yield* audit.recording(author, store.remove(hash), (removed) =>
            Option.isSome(removed) ? [SignInAudit.ofEnd(key ?? { id: keyId, name: null })] : []
          )
        }),
        link: Effect.fn("SignIns.link")(function* (author, keyId) {
          const key = yield* workspaces.getKey(author.workspaceId, keyId)
          const name = Option.match(key, { onNone: () => null, onSome: (one) => one.name })
          const isLimited = author.keyId !== undefined
          if (isLimited) yield* checkHour(author.workspaceId, keyId)
          const { secret, stored } = yield* make("link", author.workspaceId, keyId)
          const judge = isLimited ? judgeUnused(stored) : () => Result.void
          yield* audit.recording(author, store.addLink(stored, judge), () => [
            SignInAudit.ofLink({ id: keyId, name }, stored.expiresAt)
          ])
          return secret
        })
      })
    })
  )
}

/** Refuses a link beside too many unused ones, the oldest of which is first. */
const judgeUnused =
  ({ createdAt, keyId }: StoredSignIn) =>
  (unused: ReadonlyArray<StoredSignIn>): Result.Result<void, TooManyLinks> => {
    const limited = [
      ["unusedOfKey", unused.filter((link) => link.keyId === keyId)],
      ["unusedOfWorkspace", unused]
    ] as const
    for (const [limit, [oldest, ...others]] of limited) {
      if (oldest !== undefined && others.length + 1 >= linkLimits[limit]) {
        return Result.fail(new TooManyLinks({ limit, retryAfterMillis: oldest.expiresAt - createdAt }))
      }
    }
    return Result.void
  }

/** Whether a key is accepted at an instant. */
export const isLiveAt =
  (now: number) =>
  ({ expiresAt, revokedAt }: StoredKey): boolean =>
    revokedAt === null && (expiresAt === undefined || expiresAt > now)

const holder = ({ id, name, role, scopes, userId, workspaceId }: StoredKey) => ({
  caller: {
    workspaceId,
    userId,
    role,
    keyId: id,
    ...(scopes === undefined ? {} : { scopes })
  } satisfies Caller,
  keyName: name
})
