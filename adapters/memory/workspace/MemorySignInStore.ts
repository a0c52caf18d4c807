/** Sign-ins to the console in memory. */
import { Effect, Layer, Option } from "effect"
import { SignInStore } from "../../../core/workspace/signin/SignInStore.ts"
import { atomicStore } from "../Atomic.ts"
import { Tables } from "../Tables.ts"

export const layer = Layer.effect(
  SignInStore,
  Effect.map(Tables, ({ signIns }) =>
    SignInStore.of({
      add: (signIn) =>
        Effect.sync(() => {
          for (const [hash, { expiresAt }] of signIns) if (expiresAt <= signIn.createdAt) signIns.delete(hash)
          signIns.set(signIn.hash, signIn)
        }),
      get: (hash) => Effect.sync(() => Option.fromUndefinedOr(signIns.get(hash))),
      sessions: (workspaceId) =>
        Effect.sync(() =>
          [...signIns.values()]
            .filter((one) => one.workspaceId === workspaceId && one.kind === "session")
            .toSorted((a, b) => b.createdAt - a.createdAt)
        ),
      remove: (hash) =>
        Effect.sync(() => {
          const found = Option.fromUndefinedOr(signIns.get(hash))
          signIns.delete(hash)
          return found
        })
    })
  ).pipe(Effect.map(atomicStore))
)
