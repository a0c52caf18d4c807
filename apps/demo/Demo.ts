/**
 * Shows what the service does, over its HTTP interface: a workflow runs in the browser, is held while its run window is
 * closed, and is released when the window lets it start.
 */
import { Clock, Effect, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import * as Site from "./Site.ts"
import { demoWorkflow } from "./Workflow.ts"

/** Is told what happens, as it happens. */
export interface Report {
  readonly title: (text: string) => Effect.Effect<void>
  readonly event: (event: RunEvent) => Effect.Effect<void>
  readonly result: (data: Schema.Json, millis: number) => Effect.Effect<void>
}

const RunEvent = Schema.Struct({ event: Schema.String, at: Schema.String, payload: Schema.JsonObject })
export type RunEvent = typeof RunEvent.Type

const Started = Schema.Struct({ session_id: Schema.String })
const Created = Schema.Struct({ id: Schema.String })
const Record = Schema.Struct({
  status: Schema.String,
  data: Schema.Json,
  errors: Schema.Array(Schema.Struct({ message: Schema.String })),
  events: Schema.Array(RunEvent)
})

/** Raised when the demo does not go as it should. */
export class DemoFailed extends Schema.TaggedError<DemoFailed>()("DemoFailed", { reason: Schema.String }) {
  override get message() {
    return `The demo failed: ${this.reason}`
  }
}

/** Runs the demo against the service at `api`, with the demo site at `site`. Answers the id of the demo workflow. */
export const run = Effect.fn("Demo.run")(
  function* (
    options: { readonly api: string; readonly key: Redacted.Redacted<string>; readonly site: string },
    report: Report
  ) {
    const client = (yield* HttpClient.HttpClient).pipe(
      HttpClient.mapRequest((request) =>
        request.pipe(
          HttpClientRequest.prependUrl(options.api),
          HttpClientRequest.setHeader("cc-key", Redacted.value(options.key))
        )
      ),
      HttpClient.filterStatusOk
    )
    const send = <S extends Schema.Codec<unknown, unknown>>(
      method: "POST" | "PUT",
      path: string,
      body: unknown,
      answer: S
    ) =>
      HttpClientRequest.make(method)(path).pipe(
        HttpClientRequest.bodyJson(body),
        Effect.flatMap(client.execute),
        Effect.flatMap((response) => response.json),
        Effect.flatMap(Schema.decodeUnknownEffect(answer))
      )
    const record = (id: string) =>
      client.get(`/run/${id}`).pipe(
        Effect.flatMap((response) => response.json),
        Effect.flatMap(Schema.decodeUnknownEffect(Record))
      )

    /** Reports the events of a run as they come, until one of them is `last`, or the run has ended. */
    const follow = Effect.fnUntraced(function* (id: string, from: number, last: string | null) {
      let told = from
      while (true) {
        const now = yield* record(id)
        const fresh = now.events.slice(told)
        told = now.events.length
        yield* Effect.forEach(fresh, report.event, { discard: true })
        if (now.status === "execution.failed" || now.status === "execution.stopped") {
          return yield* new DemoFailed({ reason: now.errors.map(({ message }) => message).join("; ") })
        }
        if (now.status === "execution.success" || fresh.some(({ event }) => event === last)) return { ...now, told }
        yield* Effect.sleep("100 millis")
      }
    })

    const start = (workflowId: string, status: string) =>
      send(
        "POST",
        "/run",
        {
          workflow_id: workflowId,
          run_input_variables: { site: options.site, ...Site.credentials, status }
        },
        Started
      )

    const finish = Effect.fnUntraced(function* (id: string, from: number, began: number) {
      const done = yield* follow(id, from, null)
      yield* report.result(done.data, (yield* Clock.currentTimeMillis) - began)
    })

    const workflow = yield* send("POST", "/workflows", demoWorkflow, Created)
    yield* report.title("A workflow without a run window starts at once")
    const first = yield* start(workflow.id, "open")
    yield* finish(first.session_id, 0, yield* Clock.currentTimeMillis)

    yield* report.title("Its window is closed now: the next run is accepted, and held")
    const now = yield* Clock.currentTimeMillis
    yield* send("PUT", `/workflows/${workflow.id}/run-window`, closedForNow(now), Schema.Json)
    const second = yield* start(workflow.id, "shipped")
    const { told } = yield* follow(second.session_id, 0, "execution.paused")

    yield* report.title("The window is opened: the held run starts")
    const released = yield* Clock.currentTimeMillis
    yield* send("PUT", `/workflows/${workflow.id}/run-window`, alwaysOpen, Schema.Json)
    yield* finish(second.session_id, told, released)
    return workflow.id
  },
  Effect.mapError((error) => (error._tag === "DemoFailed" ? error : new DemoFailed({ reason: String(error) })))
)

const days = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]

const alwaysOpen = {
  time_zone: "UTC",
  regular_hours: days.map((day, index) => ({
    active_start_day: day,
    active_start_time: { hours: 0 },
    active_end_day: days[(index + 1) % 7],
    active_end_time: { hours: 0 }
  }))
}

/** A window of the hours after the present one and the next, every day: closed now, open in more than an hour. */
const closedForNow = (now: number) => {
  const hour = new Date(now).getUTCHours()
  const opens = (hour + 2) % 23
  return {
    time_zone: "UTC",
    regular_hours: days.map((day) => ({
      active_start_day: day,
      active_start_time: { hours: opens },
      active_end_day: day,
      active_end_time: { hours: opens, minutes: 30 }
    }))
  }
}
