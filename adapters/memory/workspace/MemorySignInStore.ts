/** Sign-ins to the console in memory. */
import { Effect, Layer, Option } from "effect"
import { SignInStore, type StoredSignIn } from "../../../core/workspace/signin/SignInStore.ts"
import { atomicStore } from "../Atomic.ts"
import { Tables } from "../Tables.ts"

export const layer = Layer.effect(
  SignInStore,
  Effect.map(Tables, ({ signIns }) => {
    const add = (signIn: StoredSignIn) => {
      for (const [hash, { expiresAt }] of signIns) if (expiresAt <= signIn.createdAt) signIns.delete(hash)
      signIns.set(signIn.hash, signIn)
    }
    return SignInStore.of({
      add: (signIn) => Effect.sync(() => add(signIn)),
      addLink: (link, judge) =>
        Effect.suspend(() => {
          const unused = [...signIns.values()].filter(
            (one) => one.workspaceId === link.workspaceId && one.kind === "link" && one.expiresAt > link.createdAt
          )
          const judged = judge(unused.toSorted((a, b) => a.createdAt - b.createdAt))
          return Effect.map(Effect.fromResult(judged), () => add(link))
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
  }).pipe(Effect.map(atomicStore))
)
