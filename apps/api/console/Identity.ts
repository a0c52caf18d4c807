/** Who sends a request: the holder of the API key that it presents, or of a session at the console. */
import { Effect, Option, Redacted } from "effect"
import { Keys } from "../../../core/workspace/Keys.ts"
import { SignIns } from "../../../core/workspace/signin/SignIns.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import { keyOf } from "../http/Authorization.ts"
import { PublicUrl } from "../http/Origin.ts"
import * as Cookie from "./Cookie.ts"

interface Sent {
  readonly method: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** Makes the function that finds the sender of a request, with a name that its requests are counted under. */
export const make = Effect.gen(function* () {
  const keys = yield* Keys
  const workspaces = yield* WorkspaceStore
  const signIns = yield* SignIns
  const publicUrl = yield* PublicUrl

  return Effect.fnUntraced(function* (request: Sent) {
    const key = keyOf(request.headers)
    if (key !== "") {
      const name = yield* keys.hash(Redacted.make(key))
      return Option.map(yield* workspaces.authenticate(name), (caller) => ({ caller, name }))
    }
    const secret = Cookie.secretOf(request, publicUrl)
    if (secret === null) return Option.none()
    return Option.map(yield* signIns.of(secret), ({ caller }) => ({ caller, name: `session of ${caller.keyId}` }))
  })
})
