/**
 * Sends notices about runs to their subscribers: in the log, to Slack, or to their own address.
 *
 * Any number of processes may do this at once. Delivery of a notice is best effort: it is tried a
 * few times within minutes, and lost if the process dies. Use a webhook for at-least-once delivery.
 */
import { Effect, FiberSet, Option, Schedule, Schema, Semaphore } from "effect"
import * as Background from "../../runtime/Background.ts"
import { outage } from "../../runtime/Supervisor.ts"
import * as Wake from "../../runtime/Wake.ts"
import { Sealing } from "../../vault/keys/Sealing.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import { consumers, EventLog } from "../EventLog.ts"
import { Sender } from "../webhook/Sender.ts"
import * as KeptSubscription from "./KeptSubscription.ts"
import * as NoticeJson from "./NoticeJson.ts"
import * as Notifications from "./Notifications.ts"

/** Raised by an attempt that may be made again. It names the host alone: the rest of an address may be a secret. */
class NotTold extends Schema.TaggedError<NotTold>()("NotTold", { host: Schema.String, reason: Schema.String }) {}

/** The longest time that a host may ask to be left alone before the next attempt, in milliseconds. */
const longestRetryAfter = 60_000

/** How many events are read in one transaction. */
const batch = 200

/**
 * How many notices of a workspace to one host are in progress, and how many may wait for that, before further ones are
 * dropped.
 */
const together = 2
const waiting = 1_000

/** Takes the notices of the next events of the log, and returns whether there is more. */
export const collect = Effect.fn("Notifier.collect")(function* () {
  const log = yield* EventLog
  const subscriptions = yield* KeptSubscription.RunSubscriptionStore
  const sealing = yield* Sealing
  const subscribed = Effect.fnUntraced(function* (workspaceId: WorkspaceId) {
    const kept = yield* subscriptions.list(workspaceId)
    if (kept.length === 0) return []
    const cipher = yield* sealing.cipher(workspaceId)
    const opened = yield* Effect.forEach(kept, (one) => KeptSubscription.open(cipher, one))
    const lost = opened.filter(Option.isNone).length
    if (lost > 0) yield* Effect.logWarning(`The addresses of ${lost} subscriptions to runs cannot be decrypted`)
    return opened.flatMap(Option.toArray)
  })
  let notices: ReadonlyArray<Notifications.Notice> = []
  const more = yield* log.consume(consumers.notifications, batch, (entries) =>
    Effect.gen(function* () {
      const known = new Map<string, ReadonlyArray<Notifications.RunSubscription>>()
      const found: Array<Notifications.Notice> = []
      for (const entry of entries) {
        const own = known.get(entry.workspaceId) ?? (yield* subscribed(entry.workspaceId))
        known.set(entry.workspaceId, own)
        // A subscription gets no notices of events before it was made, however late they are read.
        const since = own.filter(({ createdAt }) => createdAt <= entry.at)
        found.push(...Notifications.notices(since, entry))
      }
      notices = found
    })
  )
  return { notices, more }
})

/** Sends one notice, to the log or over the network, and logs it if sending is given up. */
export const tell = Effect.fnUntraced(function* (notice: Notifications.Notice) {
  const { channel } = notice
  if (channel.type === "log") return yield* Effect.logInfo(notice.text)
  const { host } = new URL(channel.url)
  const sender = yield* Sender
  const attempt = sender
    .post({
      url: channel.url,
      headers: { "content-type": "application/json", "user-agent": "sluice" },
      body: JSON.stringify(NoticeJson.bodyOf(notice))
    })
    .pipe(
      Effect.flatMap((outcome) =>
        outcome._tag === "Answered" && outcome.status < 300
          ? Effect.void
          : Effect.delay(
              Effect.fail(
                new NotTold({ host, reason: outcome._tag === "Answered" ? `status ${outcome.status}` : outcome.reason })
              ),
              outcome._tag === "Answered" ? Math.min(outcome.retryAfterMillis ?? 0, longestRetryAfter) : 0
            )
      )
    )
  yield* attempt.pipe(
    Effect.retry(Schedule.exponential("2 seconds").pipe(Schedule.jittered, Schedule.upTo({ times: 5 }))),
    Effect.catchTag("NotTold", ({ reason }) => Effect.logWarning(`A notice could not be sent to ${host}: ${reason}`))
  )
})

/** Sends until interrupted. A slow or unreachable host delays only the notices of the same workspace to it. */
export const run = Effect.fn("Notifier.run")(function* () {
  const telling = yield* FiberSet.make()
  const hosts = new Map<string, { readonly room: Semaphore.Semaphore; waiting: number }>()
  const events = yield* Wake.onSignal((signal) => signal._tag === "events")

  const begin = Effect.fnUntraced(function* (notice: Notifications.Notice) {
    const name = notice.channel.type === "log" ? "" : new URL(notice.channel.url).host
    const key = `${notice.workspaceId} ${name}`
    const host = hosts.get(key) ?? { room: yield* Semaphore.make(together), waiting: 0 }
    if (host.waiting >= waiting) {
      return yield* outage(`A notice to ${name} was dropped: too many notices wait for this host`, `notices to ${key}`)
    }
    hosts.set(key, host)
    host.waiting++
    const done = Effect.sync(() => {
      host.waiting--
      if (host.waiting === 0) hosts.delete(key)
    })
    yield* FiberSet.run(telling, host.room.withPermits(1)(tell(notice)).pipe(Effect.ensuring(done)))
  })

  return yield* Effect.gen(function* () {
    const { more, notices } = yield* collect()
    yield* Effect.forEach(notices, begin, { discard: true })
    if (!more) yield* events.sleep(Wake.longestSleep)
  }).pipe(Background.round("notify subscribers of runs"), Effect.forever)
}, Effect.scoped)
