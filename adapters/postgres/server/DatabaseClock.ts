/**
 * The clock of the database as the clock of this process, so that all processes judge windows, leases and retries by the
 * same one whatever their machines show.
 *
 * Between two measurements it continues by the monotonic clock of the machine. It is right to half the time that the
 * database took to answer at first, and a later answer that took long does not move it: it moves only as far as an answer
 * proves it wrong. It is measured at the start, every minute, and when the clock of the machine was set or the machine
 * slept.
 */
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import * as Skew from "../../../core/runtime/ClockSkew.ts"
import { type Answer, Probe } from "./Probe.ts"

/** The interval between measurements of the clock, in milliseconds. */
const everyMillis = 60_000

/** The interval between checks whether the clock of the machine was set. */
const lookEvery = "1 second"

/** The deviation from the monotonic clock above which the machine clock counts as set, in milliseconds. */
const setMillis = 250

/** The number of queries in a measurement: the one that was answered fastest counts. */
const questions = 3

export const layer = Layer.effectContext(
  Effect.gen(function* () {
    const { ask } = yield* Probe
    const machine = yield* Clock.Clock
    const wall = () => machine.currentTimeMillisUnsafe()
    let offset = wall() - performance.now()
    let skew = 0
    let measuredAt = Number.NEGATIVE_INFINITY
    let wallOffset = offset

    const measure = Effect.gen(function* () {
      const answers = (yield* Effect.replicateEffect(ask, questions)).filter((one) => one !== null)
      const [best] = answers.toSorted((a, b) => roundTrip(a) - roundTrip(b))
      if (best === undefined) return false
      // After the machine slept, the former offset says nothing.
      const isContinued = measuredAt > Number.NEGATIVE_INFINITY && !isSet()
      offset = offsetOf(best, isContinued ? offset : null)
      wallOffset = wall() - performance.now()
      measuredAt = performance.now()
      const before = skew
      skew = Math.round(wallOffset - offset)
      if (Math.abs(skew) > Skew.warnsAbove && Math.abs(skew - before) > Skew.warnsAbove) {
        yield* Effect.logWarning(messageOf(skew))
      }
      return true
    })

    const isSet = () => Math.abs(wall() - performance.now() - wallOffset) > setMillis
    const isDue = () => performance.now() >= measuredAt + everyMillis || isSet()

    yield* Effect.repeat(measure, { until: (measured) => measured, schedule: Schedule.spaced("500 millis") })
    yield* Effect.sleep(lookEvery).pipe(
      Effect.andThen(Effect.suspend(() => (isDue() ? measure : Effect.void))),
      Effect.forever,
      Effect.forkScoped
    )

    const now = () => Math.floor(offset + performance.now())
    const clock: Clock.Clock = {
      currentTimeMillisUnsafe: now,
      currentTimeMillis: Effect.sync(now),
      currentTimeNanosUnsafe: () => BigInt(now()) * nanosPerMilli,
      currentTimeNanos: Effect.sync(() => BigInt(now()) * nanosPerMilli),
      monotonicTimeNanosUnsafe: () => machine.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: machine.monotonicTimeNanos,
      sleep: (duration) => machine.sleep(duration)
    }
    return Context.make(Clock.Clock, clock).pipe(Context.add(Skew.ClockSkew, { millis: Effect.sync(() => skew) }))
  })
)

/**
 * What to add to the monotonic clock, in milliseconds. The database told its time at some instant between the question and
 * the answer: a former offset that this allows stays, and another one moves to the nearest that it allows.
 */
export const offsetOf = ({ answeredAt, askedAt, at }: Answer, former: number | null): number =>
  former === null ? at - (askedAt + answeredAt) / 2 : Math.min(at - askedAt, Math.max(at - answeredAt, former))

const nanosPerMilli = BigInt(1_000_000)

const roundTrip = ({ answeredAt, askedAt }: Answer): number => answeredAt - askedAt

const messageOf = (skew: number): string => {
  const seconds = (Math.abs(skew) / 1_000).toFixed(1)
  const consequence =
    Math.abs(skew) > Skew.claimsUpTo
      ? `It claims no work until they differ by no more than ${Skew.claimsUpTo / 1_000} s`
      : "Times are judged by that of the database"
  return `The clock of this machine is ${seconds} s ${skew > 0 ? "ahead of" : "behind"} that of the database. ${consequence}`
}
