/** What the commands of `sluice alerts` do. */
import { Effect, Option, Redacted } from "effect"
import type { AlertKind, AlertStatus } from "../../../../../core/event/alert/Alert.ts"
import type { MailSecurity } from "../../../../../core/event/alert/AlertReceiver.ts"
import { type ConnectionSettings, connected } from "../../../user/Connection.ts"
import { refused } from "../../../user/Ending.ts"
import { answer, type OutputSettings } from "../../../user/Output.ts"
import * as Secrets from "../../../user/Secrets.ts"
import { cell, table } from "../../../user/view/Table.ts"

type Settings = ConnectionSettings & OutputSettings

interface ListSettings extends Settings {
  readonly status: Option.Option<AlertStatus>
}

export const list = (settings: ListSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const { status } = settings
      const page = yield* client.alerts.listAlerts({ query: Option.isSome(status) ? { status: status.value } : {} })
      yield* answer(settings, page, () =>
        page.alerts.length === 0
          ? "No alerts"
          : table(
              ["ID", "STATUS", "EVENT", "WORKFLOW", "COUNT", "LAST", "LAST ERROR"],
              page.alerts.map(({ count, errors, event, id, last_at, status, workflow_id }) => [
                id,
                status,
                event,
                workflow_id,
                String(count),
                last_at,
                status === "sent" ? "" : cell(errors.at(-1) ?? "", 80)
              ])
            )
      )
    })
  )

export const receivers = (settings: Settings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const all = yield* client.alerts.listAlertReceivers()
      yield* answer(settings, all, () =>
        all.length === 0
          ? "No receivers of alerts"
          : table(
              ["ID", "NAME", "TYPE", "TO", "EVENTS", "QUIET"],
              all.map(({ events, host, id, name, quiet_hours: quiet, to, type }) => [
                id,
                cell(name, 40),
                type,
                cell(to.length === 0 ? host : to.join(", "), 60),
                events.join(", "),
                quiet === null ? "never" : `${quiet.from}-${quiet.to} ${quiet.time_zone}`
              ])
            )
      )
    })
  )

interface Timing {
  readonly urgent: ReadonlyArray<AlertKind>
  readonly quiet: Option.Option<string>
  readonly zone: Option.Option<string>
}

/** The fields of a body that say when a receiver gets alerts. */
const timingOf = Effect.fnUntraced(function* ({ quiet, urgent, zone }: Timing) {
  if (Option.isNone(quiet)) return { urgent }
  const [from = "", to = "", ...rest] = quiet.value.split("-")
  if (rest.length > 0 || to === "" || Option.isNone(zone)) {
    return yield* refused(
      "wrong",
      `--quiet: expected hours such as 22:00-07:00 beside --time-zone, got "${cell(quiet.value, 40)}"`
    )
  }
  return { urgent, quiet_hours: { time_zone: zone.value, from, to } }
})

interface ChannelSettings extends Settings, Timing {
  readonly name: string
  readonly urlFrom: string
}

export const addChannel = (type: "slack" | "teams") => (settings: ChannelSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const url = Redacted.value(yield* Secrets.fromVariable(settings.urlFrom))
      const payload = { name: settings.name, type, url, ...(yield* timingOf(settings)) }
      const made = yield* client.alerts.createAlertReceiver({ payload })
      yield* answer(settings, made, () => `Created receiver ${made.id}`)
    })
  )

interface MailSettings extends Settings, Timing {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly security: MailSecurity
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly username: Option.Option<string>
  readonly passwordFrom: Option.Option<string>
}

export const addMail = (settings: MailSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const { from, host, name, passwordFrom, port, security, to, username } = settings
      const password = Option.isNone(passwordFrom) ? null : yield* Secrets.fromVariable(passwordFrom.value)
      const user = {
        ...(Option.isSome(username) ? { username: username.value } : {}),
        ...(password === null ? {} : { password: Redacted.value(password) })
      }
      const smtp = { host, port, security, ...user }
      const payload = { name, type: "mail" as const, smtp, from, to, ...(yield* timingOf(settings)) }
      const made = yield* client.alerts.createAlertReceiver({ payload })
      yield* answer(settings, made, () => `Created receiver ${made.id}`)
    })
  )

interface OneSettings extends Settings {
  readonly id: string
}

export const test = (settings: OneSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const outcome = yield* client.alerts.testAlertReceiver({ params: { receiver_id: settings.id } })
      if (outcome.sent) return yield* answer(settings, outcome, () => "Sent a test")
      return yield* refused("wrong", `The test was not sent: ${cell(outcome.reason ?? "", 200)}`)
    })
  )

export const remove = (settings: OneSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const removed = yield* client.alerts.removeAlertReceiver({ params: { receiver_id: settings.id } })
      yield* answer(settings, removed, () => `Deleted receiver ${removed.id}`)
    })
  )
