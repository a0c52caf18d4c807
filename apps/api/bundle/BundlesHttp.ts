/** Answers the endpoints of bundles of evidence. */
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Links } from "../../../core/event/EventJson.ts"
import { ArtifactFiles } from "../../../core/run/artifact/ArtifactFiles.ts"
import { ArtifactStore } from "../../../core/run/artifact/ArtifactStore.ts"
import { BundleSigner } from "../../../core/run/evidence/BundleSigner.ts"
import { Decisions } from "../../../core/run/evidence/Decisions.ts"
import { Runs } from "../../../core/run/Runs.ts"
import { evidenceOf, StartLedger } from "../../../core/run/start/StartLedger.ts"
import { Audit } from "../../../core/workspace/audit/Audit.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { record } from "../run/RunRecord.ts"
import { runId } from "../run/RunsHttp.ts"
import { holderOf, Streams } from "../stream/Streams.ts"
import * as Bundle from "./Bundle.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "bundles",
  Effect.fn(function* (handlers) {
    const runs = yield* Runs
    const decisions = yield* Decisions
    const artifacts = yield* ArtifactStore
    const files = yield* ArtifactFiles
    const signer = yield* BundleSigner
    const streams = yield* Streams
    const ledger = yield* StartLedger
    const audit = yield* Audit
    return handlers
      .handleRaw(
        "runBundle",
        Effect.fn(function* ({ params }) {
          const caller = yield* CurrentCaller
          const id = yield* runId(params.session_id)
          const view = yield* runs.get(caller, id)
          const starts = yield* ledger.ofRun(caller.workspaceId, id)
          const evidence = yield* evidenceOf(caller.workspaceId, starts).pipe(
            Effect.provideService(StartLedger, ledger),
            Effect.provideService(Audit, audit)
          )
          const fileIds = new Set<string>()
          // Addresses in the record are the names of files in the archive.
          const links: Links = {
            artifact: (file) => {
              fileIds.add(file)
              return { url: Bundle.nameOf(file), expires: "" }
            },
            liveView: () => ""
          }
          const { events, ...rest } = record(view, links, yield* artifacts.summary(id), starts.at(-1))
          const pieces = Bundle.pieces({
            workspaceId: caller.workspaceId,
            runId: id,
            at: yield* Clock.currentTimeMillis,
            run: rest,
            events,
            decisions: (yield* decisions.of(caller, id)).decisions,
            starts: starts.map((start) => ({ start, evidence: evidence(start) })),
            files: [...fileIds],
            source: files,
            signer
          })
          return yield* streams.answer(holderOf(caller), pieces, {
            contentType: "application/x-tar",
            headers: { "cache-control": "no-store", "content-disposition": `attachment; filename="run-${id}.tar"` }
          })
        })
      )
      .handle("bundleKey", () => Effect.succeed({ algorithm: "Ed25519" as const, public_key: signer.publicKey }))
  })
)
