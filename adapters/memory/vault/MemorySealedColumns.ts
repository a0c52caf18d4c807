/** The sealed values in memory, beside those of the vault itself. */
import { Effect, Layer } from "effect"
import * as AlertReceiver from "../../../core/event/alert/AlertReceiver.ts"
import * as KeptSubscription from "../../../core/event/notification/KeptSubscription.ts"
import * as FileDestination from "../../../core/run/delivery/FileDestination.ts"
import { SealedColumns, type Target } from "../../../core/vault/keys/ReencryptionTargets.ts"
import { Tables } from "../Tables.ts"

interface Cell {
  readonly workspaceId: string
  readonly id: string
  readonly sealed: string | null
  readonly set: (sealed: string) => void
}

export const layer = Layer.effect(
  SealedColumns,
  Effect.gen(function* () {
    const { idempotency, interactions, receivedCodes } = yield* Tables
    const subscriptions = yield* KeptSubscription.sealedPlace
    const destinations = yield* FileDestination.sealedPlace
    const receivers = yield* AlertReceiver.sealedPlace
    const place = (name: string, cells: () => ReadonlyArray<Cell>): Target => {
      const following = (workspaceId: string, after: string | null) =>
        cells()
          .flatMap(({ sealed, ...cell }) => (sealed === null ? [] : [{ ...cell, sealed }]))
          .filter((cell) => cell.workspaceId === workspaceId && (after === null || cell.id > after))
          .sort((a, b) => (a.id < b.id ? -1 : 1))
      return {
        name,
        page: (workspaceId, after, limit) =>
          Effect.sync(() => {
            const all = following(workspaceId, after)
            const holders = all.slice(0, limit).map(({ id, sealed }) => ({ id, sealed: [sealed] }))
            return { holders, next: all.length > limit ? (holders.at(-1)?.id ?? null) : null }
          }),
        left: (workspaceId, after) => Effect.sync(() => following(workspaceId, after).length),
        replace: (workspaceId, id, renewed) =>
          Effect.sync(() => {
            const cell = following(workspaceId, null).find((one) => one.id === id)
            const after = cell === undefined ? undefined : renewed.get(cell.sealed)
            if (after !== undefined) cell?.set(after)
          })
      }
    }

    return [
      subscriptions,
      destinations,
      receivers,
      place("received codes", () =>
        [...receivedCodes].map(([id, kept]) => ({
          workspaceId: kept.workspaceId,
          id,
          sealed: kept.code.sealed,
          set: (sealed) => receivedCodes.set(id, { ...kept, code: { ...kept.code, sealed } })
        }))
      ),
      place("answers of persons", () =>
        [...interactions].map(([id, kept]) => ({
          workspaceId: kept.workspaceId,
          id,
          sealed: kept.answer,
          set: (answer) => interactions.set(id, { ...kept, answer })
        }))
      ),
      place("answers of named requests", () =>
        [...idempotency].map(([id, kept]) => ({
          workspaceId: id.slice(0, id.indexOf(" ")),
          id,
          sealed: kept.answer?.body ?? null,
          set: (body) => {
            if (kept.answer !== null) idempotency.set(id, { ...kept, answer: { ...kept.answer, body } })
          }
        }))
      )
    ]
  })
)
