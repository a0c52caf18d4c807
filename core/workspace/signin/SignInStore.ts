/**
 * The store of sign-ins to the console: browser sessions, and links that open a session. Only the SHA-256 of their
 * secrets is stored.
 */
import { Context, type Effect, type Option, type Result } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "../Ids.ts"

/** A link opens one session; a session authenticates the requests of a browser. */
export type SignInKind = "link" | "session"

export interface StoredSignIn {
  /** The lower-case hex SHA-256 of its secret. */
  readonly hash: string
  readonly kind: SignInKind
  readonly workspaceId: WorkspaceId
  /** The API key whose permissions the sign-in has. */
  readonly keyId: string
  readonly createdAt: number
  readonly expiresAt: number
}

export class SignInStore extends Context.Service<
  SignInStore,
  {
    /** Stores a sign-in, and removes those that have expired at its creation. */
    readonly add: (signIn: StoredSignIn) => Effect.Effect<void, StoreUnavailable>
    /**
     * Stores a link, unless it is refused by the links of its workspace that are not used and not expired at its creation,
     * oldest first. Several links of a workspace are judged one after the other.
     */
    readonly addLink: <E>(
      link: StoredSignIn,
      judge: (unused: ReadonlyArray<StoredSignIn>) => Result.Result<void, E>
    ) => Effect.Effect<void, E | StoreUnavailable>
    readonly get: (hash: string) => Effect.Effect<Option.Option<StoredSignIn>, StoreUnavailable>
    /** The sessions of a workspace, newest first. Those that have expired may be among them. */
    readonly sessions: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<StoredSignIn>, StoreUnavailable>
    /** Removes a sign-in and returns it. Of several concurrent calls, one gets it. */
    readonly remove: (hash: string) => Effect.Effect<Option.Option<StoredSignIn>, StoreUnavailable>
  }
>()("sluice/core/workspace/signin/SignInStore") {}
