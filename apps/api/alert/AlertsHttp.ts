/** Answers the endpoints of alerts. */
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Alert, AlertKind } from "../../../core/event/alert/Alert.ts"
import type { AlertReceiver, MailServer } from "../../../core/event/alert/AlertReceiver.ts"
import { AlertReceivers, type ReceiverFields } from "../../../core/event/alert/AlertReceivers.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { iso } from "../run/RunRecord.ts"
import type { AlertRecord, ReceiverRecord } from "./AlertsApi.ts"

const defaultLimit = 100

export const layer = HttpApiBuilder.group(
  Api,
  "alerts",
  Effect.fn(function* (handlers) {
    const receivers = yield* AlertReceivers
    return handlers.handleAll({
      listAlertReceivers: Effect.fn(function* () {
        return (yield* receivers.list(yield* CurrentCaller)).map(record)
      }),
      createAlertReceiver: Effect.fn(function* ({ payload }) {
        const { name, type } = payload
        return record(yield* receivers.create(yield* CurrentCaller, { ...fields(payload), name, type }))
      }),
      getAlertReceiver: Effect.fn(function* ({ params }) {
        return record(yield* receivers.get(yield* CurrentCaller, params.receiver_id))
      }),
      changeAlertReceiver: Effect.fn(function* ({ params, payload }) {
        return record(yield* receivers.change(yield* CurrentCaller, params.receiver_id, fields(payload)))
      }),
      removeAlertReceiver: Effect.fn(function* ({ params }) {
        return record(yield* receivers.remove(yield* CurrentCaller, params.receiver_id))
      }),
      testAlertReceiver: Effect.fn(function* ({ params }) {
        const outcome = yield* receivers.test(yield* CurrentCaller, params.receiver_id)
        return outcome._tag === "Sent" ? { sent: true, reason: null } : { sent: false, reason: outcome.reason }
      }),
      listAlerts: Effect.fn(function* ({ query }) {
        const limit = query.limit ?? defaultLimit
        const found = yield* receivers.alerts(yield* CurrentCaller, {
          limit: limit + 1,
          ...(query.status === undefined ? {} : { status: query.status }),
          ...(query.receiver_id === undefined ? {} : { receiverId: query.receiver_id }),
          ...(query.cursor === undefined ? {} : { before: query.cursor })
        })
        const last = found.length > limit ? found[limit - 1] : undefined
        return {
          alerts: found.slice(0, limit).map(({ alert }) => alertRecord(alert)),
          next_cursor: last === undefined ? null : String(last.position)
        }
      })
    })
  })
)

interface Sent {
  readonly name?: string
  readonly url?: string
  readonly smtp?: MailServer & { readonly username?: string | null; readonly password?: string | null }
  readonly from?: string
  readonly to?: ReadonlyArray<string>
  readonly events?: ReadonlyArray<AlertKind>
  readonly urgent?: ReadonlyArray<AlertKind>
  readonly workflow_ids?: ReadonlyArray<string> | null
  readonly quiet_hours?: { readonly time_zone: string; readonly from: string; readonly to: string } | null
  readonly gather_seconds?: number
  readonly pause_seconds?: number
}

/** The fields that a body gives. */
const fields = (sent: Sent): ReceiverFields => {
  const { events, from, gather_seconds, name, pause_seconds, quiet_hours, smtp, to, url, urgent, workflow_ids } = sent
  return {
    ...(name === undefined ? {} : { name }),
    ...(url === undefined ? {} : { url: Redacted.make(url) }),
    ...(smtp === undefined ? {} : mailServer(smtp)),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(events === undefined ? {} : { kinds: [...new Set(events)] }),
    ...(urgent === undefined ? {} : { urgent: [...new Set(urgent)] }),
    ...(workflow_ids === undefined ? {} : { workflowIds: workflow_ids }),
    ...(quiet_hours === undefined
      ? {}
      : {
          quiet:
            quiet_hours === null
              ? null
              : { timeZone: quiet_hours.time_zone, from: quiet_hours.from, to: quiet_hours.to }
        }),
    ...(gather_seconds === undefined ? {} : { gatherSeconds: gather_seconds }),
    ...(pause_seconds === undefined ? {} : { pauseSeconds: pause_seconds })
  }
}

const mailServer = ({ host, password, port, security, username }: NonNullable<Sent["smtp"]>): ReceiverFields => ({
  server: { host, port, security },
  ...(username == null || password == null
    ? username === null
      ? { user: null }
      : {}
    : { user: Redacted.make({ username, password }) })
})

const record = (receiver: AlertReceiver): typeof ReceiverRecord.Type => {
  const { mail, quiet } = receiver
  return {
    id: receiver.id,
    name: receiver.name,
    type: receiver.type,
    host: receiver.host,
    smtp: mail === null ? null : { ...mail.server, has_user: receiver.sealedAccess !== null },
    from: mail?.from ?? null,
    to: mail?.to ?? [],
    events: receiver.kinds,
    urgent: receiver.urgent,
    workflow_ids: receiver.workflowIds,
    quiet_hours: quiet === null ? null : { time_zone: quiet.timeZone, from: quiet.from, to: quiet.to },
    gather_seconds: receiver.gatherSeconds,
    pause_seconds: receiver.pauseSeconds,
    created_at: iso(receiver.createdAt),
    created_by: receiver.createdBy,
    updated_at: iso(receiver.updatedAt)
  }
}

const alertRecord = (alert: Alert): typeof AlertRecord.Type => ({
  id: alert.id,
  receiver_id: alert.receiverId,
  event: alert.kind,
  workflow_id: alert.workflowId,
  session_ids: alert.runIds,
  count: alert.count,
  status: alert.status,
  attempts: alert.attempts,
  next_attempt_at: alert.nextAttemptAt === null ? null : iso(alert.nextAttemptAt),
  errors: alert.errors,
  first_at: iso(alert.firstAt),
  last_at: iso(alert.lastAt),
  settled_at: alert.settledAt === null ? null : iso(alert.settledAt)
})
