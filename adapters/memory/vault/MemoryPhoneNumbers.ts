/** The phone numbers of workspaces in memory. */
import { Effect, Layer, Option } from "effect"
import { PhoneNumberStore, PhoneNumberTaken } from "../../../core/vault/otp/PhoneNumbers.ts"
import { WorkspaceId } from "../../../core/workspace/Ids.ts"
import type { Workspace } from "../../../core/workspace/Workspace.ts"
import { atomicStore } from "../Atomic.ts"
import { Tables } from "../Tables.ts"

export const layer = Layer.effect(
  PhoneNumberStore,
  Effect.map(Tables, ({ phoneNumbers, workspaces }) => {
    const ownerOf = (number: string) => [...phoneNumbers].find(([, other]) => other === number)?.[0]

    return PhoneNumberStore.of({
      of: (workspaceId) => Effect.sync(() => Option.fromUndefinedOr(phoneNumbers.get(workspaceId))),
      ownerOf: (number) =>
        Effect.sync(() => Option.map(Option.fromUndefinedOr(ownerOf(number)), (id) => WorkspaceId.make(id))),
      set: (workspaceId, number) =>
        Effect.suspend(() => {
          if (number === null) return Effect.sync(() => void phoneNumbers.delete(workspaceId))
          const owner = ownerOf(number)
          if (owner !== undefined && owner !== workspaceId) return Effect.fail(new PhoneNumberTaken({ number }))
          return Effect.sync(() => void phoneNumbers.set(workspaceId, number))
        }),
      firstWorkspace: Effect.sync(() => {
        const rank = ({ founding }: Workspace) => (founding === true ? 0 : 1)
        const [first] = [...workspaces.values()].sort(
          (one, other) => rank(one) - rank(other) || one.createdAt - other.createdAt
        )
        return Option.map(Option.fromUndefinedOr(first), ({ id }) => id)
      })
    })
  }).pipe(Effect.map(atomicStore))
)
