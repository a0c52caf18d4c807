/** Answers the endpoints that stream events. */
import { Clock, Effect, Stream } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { EventLog } from "../../../core/event/EventLog.ts"
import { isOfRun, type LoggedEvent } from "../../../core/event/RunEvent.ts"
import { type Batch, EventStreams } from "../../../core/event/stream/EventStreams.ts"
import * as WorkspaceStream from "../../../core/event/stream/WorkspaceStream.ts"
import { ArtifactLinks } from "../../../core/run/artifact/ArtifactLinks.ts"
import * as Run from "../../../core/run/Run.ts"
import { Runs } from "../../../core/run/Runs.ts"
import type { Signals } from "../../../core/runtime/Signals.ts"
import { waitUntilBack } from "../../../core/runtime/StoreUnavailable.ts"
import { isUuid } from "../../../core/workspace/Ids.ts"
import type { Caller } from "../../../core/workspace/Workspace.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { problemAt } from "../http/body/Query.ts"
import * as Errors from "../http/Errors.ts"
import { origin } from "../http/Origin.ts"
import * as StreamRevocation from "../http/StreamRevocation.ts"
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
    const admitted = yield* StreamRevocation.make
    const streams = yield* Streams
    const context = yield* Effect.context<EventLog | Signals>()

    const answer = (caller: Caller, batches: Stream.Stream<Batch>) =>
      answerParts(
        caller,
        Stream.map(batches, (events) => ({ events: events.filter(isOfRun), changed: [], id: null })),
        ({ sequence }) => String(sequence)
      )

    const answerParts = <E extends LoggedEvent>(
      caller: Caller,
      parts: Stream.Stream<Written<E>>,
      idOf: (event: E) => string
    ) =>
      Effect.gen(function* () {
        const address = yield* origin
        const whileAdmitted = yield* admitted
        const written = Effect.fnUntraced(function* ({ changed, events: batch, id }: Written<E>) {
          const change = id === null || changed.length === 0 ? Stream.empty : Stream.succeed(Frame.changed(changed, id))
          if (batch.length === 0 && changed.length > 0) return change
          if (batch.length === 0) return Stream.succeed(Frame.ping(yield* Clock.currentTimeMillis, id))
          // Clients would take a broken stream for the end of its runs.
          const all = yield* waitUntilBack(links.under(address, caller.workspaceId))
          return Stream.concat(Stream.fromIterable(Frame.frames(batch, all, idOf), { chunkSize: 1 }), change)
        })
        const pieces = Stream.flatMap(whileAdmitted(parts), (part) => Stream.unwrap(written(part)))
        return yield* streams.answer(holderOf(caller), pieces, { contentType: "text/event-stream", headers: streamed })
      })

    const ofWorkspace = Effect.fnUntraced(function* (
      query: { readonly workflow_id?: string; readonly event?: string; readonly changes?: string },
      after: string | null
    ) {
      const listOf = (text: string | undefined) => text?.split(",").map((one) => one.trim())
      const [workflowIds, kinds] = [listOf(query.workflow_id), listOf(query.event)]
      const problems = [
        ...(workflowIds ?? []).flatMap((id) => (isUuid(id) ? [] : [problemAt("workflow_id", "UUIDs", id)])),
        ...(kinds ?? []).flatMap((kind) => (isKind(kind) ? [] : [problemAt("event", "names of events", kind)])),
        ...(after === null || /^\d{1,18}(\.\d{1,18})?$/.test(after)
          ? []
          : [problemAt("Last-Event-ID", "the id of an event of this stream", after)])
      ]
      if (problems.length > 0) return yield* Effect.fail(Errors.invalid(problems))
      const ids = workflowIds?.map((id) => id.toLowerCase())
      return (workspaceId: Caller["workspaceId"]) =>
        WorkspaceStream.make(workspaceId, {
          after,
          changes: query.changes === "true",
          takes: ({ event, workflowId }) =>
            (ids?.includes(workflowId) ?? true) && (kinds?.includes(event.event) ?? true)
        }).pipe(Stream.provideContext(context))
    })

    return handlers
      .handleRaw(
        "workspaceEvents",
        Effect.fn(function* ({ headers, query }) {
          const caller = yield* CurrentCaller
          const stream = yield* ofWorkspace(query, headers["last-event-id"] ?? null)
          const parts = Stream.map(stream(caller.workspaceId), ({ changed, events, position }) => ({
            changed,
            events,
            id: position
          }))
          return yield* answerParts(caller, parts, ({ position }) => position)
        })
      )
      .handleRaw(
        "clientEvents",
        Effect.fn(function* ({ params }) {
          const caller = yield* CurrentCaller
          const isId: boolean = isUuid(params.client_id)
          if (!isId) {
            return yield* Effect.fail(
              Errors.invalidAt("client_id", `Expected a UUID, got "${params.client_id.slice(0, 80)}"`)
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
              Errors.invalidAt("Last-Event-ID", `Expected the id of an event of this run, got "${after.slice(0, 80)}"`)
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

/** What a stream writes at once. `id` is the id of its ping or of its change, if it has one. */
interface Written<E extends LoggedEvent> {
  readonly events: ReadonlyArray<E>
  readonly changed: ReadonlyArray<string>
  readonly id: string | null
}

const isKind = (text: string): boolean => /^[a-z]+(\.[a-z_]+)+$/.test(text)

/** No proxy may hold a stream back, compress it or store it. */
const streamed = { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" }
