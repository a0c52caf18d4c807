/**
 * Registering, changing and testing who alerts of a workspace go to.
 */
import { Clock, Context, Effect, Layer, Option, Redacted, Result } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Sealing } from "../../vault/keys/Sealing.ts"
import { Audit, type Draft } from "../../workspace/audit/Audit.ts"
import * as AuditedChange from "../../workspace/audit/AuditedChange.ts"
import type { KeyTaken } from "../../workspace/Collection.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import * as Permissions from "../../workspace/Permissions.ts"
import type { Caller, RoleForbids } from "../../workspace/Workspace.ts"
import { Sender } from "../webhook/Sender.ts"
import type { AlertOutcome } from "./Alert.ts"
import {
  type AlertReceiver,
  AlertReceiverStore,
  InvalidReceiver,
  type MailServer,
  type ReceiverAccess,
  ReceiverNotFound,
  type ReceiverType
} from "./AlertReceiver.ts"
import * as AlertSending from "./AlertSending.ts"
import { type AlertFilter, Alerts, type ListedAlert } from "./Alerts.ts"
import { MailTransport } from "./MailTransport.ts"

/** What a person sets of a receiver. An omitted field is not changed. */
export interface ReceiverFields
  extends Partial<
    Pick<AlertReceiver, "name" | "kinds" | "urgent" | "workflowIds" | "quiet" | "gatherSeconds" | "pauseSeconds">
  > {
  /** The address of the web hook of a channel. */
  readonly url?: Redacted.Redacted<string>
  readonly server?: MailServer
  readonly from?: string
  readonly to?: ReadonlyArray<string>
  /** The user of the mail server; `null` for none. */
  readonly user?: Redacted.Redacted<{ readonly username: string; readonly password: string }> | null
}

/** What is gathered and for how long, where nothing is said. */
export const defaults = { gatherSeconds: 60, pauseSeconds: 3_600 }

export class AlertReceivers extends Context.Service<
  AlertReceivers,
  {
    readonly list: (caller: Caller) => Effect.Effect<ReadonlyArray<AlertReceiver>, RoleForbids | StoreUnavailable>

    readonly get: (
      caller: Caller,
      id: string
    ) => Effect.Effect<AlertReceiver, ReceiverNotFound | RoleForbids | StoreUnavailable>

    readonly create: (
      caller: Caller,
      fields: ReceiverFields & { readonly name: string; readonly type: ReceiverType }
    ) => Effect.Effect<AlertReceiver, InvalidReceiver | KeyTaken | RoleForbids | StoreUnavailable>

    /** Changes a receiver. Alerts that are gathered already keep the instant at which they are due. */
    readonly change: (
      caller: Caller,
      id: string,
      fields: ReceiverFields
    ) => Effect.Effect<AlertReceiver, InvalidReceiver | ReceiverNotFound | KeyTaken | RoleForbids | StoreUnavailable>

    /** Removes a receiver and answers what it was. What was gathered for it is not sent. */
    readonly remove: (
      caller: Caller,
      id: string
    ) => Effect.Effect<AlertReceiver, ReceiverNotFound | RoleForbids | StoreUnavailable>

    /** Sends a test at once, whatever the hour, and answers what came of it. */
    readonly test: (
      caller: Caller,
      id: string
    ) => Effect.Effect<AlertOutcome, ReceiverNotFound | RoleForbids | StoreUnavailable>

    readonly alerts: (
      caller: Caller,
      filter: AlertFilter
    ) => Effect.Effect<ReadonlyArray<ListedAlert>, RoleForbids | StoreUnavailable>
  }
>()("sluice/core/event/alert/AlertReceivers") {
  static readonly layer = Layer.effect(
    AlertReceivers,
    Effect.gen(function* () {
      const store = yield* AlertReceiverStore
      const alerts = yield* Alerts
      const audit = yield* Audit
      const identifiers = yield* Identifiers
      const sealing = yield* Sealing
      const sender = yield* Sender
      const mails = yield* MailTransport
      const context = yield* Effect.context<Sealing | Sender | MailTransport>()

      /** The parts of a receiver that say where it is, from what a person sets and what there was before. */
      const place = Effect.fnUntraced(function* (
        caller: Caller,
        type: ReceiverType,
        fields: ReceiverFields,
        before: AlertReceiver | null
      ) {
        const problem = misfit(type, fields, before) ?? unreachable(fields)
        if (problem !== null) return yield* new InvalidReceiver(problem)
        const { from, server, to, url, user } = fields
        const seal = (access: ReceiverAccess) => sealing.seal(caller.workspaceId, Redacted.make(access))
        if (type !== "mail") {
          if (url === undefined) return null
          const address = Redacted.value(url)
          return { host: new URL(address).host, mail: null, sealedAccess: yield* seal({ url: address }) }
        }
        const mail = {
          server: server ?? before?.mail?.server,
          from: from ?? before?.mail?.from,
          to: to ?? before?.mail?.to
        }
        if (mail.server === undefined || mail.from === undefined || mail.to === undefined) return null
        // A password is not sent to another server than the one that it was set for.
        const isMoved = before?.mail?.server !== undefined && before.mail.server.host !== mail.server.host
        const kept = isMoved ? null : (before?.sealedAccess ?? null)
        const sealedAccess = user === undefined ? kept : user === null ? null : yield* seal(Redacted.value(user))
        if (sealedAccess !== null && mail.server.security === "none") {
          const reason = "Expected tls or starttls where there is a user: a password is not sent in clear"
          return yield* new InvalidReceiver({ path: "smtp.security", reason })
        }
        return {
          host: mail.server.host,
          mail: { server: mail.server, from: mail.from, to: mail.to },
          sealedAccess
        }
      })

      const unreachable = ({ server, url }: ReceiverFields) => {
        const ofUrl = url === undefined ? null : sender.refusal(Redacted.value(url))
        if (ofUrl !== null) return { path: "url", reason: ofUrl }
        const ofServer = server === undefined ? null : mails.refusal(server.host)
        return ofServer === null ? null : { path: "smtp.host", reason: ofServer }
      }

      const get = Effect.fn("AlertReceivers.get")((caller: Caller, id: string) =>
        found(store.get(caller.workspaceId, id), id)
      )

      return AlertReceivers.of({
        list: Effect.fn("AlertReceivers.list")((caller) => store.list(caller.workspaceId)),
        get,
        create: Effect.fn("AlertReceivers.create")(function* (caller, fields) {
          const at = yield* place(caller, fields.type, fields, null)
          if (at === null) {
            return yield* new InvalidReceiver({ path: "type", reason: `Expected ${needs[fields.type]}` })
          }
          const now = yield* Clock.currentTimeMillis
          const receiver: AlertReceiver = {
            id: yield* identifiers.uuid,
            name: fields.name,
            type: fields.type,
            ...at,
            kinds: fields.kinds ?? ["failed", "person_needed", "not_started"],
            urgent: fields.urgent ?? [],
            workflowIds: fields.workflowIds ?? null,
            quiet: fields.quiet ?? null,
            gatherSeconds: fields.gatherSeconds ?? defaults.gatherSeconds,
            pauseSeconds: fields.pauseSeconds ?? defaults.pauseSeconds,
            createdAt: now,
            createdBy: caller.userId,
            updatedAt: now
          }
          yield* audit.recording(caller, store.insert(caller.workspaceId, receiver), () => [auditOf(null, receiver)])
          return receiver
        }),
        change: Effect.fn("AlertReceivers.change")(function* (caller, id, fields) {
          const before = yield* get(caller, id)
          const at = yield* place(caller, before.type, fields, before)
          const { from: _from, server: _server, to: _to, url: _url, user: _user, ...plain } = fields
          const changes = { ...plain, ...at, updatedAt: yield* Clock.currentTimeMillis }
          const changed = AuditedChange.change(
            audit,
            caller,
            store,
            id,
            (before) => Result.succeed({ ...before, ...changes }),
            auditOf
          )
          return yield* found(changed, id)
        }),
        remove: Effect.fn("AlertReceivers.remove")((caller, id) =>
          found(
            AuditedChange.remove(audit, caller, store, id, (before) => ({
              action: "alert_receiver.delete",
              resourceId: before.id,
              resourceName: before.name,
              before: audited(before),
              after: null
            })),
            id
          )
        ),
        test: Effect.fn("AlertReceivers.test")(function* (caller, id) {
          const receiver = yield* get(caller, id)
          const words = { title: "A test of alerts", lines: [`Alerts of Sluice to "${receiver.name}" arrive here.`] }
          const testId = yield* identifiers.uuid
          return yield* Effect.provide(AlertSending.send(caller.workspaceId, receiver, testId, words), context)
        }),
        alerts: Effect.fn("AlertReceivers.alerts")((caller, filter) => alerts.list(caller.workspaceId, filter))
      })
    }).pipe(
      Permissions.checked<AlertReceivers["Service"]>({
        list: "manage",
        get: "manage",
        create: "manage",
        change: "manage",
        remove: "manage",
        test: "manage",
        alerts: "manage"
      })
    )
  )
}

const needs: Readonly<Record<ReceiverType, string>> = {
  mail: "smtp, from and to for the type mail",
  slack: "the url of an incoming web hook for the type slack",
  teams: "the url of an incoming web hook for the type teams"
}

/** What does not fit the type of a receiver; `null` where all does. */
const misfit = (type: ReceiverType, fields: ReceiverFields, before: AlertReceiver | null) => {
  const mailFields = { smtp: fields.server, from: fields.from, to: fields.to }
  if (type === "mail") {
    if (fields.url !== undefined) return { path: "url", reason: "Expected no url for the type mail" }
    const missing =
      before === null ? Object.entries(mailFields).find(([, value]) => value === undefined)?.[0] : undefined
    return missing === undefined ? null : { path: missing, reason: `Expected ${needs.mail}` }
  }
  const other = Object.entries(mailFields).find(([, value]) => value !== undefined)?.[0]
  if (other !== undefined) return { path: other, reason: `Expected no ${other} for the type ${type}` }
  return before === null && fields.url === undefined ? { path: "url", reason: `Expected ${needs[type]}` } : null
}

const found = <E, R>(effect: Effect.Effect<Option.Option<AlertReceiver>, E, R>, id: string) =>
  Effect.flatMap(
    effect,
    Option.match({
      onNone: (): Effect.Effect<AlertReceiver, ReceiverNotFound> =>
        Effect.fail(new ReceiverNotFound({ receiverId: id })),
      onSome: (receiver) => Effect.succeed(receiver)
    })
  )

/** The audit entry of a receiver. Of the address of a channel only the host is shown, as the rest is a secret. */
const auditOf = (before: AlertReceiver | null, after: AlertReceiver): Draft => ({
  action: before === null ? "alert_receiver.create" : "alert_receiver.change",
  resourceId: after.id,
  resourceName: after.name,
  before: before === null ? null : audited(before),
  after: { ...audited(after), access_changed: (before?.sealedAccess ?? null) !== after.sealedAccess }
})

const audited = (receiver: AlertReceiver) => ({
  name: receiver.name,
  type: receiver.type,
  host: receiver.host,
  to: receiver.mail?.to ?? null,
  events: receiver.kinds,
  urgent: receiver.urgent,
  workflow_ids: receiver.workflowIds,
  quiet_hours:
    receiver.quiet === null
      ? null
      : { time_zone: receiver.quiet.timeZone, from: receiver.quiet.from, to: receiver.quiet.to },
  gather_seconds: receiver.gatherSeconds,
  pause_seconds: receiver.pauseSeconds
})
