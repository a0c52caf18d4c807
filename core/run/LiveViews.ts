/**
 * Watching a run while it goes on. A caller gets a token that lets somebody in once; whoever is in sees how far the run
 * is and the newest picture of its page. A picture is taken only because somebody looks.
 */
import { Clock, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Signals } from "../event/Signals.ts"
import { Keys } from "../workspace/Keys.ts"
import type { Caller } from "../workspace/Workspace.ts"
import { type Admission, type Frame, LiveStore } from "./LiveStore.ts"
import { isEnded, type RunId, RunNotFound, Status, statusAt } from "./Run.ts"
import { RunStore } from "./RunStore.ts"

/** Raised when a run that nobody can watch is to be watched: it has not begun, or is over. */
export class NotLive extends Schema.TaggedError<NotLive>()("NotLive", { sessionId: Schema.String, status: Status }) {
  override get message() {
    return `Cannot watch run "${this.sessionId}": only a running run (execution.start) can be watched, and this one is ${this.status}`
  }
}

/** How long a token lets somebody in, in milliseconds. */
export const tokenMillis = 60_000

/** What somebody has seen already: the number of the last event, and the instant of the picture. */
export interface Seen {
  readonly event: number
  readonly frame: number
}

/** What is new since then. */
export interface Look {
  readonly status: Status
  readonly ended: boolean
  /** The name of the node that the run is at; `null` when that is not new. */
  readonly step: string | null
  readonly frame: Frame | null
  readonly seen: Seen
}

export class LiveViews extends Context.Service<
  LiveViews,
  {
    /** A new token for a running run, good once and for 60 seconds. */
    readonly connect: (caller: Caller, id: RunId) => Effect.Effect<Redacted.Redacted<string>, RunNotFound | NotLive>

    /** Takes a token; none when it is unknown, was taken before, or is too old. */
    readonly enter: (token: Redacted.Redacted<string>) => Effect.Effect<Option.Option<Admission>>

    /** Looks at a run once, and asks its worker for the next picture. */
    readonly look: (id: RunId, seen: Seen) => Effect.Effect<Look, RunNotFound>
  }
>()("sluice/core/run/LiveViews") {
  static readonly layer = Layer.effect(
    LiveViews,
    Effect.gen(function* () {
      const runs = yield* RunStore
      const store = yield* LiveStore
      const keys = yield* Keys
      const signals = yield* Signals

      return LiveViews.of({
        connect: Effect.fn("LiveViews.connect")(function* (caller, id) {
          const { gate, run } = yield* runs.get(caller.workspaceId, id)
          const now = yield* Clock.currentTimeMillis
          const status = statusAt(run, gate, now)
          if (status !== "execution.start") return yield* new NotLive({ sessionId: id, status })
          // As random as a key, and not to be taken for one.
          const token = Redacted.make(Redacted.value(yield* keys.make).replace(/^sk_/, "live_"))
          yield* store.admit({ hash: yield* keys.hash(token), runId: id, expiresAt: now + tokenMillis })
          return token
        }),
        enter: Effect.fn("LiveViews.enter")((token) => Effect.flatMap(keys.hash(token), store.redeem)),
        look: Effect.fn("LiveViews.look")(function* (id, seen) {
          const workspaceId = yield* store.workspaceOf(id)
          if (Option.isNone(workspaceId)) return yield* new RunNotFound({ sessionId: id })
          const { gate, run } = yield* runs.get(workspaceId.value, id)
          const status = statusAt(run, gate, yield* Clock.currentTimeMillis)
          if (status === "execution.start") yield* signals.publish({ _tag: "watched", runId: id })
          const events = yield* runs.events(id, seen.event)
          const steps = events.flatMap(({ event }) =>
            event.event === "execution.step" ? [event.payload.current_step] : []
          )
          // A worker that was lost left its last picture behind.
          if (isEnded(run)) yield* store.hide(id)
          const running = status === "execution.start"
          const frame = running ? Option.getOrNull(yield* store.frame(id, seen.frame)) : null
          return {
            status,
            ended: isEnded(run),
            step: steps.at(-1) ?? null,
            frame,
            seen: { event: events.at(-1)?.sequence ?? seen.event, frame: frame?.at ?? seen.frame }
          }
        })
      })
    })
  )
}
