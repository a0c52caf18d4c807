/** Received codes in memory. */
import { Effect, Layer, Option } from "effect"
import { choose, type ReceivedCode, ReceivedCodes } from "../../../core/vault/inbox/ReceivedCodes.ts"
import type { WorkspaceId } from "../../../core/workspace/Ids.ts"
import { atomicStore } from "../Atomic.ts"
import { Tables } from "../Tables.ts"

export const layer = Layer.effect(
  ReceivedCodes,
  Effect.map(Tables, ({ receivedCodes, receivedMessages }) => {
    /** All of a kind at an address, the newest first; of those that arrived at one instant, the one that was kept last. */
    const arrived = (workspaceId: WorkspaceId, address: string, kind: ReceivedCode["kind"]) =>
      [...receivedCodes.values()]
        .filter((kept) => kept.workspaceId === workspaceId && kept.code.address === address.toLowerCase())
        .map(({ code }) => code)
        .filter((code) => code.kind === kind)
        .reverse()
        .sort((a, b) => b.receivedAt - a.receivedAt)

    const keep = (workspaceId: WorkspaceId, code: ReceivedCode) =>
      void receivedCodes.set(code.id, { workspaceId, code: { ...code, address: code.address.toLowerCase() } })

    return ReceivedCodes.of({
      keep: (workspaceId, code) => Effect.sync(() => keep(workspaceId, code)),
      keepOnce: ({ id, until }, codes) =>
        Effect.sync(() => {
          if (receivedMessages.has(id)) return false
          receivedMessages.set(id, until)
          for (const { code, workspaceId } of codes) keep(workspaceId, code)
          return true
        }),
      forgetMessages: ({ most, now }) =>
        Effect.sync(() => {
          const forgotten = [...receivedMessages]
            .toSorted(([, one], [, other]) => other - one)
            .filter(([, until], index) => until < now || index >= most)
          for (const [id] of forgotten) receivedMessages.delete(id)
          return forgotten.length
        }),
      latest: (workspaceId, address, wanted) =>
        Effect.sync(() =>
          Option.map(
            Option.fromNullishOr(choose(arrived(workspaceId, address, wanted.kind), wanted)),
            ({ taken }) => taken
          )
        ),
      take: (workspaceId, address, wanted) =>
        Effect.sync(() => {
          const chosen = choose(arrived(workspaceId, address, wanted.kind), wanted)
          for (const { id } of chosen?.replaced ?? []) receivedCodes.delete(id)
          return Option.fromNullishOr(chosen?.taken)
        }),
      discardBefore: (at) =>
        Effect.sync(() => {
          const old = [...receivedCodes.values()].filter(({ code }) => code.receivedAt < at)
          for (const { code } of old) receivedCodes.delete(code.id)
          return old.length
        })
    })
  }).pipe(Effect.map(atomicStore))
)
