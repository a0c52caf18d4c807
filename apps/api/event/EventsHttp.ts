/** Answers the endpoints that stream events. */
import { Clock, Effect, Schema, Stream } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { isOfRun } from "../../../core/event/RunEvent.ts"
import { type Batch, EventStreams } from "../../../core/event/stream/EventStreams.ts"
import { ArtifactLinks } from "../../../core/run/artifact/ArtifactLinks.ts"
import * as Run from "../../../core/run/Run.ts"
import { Runs } from "../../../core/run/Runs.ts"
import { waitUntilBack } from "../../../core/runtime/StoreUnavailable.ts"
import type { Caller } from "../../../core/workspace/Workspace.ts"
import { Api } from "../Api.ts"
import * as Admitted from "../http/Admitted.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import * as Errors from "../http/Errors.ts"
import { origin } from "../http/Origin.ts"
import { runId } from "../run/RunsHttp.ts"
import { holderOf, Streams } from "../stream/Streams.ts"
import * as Frame from "./Frame.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fn(function* (handlers) {
    const events = yield* EventStreams
    const runs = yield* Runs
    const links = yield* ArtifactLinks
    const admitted = yield* Admitted.make
    const streams = yield* Streams

    const answer = (caller: Caller, batches: Stream.Stream<Batch>) =>
      Effect.gen(function* () {
        const address = yield* origin
        const whileAdmitted = yield* admitted
        const written = Effect.fnUntraced(function* (batch: Batch) {
          if (batch.length === 0) return Stream.succeed(Frame.ping(yield* Clock.currentTimeMillis))
          // A stream that broke here would be read as the end of its runs.
          const all = yield* waitUntilBack(links.under(address, caller.workspaceId))
          return Stream.fromIterable(Frame.frames(batch.filter(isOfRun), all), { chunkSize: 1 })
        })
        const pieces = Stream.flatMap(whileAdmitted(batches), (batch) => Stream.unwrap(written(batch)))
        return yield* streams.answer(holderOf(caller), pieces, { contentType: "text/event-stream", headers: streamed })
      })

    return handlers
      .handleRaw(
        "clientEvents",
        Effect.fn(function* ({ params }) {
          const caller = yield* CurrentCaller
          const isId: boolean = isUuid(params.client_id)
          if (!isId) {
            return yield* Effect.fail(
              Errors.badRequest(`client_id: Expected a UUID, got "${params.client_id.slice(0, 80)}"`)
            )
          }
          return yield* answer(caller, events.ofClient(caller.workspaceId, params.client_id.toLowerCase()))
        })
      )
      .handleRaw(
        "runEvents",
        Effect.fn(function* ({ headers, params }) {
          const caller = yield* CurrentCaller
          const id = yield* runId(params.session_id)
          const { run } = yield* runs.get(caller, id)
          const after = headers["last-event-id"] ?? "0"
          if (!/^\d{1,15}$/.test(after)) {
            return yield* Effect.fail(
              Errors.badRequest(`Last-Event-ID: Expected the id of an event of this run, got "${after.slice(0, 80)}"`)
            )
          }
          const history = (from: number) =>
            runs.events(caller, id, from).pipe(Effect.catchTag("RunNotFound", Effect.die))
          const isOver = Run.isEnded(run) && (yield* history(Number(after))).length === 0
          if (isOver) return yield* answer(caller, Stream.succeed([]))
          yield* runs.watch(caller, id)
          return yield* answer(caller, events.ofRun(caller.workspaceId, id, Number(after), history))
        })
      )
  })
)

const isUuid = Schema.is(Schema.String.check(Schema.isUUID()))

/** No proxy may hold a stream back, compress it or store it. */
const streamed = { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" }
