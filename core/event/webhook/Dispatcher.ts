/**
 * Makes deliveries to webhooks from the events of the log, and carries them out.
 *
 * Any number of processes may do this at once. An event is made into deliveries exactly once; a delivery is made at
 * least once, also when processes die. A receiver that is down or slow has a bounded number of attempts in progress,
 * and soon none; a workspace has a share of them: the others do not wait.
 */
import { Clock, Effect, Option, Random, Result } from "effect"
import * as Background from "../../runtime/Background.ts"
import * as Measures from "../../runtime/Measures.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import * as Trace from "../../runtime/Trace.ts"
import * as Wake from "../../runtime/Wake.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import type { Links } from "../EventJson.ts"
import { consumers, type Entry, EventLog } from "../EventLog.ts"
import * as AttemptAdmission from "./AttemptAdmission.ts"
import { Deliveries, type NewDelivery } from "./Deliveries.ts"
import * as Delivery from "./Delivery.ts"
import * as DeliveryAttempt from "./DeliveryAttempt.ts"
import * as Target from "./Target.ts"
import { type Webhook, WebhookStore } from "./Webhook.ts"

export interface Options extends AttemptAdmission.Options {
  /** Makes the addresses that messages of a workspace contain. */
  readonly links: (workspaceId: WorkspaceId) => Effect.Effect<Links, StoreUnavailable>
}

export const defaults = { workers: 32, perWebhook: 4 }

/** How many events one transaction makes into deliveries. */
const batch = 200

/**
 * Postponed events become deliveries while fewer than this many deliveries wait for an attempt, and this many at a time,
 * so that new events wait behind few of them.
 */
const mostDue = 4
const late = 8

/** Makes deliveries of the next events of the log. Answers whether there is more, and whether it has to wait for room. */
export const collect = Effect.fn("Dispatcher.collect")(function* () {
  const log = yield* EventLog
  const deliveries = yield* Deliveries
  const webhooks = yield* WebhookStore
  const identifiers = yield* Identifiers

  const make = Effect.fnUntraced(function* (entries: ReadonlyArray<Entry>) {
    const registered = new Map<string, ReadonlyArray<Webhook>>()
    const made: Array<NewDelivery> = []
    for (const entry of entries) {
      const ofWorkspace = registered.get(entry.workspaceId) ?? (yield* webhooks.list(entry.workspaceId))
      registered.set(entry.workspaceId, ofWorkspace)
      // Events from before the registration of a webhook are not sent to it, however late they are read.
      const since = ofWorkspace.filter(({ createdAt }) => createdAt <= entry.at)
      for (const { url, webhookId } of Target.targetsOf(entry, since)) {
        made.push({ id: yield* identifiers.uuid, entry, webhookId, url })
      }
    }
    if (made.length > 0) yield* deliveries.append(made)
  })
  let isFull = false
  const room = Effect.map(deliveries.due(mostDue), (due) => {
    isFull = due >= mostDue
    return isFull ? 0 : late
  })
  return { more: yield* log.consume(consumers.webhooks, batch, make, room), isFull }
})

/** Attempts a delivery, or decides that no attempt is made now, and returns the new state of the delivery. */
const attempt = Effect.fnUntraced(function* (
  before: Delivery.Delivery,
  admission: AttemptAdmission.Admission,
  options: Options
) {
  const webhooks = yield* WebhookStore
  const now = yield* Clock.currentTimeMillis
  const own = Target.runWebhookOf(before.runWebhook)
  const target = before.webhookId === null ? Target.runTarget(own) : yield* registered(before, before.webhookId)
  if (target === null) return Delivery.dead(before, "The webhook was removed or deactivated", now)
  if (DeliveryAttempt.isPerished(before.logged, now)) {
    return Delivery.dead(before, "The event expired before it could be sent", now)
  }

  // Before it is admitted: every failure after admission must be reported.
  const links = yield* options.links(before.workspaceId)
  const place = { workspaceId: before.workspaceId, webhookId: before.webhookId, url: target.url }
  const until = admission.ask(place, now)
  if (until !== null) return Delivery.putOff(before, until, now)

  const message = DeliveryAttempt.messageAt(
    before.logged,
    links,
    { validity: target.validity, ...(own.metadata === undefined ? {} : { metadata: own.metadata }) },
    now
  )
  const outcome = yield* DeliveryAttempt.send(target, message, { id: before.id, attempt: before.attempts + 1 }).pipe(
    Effect.onError(() => Effect.sync(() => admission.release(place)))
  )
  const at = yield* Clock.currentTimeMillis
  admission.settle(place, outcome, at)
  if (before.webhookId !== null && outcome._tag === "Answered" && outcome.status === 410) {
    yield* webhooks
      .change(before.workspaceId, before.webhookId, (webhook) => Result.succeed(gone(webhook, target.url, at)))
      .pipe(Effect.catchTag("KeyTaken", Effect.die))
  }
  return { ...Delivery.attempted(before, outcome, at, yield* Random.next), url: target.url }
})

/**
 * Logs and counts the new state of a delivery. A line names the host of the receiver only: addresses of webhooks hold secrets. A
 * delivery that is put off was not attempted, and is logged on the level Debug.
 */
const log = (before: Delivery.Delivery, after: Delivery.Delivery): Effect.Effect<void> => {
  const isAttempted = after.attempts > before.attempts
  const isSettled = after.status !== "pending"
  const line = isAttempted || isSettled ? Effect.logInfo(messages[after.status]) : Effect.logDebug("Delivery delayed")
  const counted = isAttempted || isSettled ? Measures.delivery(outcomes[after.status]) : Effect.void
  const traceId = Trace.idOf(before.traceparent ?? undefined)
  const annotated = Effect.annotateLogs(line, {
    delivery_id: before.id,
    event: before.logged.event.event,
    session_id: before.logged.runId,
    workflow_id: before.workflowId,
    workspace_id: before.workspaceId,
    webhook_id: before.webhookId,
    host: URL.parse(after.url)?.host ?? null,
    delivery_attempt: after.attempts,
    status: isAttempted ? after.responseStatus : null,
    ms: isAttempted ? after.durationMillis : null,
    next_attempt_at: after.nextAttemptAt,
    ...(traceId === null ? {} : { trace_id: traceId })
  })
  return Effect.andThen(annotated, after.status === "delivered" ? Effect.andThen(counted, delayed(before)) : counted)
}

/** Counts how long after its event a delivery was accepted. */
const delayed = ({ logged }: Delivery.Delivery): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => Measures.delivered((now - logged.at) / 1_000))

const factsOf = (delivery: Delivery.Delivery) => ({
  "sluice.session_id": delivery.logged.runId,
  "sluice.delivery_id": delivery.id,
  "sluice.event": delivery.logged.event.event,
  "sluice.delivery_attempt": delivery.attempts + 1
})

const outcomes: Readonly<Record<Delivery.Status, string>> = {
  delivered: "accepted",
  pending: "failed",
  dead: "given_up"
}

const messages: Readonly<Record<Delivery.Status, string>> = {
  delivered: "Delivery accepted",
  pending: "Delivery failed and is tried again",
  dead: "Delivery given up"
}

const registered = Effect.fnUntraced(function* ({ workspaceId }: Delivery.Delivery, id: string) {
  const webhook = yield* (yield* WebhookStore).get(workspaceId, id)
  return Option.isSome(webhook) && webhook.value.active ? Target.registeredTarget(webhook.value) : null
})

/** A receiver that answers 410 gets no further deliveries, unless its address was changed in between. */
const gone = (webhook: Webhook, url: string, at: number): Webhook =>
  webhook.url === url ? { ...webhook, active: false, inactiveReason: "It answered 410 Gone", updatedAt: at } : webhook

/** Works until interrupted. Work in progress then passes to another process. */
export const run = Effect.fn("Dispatcher.run")(function* (options: Options) {
  const deliveries = yield* Deliveries
  const admission = AttemptAdmission.make(options)
  const events = yield* Wake.onSignal((signal) => signal._tag === "events")

  const collecting = Effect.gen(function* () {
    for (let { isFull, more } = yield* collect(); more; { isFull, more } = yield* collect()) {
      yield* Effect.sleep(isFull ? "20 millis" : "5 millis")
    }
    yield* events.sleep(Wake.longestSleep)
  }).pipe(Background.round("make events into deliveries to webhooks"), Effect.forever)

  const delivering = deliveries
    .next((delivery) =>
      Effect.tap(attempt(delivery, admission, options), (after) => log(delivery, after)).pipe(
        Trace.inSpan("webhook", { kind: "client", attributes: factsOf(delivery) }),
        Trace.continued(delivery.traceparent)
      )
    )
    .pipe(Background.round("attempt a delivery to a webhook"), Effect.forever)

  const tidying = Effect.gen(function* () {
    yield* Effect.sleep("1 minute")
    yield* deliveries.tidy
    admission.tidy(yield* Clock.currentTimeMillis)
  }).pipe(Background.round("tidy up deliveries to webhooks"), Effect.forever)

  return yield* Effect.all([collecting, tidying, ...Array.from({ length: options.workers }, () => delivering)], {
    concurrency: "unbounded",
    discard: true
  })
}, Effect.scoped)
