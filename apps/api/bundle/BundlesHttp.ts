/** Answers the endpoints of bundles of evidence. */
import { Clock, Effect, Stream } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Links } from "../../../core/event/EventJson.ts"
import { ArtifactFiles } from "../../../core/run/artifact/ArtifactFiles.ts"
import { ArtifactStore } from "../../../core/run/artifact/ArtifactStore.ts"
import { FileDeliveries } from "../../../core/run/delivery/FileDeliveries.ts"
import { BundleSigner } from "../../../core/run/evidence/BundleSigner.ts"
import { Decisions } from "../../../core/run/evidence/Decisions.ts"
import { Runs } from "../../../core/run/Runs.ts"
import * as Start from "../../../core/run/start/Start.ts"
import * as StartLedger from "../../../core/run/start/StartLedger.ts"
import { Audit } from "../../../core/workspace/audit/Audit.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import * as Query from "../http/body/Query.ts"
import * as Errors from "../http/Errors.ts"
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
    const deliveries = yield* FileDeliveries
    const files = yield* ArtifactFiles
    const signer = yield* BundleSigner
    const streams = yield* Streams
    const ledger = yield* StartLedger.StartLedger
    const audit = yield* Audit
    return handlers
      .handleRaw(
        "runBundle",
        Effect.fn(function* ({ params }) {
          const caller = yield* CurrentCaller
          const id = yield* runId(params.session_id)
          const view = yield* runs.get(caller, id)
          const starts = yield* ledger.ofRun(caller.workspaceId, id)
          const evidence = yield* StartLedger.evidenceOf(caller.workspaceId, starts).pipe(
            Effect.provideService(StartLedger.StartLedger, ledger),
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
          const sent = yield* deliveries.ofRun(view.run.workspaceId, view.run.id)
          const { events, ...rest } = record(view, links, yield* artifacts.summary(id), starts.at(-1), sent)
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
          yield* audit.record(caller, {
            action: "evidence.download",
            resourceId: id,
            before: null,
            after: { as: "bundle" }
          })
          return yield* streams.answer(holderOf(caller), pieces, {
            contentType: "application/x-tar",
            headers: { "cache-control": "no-store", "content-disposition": `attachment; filename="run-${id}.tar"` }
          })
        })
      )
      .handleRaw(
        "exportStarts",
        Effect.fn(function* ({ query }) {
          const caller = yield* CurrentCaller
          const asked = yield* readQuery(query, yield* Clock.currentTimeMillis)
          if (asked._tag === "Run") yield* runs.get(caller, yield* runId(asked.id))
          const { workspaceId } = caller
          const pages =
            asked._tag === "Run"
              ? Stream.make(yield* ledger.ofRun(workspaceId, asked.id))
              : StartLedger.all(workspaceId, asked)
          const kept = Stream.mapEffect(pages, (starts) =>
            Effect.map(StartLedger.evidenceOf(workspaceId, starts), (evidence) =>
              starts.map(
                (start) => ({ start, evidence: Start.relevant(start, evidence(start)) }) satisfies Bundle.KeptStart
              )
            )
          )
          const last = asked._tag === "Run" ? Effect.succeed([]) : StartLedger.firstMissing(workspaceId, asked)
          const lines = kept.pipe(
            Stream.flattenIterable,
            Stream.map((one): object => one),
            Stream.concat(Stream.fromEffect(Effect.map(last, (missing) => ({ missing })))),
            Stream.map((one) => `${JSON.stringify(one)}\n`),
            Stream.provideService(StartLedger.StartLedger, ledger),
            Stream.provideService(Audit, audit)
          )
          return yield* streams.answer(holderOf(caller), Stream.encodeText(lines), {
            contentType: "application/x-ndjson",
            headers: { "cache-control": "no-store", "content-disposition": 'attachment; filename="starts.jsonl"' }
          })
        })
      )
      .handle("bundleKey", () => Effect.succeed({ algorithm: "Ed25519" as const, public_key: signer.publicKey }))
  })
)

interface StartsQuery {
  readonly session_id?: string
  readonly start_time?: string
  readonly end_time?: string
}

type Asked =
  | { readonly _tag: "Run"; readonly id: string }
  | { readonly _tag: "Range"; readonly from: number; readonly to: number }

const aDay = 86_400_000

/** A run, or else a time range: the last day unless it is given. All that is wrong is reported at its parameter. */
const readQuery = (query: StartsQuery, now: number): Effect.Effect<Asked, Errors.BadRequest> => {
  const { instant, problems, wrong } = Query.reader<keyof StartsQuery>(query)
  const [start, end] = [instant("start_time"), instant("end_time")]
  const to = end ?? now
  const from = start ?? to - aDay
  if (to < from) {
    wrong(
      query.end_time === undefined ? "start_time" : "end_time",
      query.end_time === undefined ? "an instant that has passed" : "an instant that is not before start_time"
    )
  }
  const { end_time, session_id, start_time } = query
  if (session_id !== undefined && (start_time ?? end_time) !== undefined) {
    wrong("session_id", "nothing beside a time range, or a run without one")
  }
  if (problems.length > 0) return Effect.fail(Errors.invalid(problems))
  return Effect.succeed(
    session_id === undefined ? { _tag: "Range", from, to } : { _tag: "Run", id: session_id.toLowerCase() }
  )
}
