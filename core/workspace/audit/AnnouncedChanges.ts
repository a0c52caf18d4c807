/** Announces each change that is recorded, so that those who show its resource can read it again. */
import { Effect, Layer } from "effect"
import { Signals } from "../../runtime/Signals.ts"
import { Audit, type Author, type Draft } from "./Audit.ts"
import { kindOf } from "./AuditAction.ts"

/** The audit trail. After an entry is stored, a signal names its workspace and the kind of the changed resource. */
export const layer = Layer.effect(
  Audit,
  Effect.gen(function* () {
    const audit = yield* Audit
    const signals = yield* Signals
    const announce = ({ workspaceId }: Author, drafts: ReadonlyArray<Draft>) =>
      Effect.forEach(
        new Set(drafts.map(({ action }) => kindOf(action))),
        (kind) => signals.publish({ _tag: "changed", workspaceId, kind }),
        { discard: true }
      )
    return Audit.of({
      record: (author, draft) => Effect.tap(audit.record(author, draft), () => announce(author, [draft])),
      recording: (author, change, describe) =>
        Effect.suspend(() => {
          // The transaction may be tried several times: its last descriptions are those of the stored entries.
          let recorded: ReadonlyArray<Draft> = []
          return Effect.tap(
            audit.recording(author, change, (result) => {
              recorded = describe(result)
              return recorded
            }),
            () => announce(author, recorded)
          )
        }),
      list: audit.list
    })
  })
)
