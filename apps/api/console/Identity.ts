/** Who sends a request: the holder of the API key that it presents, or of a session at the console. */
import { Effect, Option, Redacted } from "effect"
import { Keys } from "../../../core/workspace/Keys.ts"
import { SignIns } from "../../../core/workspace/signin/SignIns.ts"
import type { Caller } from "../../../core/workspace/Workspace.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import { keyOf } from "../http/Authorization.ts"
import { PublicUrl } from "../http/Origin.ts"
import * as Cookie from "./Cookie.ts"

interface Sent {
  readonly method: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** The sender of a request, with a name that its requests are counted under. */
export interface Identified {
  readonly caller: Caller
  readonly name: string
  /** When its session was opened, in epoch milliseconds; `null` for an API key. */
  readonly openedAt: number | null
}

/** Makes the function that finds the sender of a request. */
export const make = Effect.gen(function* () {
  const keys = yield* Keys
  const workspaces = yield* WorkspaceStore
  const signIns = yield* SignIns
  const publicUrl = yield* PublicUrl

  return Effect.fnUntraced(function* (request: Sent) {
    const key = keyOf(request.headers)
    if (key !== "") {
      const name = yield* keys.hash(Redacted.make(key))
      return Option.map(
        yield* workspaces.authenticate(name),
        (caller): Identified => ({ caller, name, openedAt: null })
      )
    }
    const secret = Cookie.secretOf(request, publicUrl)
    if (secret === null) return Option.none<Identified>()
    return Option.map(
      yield* signIns.of(secret),
      ({ caller, openedAt }): Identified => ({
        caller,
        name: `session of ${caller.keyId}`,
        openedAt
      })
    )
  })
})
