/**
 * The open sessions at the console of a workspace. An Owner sees and ends all of them, others those of their own user. A
 * session is named by its API key and the instant at which it was opened, which tell nothing of its secret.
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Audit } from "../audit/Audit.ts"
import type { UserId } from "../Ids.ts"
import * as Permissions from "../Permissions.ts"
import { type Caller, permits } from "../Workspace.ts"
import { WorkspaceStore } from "../WorkspaceStore.ts"
import * as SignInAudit from "./SignInAudit.ts"
import { SignInStore } from "./SignInStore.ts"
import { isLiveAt } from "./SignIns.ts"

export interface OpenSession {
  readonly userId: UserId
  readonly keyId: string
  readonly keyName: string | null
  readonly openedAt: number
  readonly expiresAt: number
}

/** Raised for a session that is not open, or that the caller does not see. */
export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", {
  keyId: Schema.String
}) {
  override get message() {
    return `Session of the API key "${this.keyId}" not found: expected the key and the opened_at of a session that GET /console-sessions lists`
  }
}

export class OpenSessions extends Context.Service<
  OpenSessions,
  {
    /** The sessions that the caller sees, newest first. */
    readonly list: (caller: Caller) => Effect.Effect<ReadonlyArray<OpenSession>, StoreUnavailable>
    /** Ends a session that the caller sees, and returns it. In other processes it ends within a second. */
    readonly end: (
      caller: Caller,
      keyId: string,
      openedAt: number
    ) => Effect.Effect<OpenSession, SessionNotFound | StoreUnavailable>
  }
>()("sluice/core/workspace/signin/OpenSessions") {
  static readonly layer = Layer.effect(
    OpenSessions,
    Effect.gen(function* () {
      const store = yield* SignInStore
      const workspaces = yield* WorkspaceStore
      const audit = yield* Audit

      const seen = Effect.fnUntraced(function* (caller: Caller) {
        const now = yield* Clock.currentTimeMillis
        const keys = (yield* workspaces.listKeys(caller.workspaceId)).filter(isLiveAt(now))
        const stored = yield* store.sessions(caller.workspaceId)
        return stored.flatMap(({ createdAt, expiresAt, hash, keyId }) => {
          const key = keys.find(({ id }) => id === keyId)
          if (key === undefined || expiresAt <= now) return []
          if (key.userId !== caller.userId && !permits(caller, "manage")) return []
          const { name, userId } = key
          return [{ hash, session: { userId, keyId, keyName: name, openedAt: createdAt, expiresAt } }]
        })
      })

      return OpenSessions.of({
        list: Effect.fn("OpenSessions.list")((caller) =>
          Effect.map(seen(caller), (all) => all.map(({ session }) => session))
        ),
        end: Effect.fn("OpenSessions.end")(function* (caller, keyId, openedAt) {
          const found = (yield* seen(caller)).find(
            ({ session }) => session.keyId === keyId && session.openedAt === openedAt
          )
          if (found === undefined) return yield* new SessionNotFound({ keyId: keyId.slice(0, 80) })
          const { hash, session } = found
          const removed = yield* audit.recording(caller, store.remove(hash), (one) =>
            Option.isSome(one) ? [SignInAudit.ofEnd({ id: session.keyId, name: session.keyName })] : []
          )
          return Option.isSome(removed) ? session : yield* new SessionNotFound({ keyId })
        })
      })
    }).pipe(Permissions.checked<OpenSessions["Service"]>({ list: "read", end: "read" }))
  )
}
