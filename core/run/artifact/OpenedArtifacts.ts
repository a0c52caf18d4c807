/**
 * The files of runs that were opened by their signed addresses, in the audit trail of their workspace. Who opened one is not
 * known, as an address needs no key. Repeated requests, such as those for the parts of a video, are counted, as
 * `CountedEntries` says.
 */
import { Context, Effect, Layer, Option } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Audit } from "../../workspace/audit/Audit.ts"
import * as CountedEntries from "../../workspace/audit/CountedEntries.ts"
import { WorkspaceId } from "../../workspace/Ids.ts"
import { ArtifactStore } from "./ArtifactStore.ts"

export class OpenedArtifacts extends Context.Service<
  OpenedArtifacts,
  {
    /** Records or counts a request for the bytes of an artifact. One that belongs to no run leaves no entry. */
    readonly note: (id: string) => Effect.Effect<void, StoreUnavailable>
  }
>()("sluice/core/run/artifact/OpenedArtifacts") {
  static readonly layer = Layer.effect(
    OpenedArtifacts,
    Effect.gen(function* () {
      const audit = yield* Audit
      const artifacts = yield* ArtifactStore
      const count = yield* CountedEntries.make((name, requests) => {
        const [workspaceId = "", resourceId = "", as = "", id] = name.split(" ")
        return audit.record(
          { workspaceId: WorkspaceId.make(workspaceId) },
          {
            action: "evidence.open",
            resourceId,
            before: null,
            after: { as, requests, ...(id === undefined ? {} : { artifact_id: id }) }
          }
        )
      }, "opened artifacts")
      return OpenedArtifacts.of({
        note: Effect.fn("OpenedArtifacts.note")(function* (id) {
          const owner = yield* artifacts.ownerOf(id)
          if (Option.isNone(owner)) return
          const { kind, runId, workspaceId } = owner.value
          // Beyond the most names, the artifacts of a kind of a run are counted together.
          const others = `${workspaceId} ${runId} ${kind}`
          yield* count(`${others} ${id}`, others)
        })
      })
    })
  )
}
