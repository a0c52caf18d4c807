/** Received codes in memory. */
import { Effect, Layer, Option } from "effect"
import { ReceivedCodes } from "../../core/tfa/ReceivedCodes.ts"
import { Tables } from "./Tables.ts"

export const layer = Layer.effect(
  ReceivedCodes,
  Effect.map(Tables, ({ receivedCodes }) =>
    ReceivedCodes.of({
      keep: (workspaceId, code) =>
        Effect.sync(
          () => void receivedCodes.set(code.id, { workspaceId, code: { ...code, address: code.address.toLowerCase() } })
        ),
      latest: (workspaceId, address, since) =>
        Effect.sync(() => {
          const fresh = [...receivedCodes.values()]
            .filter((kept) => kept.workspaceId === workspaceId && kept.code.address === address.toLowerCase())
            .map(({ code }) => code)
            .filter(({ receivedAt }) => receivedAt >= since)
          // Of those that arrived at one instant, the one that was kept last.
          return Option.fromUndefinedOr(fresh.reverse().sort((a, b) => b.receivedAt - a.receivedAt)[0])
        }),
      discard: (workspaceId, id) =>
        Effect.sync(() => receivedCodes.get(id)?.workspaceId === workspaceId && receivedCodes.delete(id)),
      discardBefore: (at) =>
        Effect.sync(() => {
          const old = [...receivedCodes.values()].filter(({ code }) => code.receivedAt < at)
          for (const { code } of old) receivedCodes.delete(code.id)
          return old.length
        })
    })
  )
)
