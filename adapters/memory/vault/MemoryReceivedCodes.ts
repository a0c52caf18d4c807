/** Received codes in memory. */
import { Effect, Layer, Option } from "effect"
import { isUnproven, type ReceivedCode, ReceivedCodes } from "../../../core/vault/inbox/ReceivedCodes.ts"
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

    const newest = (all: ReadonlyArray<ReceivedCode>, since: number) => {
      const fresh = all.filter(({ receivedAt }) => receivedAt >= since)
      return Option.fromUndefinedOr(fresh.find((code) => !isUnproven(code)) ?? fresh[0])
    }

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
      latest: (workspaceId, address, { kind, since }) =>
        Effect.sync(() => newest(arrived(workspaceId, address, kind), since)),
      take: (workspaceId, address, { kind, since }) =>
        Effect.sync(() => {
          const all = arrived(workspaceId, address, kind)
          const taken = newest(all, since)
          if (Option.isSome(taken)) {
            const isReplaced = (code: ReceivedCode) =>
              all.indexOf(code) >= all.indexOf(taken.value) || (isUnproven(code) && !isUnproven(taken.value))
            for (const code of all.filter(isReplaced)) receivedCodes.delete(code.id)
          }
          return taken
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
