/** The audit trail in memory. */
import { Clock, Effect, Layer } from "effect"
import * as Audit from "../../../core/workspace/audit/Audit.ts"
import { atomic } from "../Atomic.ts"
import { Tables } from "../Tables.ts"

export const layer = Layer.effect(
  Audit.Audit,
  Effect.map(Tables, ({ audit }) => {
    const record = ({ keyId, userId, workspaceId }: Audit.Author, draft: Audit.Draft) =>
      Effect.map(
        Clock.currentTimeMillis,
        (at) =>
          void audit.push({
            position: audit.length + 1,
            workspaceId,
            at,
            action: draft.action,
            resourceId: draft.resourceId,
            userId: userId ?? null,
            keyId: keyId ?? null,
            ...Audit.detailsOf(draft)
          })
      )
    return Audit.Audit.of({
      record: (author, draft) => atomic(record(author, draft)),
      recording: (author, change, describe) =>
        atomic(
          Effect.tap(change, (result) =>
            Effect.forEach(describe(result), (draft) => record(author, draft), { discard: true })
          )
        ),
      list: (workspaceId, filter) =>
        Effect.sync(() =>
          audit
            .filter((entry) => entry.workspaceId === workspaceId && isListed(filter, entry))
            .toReversed()
            .slice(0, filter.limit)
        )
    })
  })
)

const isListed = (
  { actions, before = Infinity, from = -Infinity, keyId, resourceId, to = Infinity, userId }: Audit.Filter,
  entry: Audit.Entry
): boolean =>
  (actions === undefined || Audit.matches(actions, entry.action)) &&
  (resourceId === undefined || entry.resourceId === resourceId) &&
  (userId === undefined || entry.userId === userId) &&
  (keyId === undefined || entry.keyId === keyId) &&
  entry.position < before &&
  entry.at >= from &&
  entry.at < to
