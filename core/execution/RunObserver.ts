/** The observer of an attempt. It reports the events of the run, and stores its screenshots, files and progress. */
import { Clock, Effect, Option } from "effect"
import type { Observer, Picture } from "../agent/Observer.ts"
import { boundedMetadata } from "../event/EventBounds.ts"
import type { Mark } from "../event/OutcomeCertainty.ts"
import type { ArtifactWriter } from "../run/artifact/RunArtifacts.ts"
import type { Reporter } from "../run/Executor.ts"
import type { LeaseLost, Progress } from "../run/Run.ts"
import type { ClaimedRun } from "../run/RunStore.ts"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import type { Node } from "../workflow/language/graph/Graph.ts"
import * as RemotePerson from "./RemotePerson.ts"
import * as RunFiles from "./RunFiles.ts"

/** Makes the function that observes an attempt. */
export const make = Effect.map(
  RemotePerson.make,
  (personOf) =>
    (claimed: ClaimedRun, reporter: Reporter, writer: ArtifactWriter): Observer<LeaseLost | StoreUnavailable> => {
      const { run } = claimed
      const ids = { runId: run.id, workflowId: run.workflowId }

      /** Stores a screenshot and returns its id. If it cannot be stored it is missing, and the run continues. */
      const upload = Effect.fnUntraced(function* ({ bytes, error, fullPage, mediaType, metadata, node }: Picture) {
        const kept = yield* Effect.option(writer.write("screenshot", { bytes, mediaType, fileName: null }))
        if (Option.isNone(kept)) return null
        yield* reporter.event({
          event: "screenshot.uploaded",
          ...ids,
          screenshotId: kept.value,
          node: { id: node.id, name: node.name },
          at: yield* Clock.currentTimeMillis,
          ofError: error,
          fullPage,
          retries: run.retries,
          metadata: boundedMetadata(metadata)
        })
        return kept.value
      })

      const marked = (kind: Mark["kind"], { id, name }: Node, progress: Partial<Progress>) =>
        Effect.flatMap(Clock.currentTimeMillis, (at) =>
          reporter.mark({ ...progress, mark: { kind, node: { id, name }, at } })
        )

      return {
        step: ({ name }, following, loops) =>
          reporter.event({
            event: "execution.step",
            ...ids,
            step: name,
            next: following?.name ?? null,
            ...(loops.length === 0 ? {} : { loops })
          }),
        skipped: ({ id, name }, loops) =>
          reporter.event({
            event: "execution.step_skipped",
            ...ids,
            step: name,
            nodeId: id,
            ...(loops.length === 0 ? {} : { loops })
          }),
        picture: (picture) => Effect.asVoid(upload(picture)),
        file: RunFiles.keeping(claimed, reporter, writer),
        before: (kind, node) => marked(kind, node, kind === "acting" ? { acted: true } : { committed: true }),
        committed: (node) => marked("committed", node, {}),
        person: personOf(claimed, reporter, upload),
        login: (alias, phase) => (phase === "over" ? reporter.loggedIn(alias) : Effect.void)
      }
    }
)
