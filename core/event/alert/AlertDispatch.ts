/**
 * Gathers what people are told of from the events of the log, and sends it when it is due.
 *
 * Any number of processes may do this at once. An event is gathered exactly once; an alert is sent at least once, also when
 * processes die.
 */
import { Clock, Duration, Effect, Option, Random } from "effect"
import * as Background from "../../runtime/Background.ts"
import * as Wake from "../../runtime/Wake.ts"
import { WorkflowStore } from "../../workflow/WorkflowStore.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import { WorkflowId, type WorkspaceId } from "../../workspace/Ids.ts"
import { consumers, EventLog } from "../EventLog.ts"
import * as Alert from "./Alert.ts"
import { type AlertReceiver, AlertReceiverStore } from "./AlertReceiver.ts"
import * as AlertSending from "./AlertSending.ts"
import { Alerts } from "./Alerts.ts"
import * as AlertText from "./AlertText.ts"
import * as Occurrences from "./Occurrences.ts"

/** How many events one transaction reads. */
const batch = 200

/** How many alerts a process sends at once. */
const workers = 2

/** After so long another process may take an alert whose attempt has no result, in milliseconds. */
const attemptMillis = 120_000

/** How long settled alerts are listed, in milliseconds. */
const keptMillis = 30 * 86_400_000

/** Gathers the next events of the log. Answers whether there is more. */
export const collect = Effect.fn("AlertDispatch.collect")(function* () {
  const log = yield* EventLog
  const receivers = yield* AlertReceiverStore
  return yield* log.consume(consumers.alerts, batch, (entries) =>
    Effect.gen(function* () {
      const known = new Map<WorkspaceId, ReadonlyArray<AlertReceiver>>()
      const gathered = new Map<string, Gathered>()
      for (const entry of entries) {
        const occurrence = Occurrences.of(entry)
        if (occurrence === null) continue
        const { workspaceId } = entry
        const own = known.get(workspaceId) ?? (yield* receivers.list(workspaceId))
        known.set(workspaceId, own)
        for (const receiver of own.filter((one) => Occurrences.concerns(one, occurrence))) {
          const key = `${receiver.id} ${occurrence.cause}`
          const { occurrences = [] } = gathered.get(key) ?? {}
          gathered.set(key, { workspaceId, receiver, occurrences: [...occurrences, occurrence] })
        }
      }
      yield* Effect.forEach(gathered.values(), gatherAll, { discard: true })
    })
  )
})

interface Gathered {
  readonly workspaceId: WorkspaceId
  readonly receiver: AlertReceiver
  /** Of one cause. */
  readonly occurrences: ReadonlyArray<Alert.Occurrence>
}

const gatherAll = Effect.fnUntraced(function* ({ occurrences, receiver, workspaceId }: Gathered) {
  const [first] = occurrences
  if (first === undefined) return
  const fresh = {
    id: yield* (yield* Identifiers).uuid,
    workspaceId,
    receiverId: receiver.id,
    workflowName: yield* nameOf(workspaceId, first.workflowId)
  }
  const decide = (latest: Alert.Alert | null) =>
    occurrences
      .slice(1)
      .reduce((alert, one) => Alert.gather(alert, one, receiver, fresh), Alert.gather(latest, first, receiver, fresh))
  yield* (yield* Alerts).gather(receiver.id, first.cause, decide)
})

const nameOf = Effect.fnUntraced(function* (workspaceId: WorkspaceId, workflowId: string) {
  const workflows = yield* WorkflowStore
  return yield* workflows.get(workspaceId, WorkflowId.make(workflowId)).pipe(
    Effect.map(({ version }) => version.name),
    Effect.catchTag("WorkflowNotFound", () => Effect.succeed(workflowId))
  )
})

/** Sends the next due alert. Answers whether there was one. `console` is the address of the console. */
export const sendNext = Effect.fn("AlertDispatch.sendNext")(function* (console: string | null) {
  const alerts = yield* Alerts
  const now = yield* Clock.currentTimeMillis
  const taken = yield* alerts.take(now, now + attemptMillis)
  if (Option.isNone(taken)) return false
  const after = yield* attempt(taken.value.alert, console)
  yield* alerts.settle(taken.value, after)
  yield* log(after)
  return true
})

const attempt = Effect.fnUntraced(function* (before: Alert.Alert, console: string | null) {
  const found = yield* (yield* AlertReceiverStore).get(before.workspaceId, before.receiverId)
  const now = yield* Clock.currentTimeMillis
  if (Option.isNone(found)) return Alert.failed(before, "Not sent: the receiver was removed", now)
  const receiver = found.value
  // It may be late, or the quiet hours have changed since.
  const allowed = Alert.allowedFrom(receiver, before.kind, now)
  if (allowed > now) return Alert.putOff(before, allowed)
  const words = AlertText.wordsOf(before, console)
  const outcome = yield* AlertSending.send(before.workspaceId, receiver, before.id, words)
  return Alert.attempted(before, outcome, receiver, yield* Clock.currentTimeMillis, yield* Random.next)
})

/** A line about an alert. What it says is not in it. */
const log = (alert: Alert.Alert): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logInfo(messages[alert.status]), {
    alert_id: alert.id,
    receiver_id: alert.receiverId,
    workflow_id: alert.workflowId,
    workspace_id: alert.workspaceId,
    alert_attempt: alert.attempts,
    next_attempt_at: alert.nextAttemptAt
  })

const messages: Readonly<Record<Alert.AlertStatus, string>> = {
  gathering: "Alert delayed",
  sending: "Alert not sent yet",
  sent: "Alert sent",
  failed: "Alert given up"
}

/** Works until interrupted. Alerts in progress then pass to another process. */
export const run = Effect.fn("AlertDispatch.run")(function* (console: string | null) {
  const events = yield* Wake.onSignal((signal) => signal._tag === "events")
  const due = yield* Wake.make

  const collecting = Effect.gen(function* () {
    while (yield* collect());
    yield* due.wake
    yield* (yield* Alerts).tidy((yield* Clock.currentTimeMillis) - keptMillis)
    yield* events.sleep(Wake.longestSleep)
  }).pipe(Background.round("gather alerts about runs"), Effect.forever)

  const sending = Effect.gen(function* () {
    while (yield* sendNext(console));
    const next = yield* (yield* Alerts).nextDue
    const left = next === null ? Infinity : next - (yield* Clock.currentTimeMillis)
    yield* due.sleep(Math.min(Duration.toMillis(Wake.longestSleep), Math.max(left, 0)))
  }).pipe(Background.round("send an alert about runs"), Effect.forever)

  return yield* Effect.all([collecting, ...Array.from({ length: workers }, () => sending)], {
    concurrency: "unbounded",
    discard: true
  })
}, Effect.scoped)
