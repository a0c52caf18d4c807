/**
 * Shows what the service does, over its HTTP interface: a workflow signs in with a second factor and runs in the browser, is
 * held while its run window is closed, and is released when the window lets it start. A last run stays held, for the console.
 */
import { Clock, Effect, Redacted, Schema, Stream } from "effect"
import * as VaultValues from "../../adapters/crypto/VaultValues.ts"
import * as Client from "../api/Client.ts"
import { type DemoUser, demoUsers } from "./DemoUsers.ts"
import { demoWorkflow } from "./Workflow.ts"

/** Receives the progress of the demo. */
export interface Report {
  readonly title: (text: string) => Effect.Effect<void>
  readonly event: (event: RunEvent) => Effect.Effect<void>
  readonly result: (data: Schema.Json, millis: number) => Effect.Effect<void>
}

/** An event and when it arrived, in ISO 8601. */
export interface RunEvent {
  readonly event: string
  readonly at: string
  readonly payload: Schema.JsonObject
}

/** The error for an unexpected result of the demo. */
export class DemoFailed extends Schema.TaggedError<DemoFailed>()("DemoFailed", { reason: Schema.String }) {
  override get message() {
    return `The demo failed: ${this.reason}`
  }
}

export interface Options {
  /** The address of the service, and the keys of the demo's workspace. */
  readonly api: string
  readonly key: Redacted.Redacted<string>
  readonly encryptionKey: Redacted.Redacted<string>
  /** The origin of the demo site. */
  readonly site: string
}

/**
 * Stores a credential for each user that the demo workflow can sign in: one whose codes are generated, one whose codes
 * arrive by mail, and one whose codes only a person knows.
 */
export const keepCredentials = Effect.fn("Demo.keepCredentials")(function* (options: Options) {
  const client = yield* Client.make({ baseUrl: options.api, key: options.key })
  const seal = (value: string) => VaultValues.seal(options.encryptionKey, Redacted.make(value))
  const keep = Effect.fnUntraced(function* (name: string, demoUser: DemoUser) {
    const { second } = demoUser
    const method =
      second?._tag === "app"
        ? { tfa_method: "AUTHENTICATOR" as const, tfa_secret: yield* seal(second.secret) }
        : second?._tag === "sent" && second.by === "mail"
          ? { tfa_method: "EMAIL" as const }
          : {}
    yield* client.vault.createEntry({
      payload: {
        permissioned_user_id: name,
        domain: options.site,
        user_name: yield* seal(demoUser.user),
        password: yield* seal(demoUser.password),
        persist_cookies: true,
        ...method
      }
    })
  })
  const { buyer, controller, owner } = demoUsers
  yield* Effect.forEach(Object.entries({ controller, buyer, owner }), ([name, one]) => keep(name, one))
}, Effect.mapError(toFailure))

/** Runs the demo, whose credentials must be stored. Answers the id of the demo workflow. */
export const run = Effect.fn("Demo.run")(function* (options: Options, report: Report) {
  const client = yield* Client.make({ baseUrl: options.api, key: options.key })

  /**
   * Reports the events of a run as they arrive, up to `last` or the end of the run. Answers the id of the last event.
   */
  const follow = Effect.fnUntraced(function* (id: string, after: string, last: string | null) {
    let reported = after
    yield* Client.events(client, id, { after }).pipe(
      Stream.takeUntil(({ event }) => event === last),
      Stream.runForEach(({ event, id, payload }) =>
        Effect.gen(function* () {
          reported = id
          yield* report.event({ event, payload, at: new Date(yield* Clock.currentTimeMillis).toISOString() })
        })
      )
    )
    return reported
  })

  const start = (workflow_id: string, status: string) =>
    client.runs.start({
      payload: { workflow_id, run_input_variables: { MARLOW: "controller", status } }
    })

  const finish = Effect.fnUntraced(function* (session_id: string, after: string, began: number) {
    yield* follow(session_id, after, null)
    const { data, errors, status } = yield* client.runs.record({ params: { session_id } })
    if (status !== "execution.success") {
      return yield* new DemoFailed({ reason: errors.map(({ message }) => message).join("; ") })
    }
    yield* report.result(data, (yield* Clock.currentTimeMillis) - began)
  })

  const workflow = yield* client.workflows.create({ payload: demoWorkflow(options.site) })
  const params = { workflow_id: workflow.id }
  yield* report.title("A workflow without a run window starts at once. Password and one-time code come from the vault")
  const first = yield* start(workflow.id, "open")
  yield* finish(first.session_id, "0", yield* Clock.currentTimeMillis)

  yield* report.title("Its window is closed now: the next run is accepted, and held")
  const now = yield* Clock.currentTimeMillis
  yield* client.runWindows.setRunWindow({ params, payload: closedForNow(now) })
  const second = yield* start(workflow.id, "shipped")
  const last = yield* follow(second.session_id, "0", "execution.paused")

  yield* report.title("The window is opened: the held run starts, and is still signed in")
  const released = yield* Clock.currentTimeMillis
  yield* client.runWindows.setRunWindow({ params, payload: alwaysOpen })
  yield* finish(second.session_id, last, released)

  yield* report.title("The window is closed again: this run waits until you open the console and press Run now")
  yield* client.runWindows.setRunWindow({ params, payload: closedForNow(yield* Clock.currentTimeMillis) })
  const third = yield* start(workflow.id, "cancelled")
  yield* follow(third.session_id, "0", "execution.paused")
  return workflow.id
}, Effect.mapError(toFailure))

function toFailure(error: unknown): DemoFailed {
  return error instanceof DemoFailed ? error : new DemoFailed({ reason: Client.reasonOf(error) })
}

const days = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"] as const

const alwaysOpen = {
  time_zone: "UTC",
  regular_hours: days.map((day, index) => ({
    active_start_day: day,
    active_start_time: { hours: 0 },
    active_end_day: days[(index + 1) % 7] ?? day,
    active_end_time: { hours: 0 }
  }))
}

/** A daily window of half an hour that is closed now and opens in more than an hour. */
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
