/**
 * The worker's side of live view: sends pictures while a run has viewers, and applies the input of the person in
 * control.
 *
 * Typed text goes only to the page. Reports of the run contain `[answer]` instead of it.
 */
import { Clock, Effect, Option, Queue, type Scope, Stream } from "effect"
import type { BrowserSession } from "../../browser/Browser.ts"
import type { Secrets } from "../../redaction/Secrets.ts"
import type { Reporter } from "../../run/Executor.ts"
import type { Run } from "../../run/Run.ts"
import { Signals } from "../../runtime/Signals.ts"
import { Sealing } from "../../vault/keys/Sealing.ts"
import { bestEffort } from "../BestEffort.ts"
import { LiveChannel } from "./LiveChannel.ts"
import * as LiveMessage from "./LiveMessage.ts"
import * as RunControl from "./RunControl.ts"
import { TypedText } from "./TypedText.ts"

/** Small enough for several frames per second. */
const pictures = { maxWidth: 1_280, maxHeight: 800, quality: 60, intervalMillis: 120 }

/** Screenshots stop this long after the last sign of a viewer. Viewers send a sign every second. */
const patience = "5 seconds"

/** The interval at which held control is checked. */
const controlInterval = "1 second"

/** Maximum number of waiting messages, more than a person sends. */
const maxWaiting = 500

const notWatched = "A run could not be watched for a moment"

/** The tasks of a run for its viewers and the person in control. */
interface LiveTasks {
  readonly watched: Queue.Queue<void>
  readonly controlled: Queue.Queue<void>
  readonly messages: Queue.Queue<string>
}

/** A run that can be watched. */
export interface Live {
  /** Waits while a person has control. */
  readonly hold: Effect.Effect<void>
  /** Serves viewers and control of the page until the scope closes. */
  readonly attend: (page: BrowserSession) => Effect.Effect<void, never, Scope.Scope>
}

/** Makes the function that connects a run to live view. */
export const make = Effect.gen(function* () {
  const channel = yield* LiveChannel
  const controlOf = yield* RunControl.make
  const signals = yield* Signals
  const sealing = yield* Sealing
  const tasksByRun = new Map<string, LiveTasks>()

  yield* (yield* signals.subscribe).pipe(
    Stream.runForEach((signal) => {
      if (signal._tag !== "watched" && signal._tag !== "controlled") return Effect.void
      const tasks = tasksByRun.get(signal.runId)
      return tasks === undefined ? Effect.void : Queue.offer(tasks[signal._tag], undefined)
    }),
    Effect.forkScoped
  )
  yield* (yield* channel.messages).pipe(
    Stream.runForEach(({ runId, text }) => {
      const tasks = tasksByRun.get(runId)
      return tasks === undefined ? Effect.void : Queue.offer(tasks.messages, text)
    }),
    Effect.forkScoped
  )

  return (run: Run, secrets: Secrets, reporter: Reporter): Live => {
    const control = controlOf(run, reporter)
    const typed = new TypedText()
    const hide = (texts: ReadonlyArray<string>) => secrets.add([...texts], "answer")
    const lasting = bestEffort(secrets, notWatched, "1 second")

    // Release pressed keys of a person who lost control, so that they do not stay pressed for the run.
    const learn = (page: BrowserSession) =>
      control
        .learn(
          Effect.andThen(
            Effect.sync(() => hide(typed.end())),
            page.observation.letGo
          )
        )
        .pipe(lasting)

    const follow = (page: BrowserSession, tasks: LiveTasks) =>
      Effect.gen(function* () {
        yield* Effect.raceFirst(
          Queue.take(tasks.controlled),
          Effect.suspend(() => (control.current() === null ? Effect.never : Effect.sleep(controlInterval)))
        )
        yield* learn(page)
      })

    const show = (page: BrowserSession, tasks: LiveTasks) =>
      Effect.gen(function* () {
        yield* Queue.take(tasks.watched)
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* page.observation.screencast(pictures, (bytes) =>
              Effect.flatMap(Clock.currentTimeMillis, (at) => channel.show(run.id, { bytes, at })).pipe(lasting)
            )
            while (Option.isSome(yield* Effect.timeoutOption(Queue.take(tasks.watched), patience)));
          })
        )
        yield* channel.hide(run.id)
      }).pipe(lasting)

    const obey = (page: BrowserSession, tasks: LiveTasks) =>
      Effect.gen(function* () {
        const text = yield* Queue.take(tasks.messages)
        const message = yield* LiveMessage.open(yield* sealing.cipher(run.workspaceId), text)
        if (Option.isNone(message)) return
        const { gestures, holder } = message.value
        if (control.current()?.holder !== holder) yield* learn(page)
        for (const gesture of gestures) {
          if (control.current()?.holder !== holder) return
          hide(typed.take(gesture))
          yield* page.observation.gesture(gesture)
        }
      }).pipe(lasting)

    const leave = (tasks: LiveTasks) =>
      Effect.gen(function* () {
        if (tasksByRun.get(run.id) === tasks) tasksByRun.delete(run.id)
        yield* control.end
        yield* channel.hide(run.id)
      }).pipe(bestEffort(secrets, notWatched))

    return {
      hold: control.hold,
      attend: (page) =>
        Effect.gen(function* () {
          const tasks: LiveTasks = {
            watched: yield* Queue.sliding<void>(1),
            controlled: yield* Queue.sliding<void>(1),
            messages: yield* Queue.dropping<string>(maxWaiting)
          }
          yield* Effect.acquireRelease(
            Effect.sync(() => void tasksByRun.set(run.id, tasks)),
            () => leave(tasks)
          )
          // A person may have taken control in the previous attempt.
          yield* Queue.offer(tasks.controlled, undefined)
          yield* Effect.forkScoped(Effect.forever(show(page, tasks)))
          yield* Effect.forkScoped(Effect.forever(follow(page, tasks)))
          yield* Effect.forkScoped(Effect.forever(obey(page, tasks)))
        })
    }
  }
})
