/**
 * Registering, changing and trying the webhooks of a workspace.
 */
import { Clock, Context, Effect, Layer, Option, Redacted, Result, type Schema } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { WorkflowStore } from "../../workflow/WorkflowStore.ts"
import { Audit, type Draft } from "../../workspace/audit/Audit.ts"
import * as AuditedChange from "../../workspace/audit/AuditedChange.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import type { WorkflowId, WorkflowNotFound } from "../../workspace/Ids.ts"
import * as Permissions from "../../workspace/Permissions.ts"
import type { Caller, RoleForbids } from "../../workspace/Workspace.ts"
import { Deliveries } from "./Deliveries.ts"
import {
  type Delivery,
  type DeliveryNotDead,
  type DeliveryNotFound,
  describe,
  isDelivered,
  type Outcome
} from "./Delivery.ts"
import * as DeliveryAttempt from "./DeliveryAttempt.ts"
import { Sender } from "./Sender.ts"
import type { EventType } from "./Subscription.ts"
import * as Target from "./Target.ts"
import {
  defaultValidity,
  mostTests,
  type RunWebhook,
  type TestDelivery,
  UrlRefused,
  type Webhook,
  WebhookExists,
  WebhookNotFound,
  WebhookStore
} from "./Webhook.ts"
import { hintOf, WebhookSecrets } from "./WebhookSecrets.ts"

/** The settings of a webhook. An omitted field gets its default in a registration, and is not changed in an update. */
export interface Settings {
  readonly url?: string
  readonly eventTypes?: ReadonlyArray<EventType>
  readonly secret?: Redacted.Redacted<string>
  readonly validity?: number
  readonly active?: boolean
}

/** The webhook options of a submission, as received. */
export interface RunRequest {
  readonly url?: string
  readonly event_types_subscribed?: ReadonlyArray<string>
  readonly secret?: Redacted.Redacted<string>
  readonly validity?: number
  readonly metadata?: Schema.Json
}

export class Webhooks extends Context.Service<
  Webhooks,
  {
    /** Registers a webhook and returns it with its secret, which is generated unless given, and returned only once. */
    readonly create: (
      caller: Caller,
      settings: Settings & { readonly url: string; readonly workflowId: WorkflowId | null }
    ) => Effect.Effect<
      { readonly webhook: Webhook; readonly secret: Redacted.Redacted<string> },
      UrlRefused | WebhookExists | WorkflowNotFound | RoleForbids | StoreUnavailable
    >

    readonly list: (caller: Caller) => Effect.Effect<ReadonlyArray<Webhook>, StoreUnavailable>

    readonly get: (caller: Caller, id: string) => Effect.Effect<Webhook, WebhookNotFound | StoreUnavailable>

    /** Changes a webhook. Pending deliveries go to its address at the time of sending. */
    readonly change: (
      caller: Caller,
      id: string,
      settings: Settings
    ) => Effect.Effect<Webhook, UrlRefused | WebhookExists | WebhookNotFound | RoleForbids | StoreUnavailable>

    /** Removes a webhook and answers what it was. Its pending deliveries are dropped. */
    readonly remove: (
      caller: Caller,
      id: string
    ) => Effect.Effect<Webhook, WebhookNotFound | RoleForbids | StoreUnavailable>

    /** Sends a webhook a signed message of the kind `webhook.test`, once, keeps the result with the webhook, and returns it. */
    readonly test: (
      caller: Caller,
      id: string
    ) => Effect.Effect<Outcome, WebhookNotFound | RoleForbids | StoreUnavailable>

    /** Retries a delivery that was given up, as a user asks, and returns its new state. */
    readonly retry: (
      caller: Caller,
      deliveryId: string
    ) => Effect.Effect<Delivery, DeliveryNotFound | DeliveryNotDead | RoleForbids | StoreUnavailable>

    /** The webhook of a submission as it is stored, with its secret sealed. */
    readonly ofRun: (request: RunRequest) => Effect.Effect<RunWebhook, UrlRefused | StoreUnavailable>
  }
>()("sluice/core/event/webhook/Webhooks") {
  static readonly layer = Layer.effect(
    Webhooks,
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const audit = yield* Audit
      const workflows = yield* WorkflowStore
      const identifiers = yield* Identifiers
      const secrets = yield* WebhookSecrets
      const sender = yield* Sender
      const deliveries = yield* Deliveries

      const permitted = (url: string): Effect.Effect<void, UrlRefused> => {
        const reason = sender.refusal(url)
        return reason === null ? Effect.void : Effect.fail(new UrlRefused({ reason }))
      }

      const sealed = Effect.fnUntraced(function* (secret: Redacted.Redacted<string>) {
        return { sealedSecret: yield* secrets.seal(secret), secretHint: hintOf(Redacted.value(secret)) }
      })

      const get = Effect.fn("Webhooks.get")((caller: Caller, id: string) =>
        found(store.get(caller.workspaceId, id), id)
      )

      return Webhooks.of({
        get,
        create: Effect.fn("Webhooks.create")(function* (caller, { workflowId, ...settings }) {
          yield* permitted(settings.url)
          if (workflowId !== null) yield* workflows.get(caller.workspaceId, workflowId)
          const secret = settings.secret ?? (yield* secrets.make)
          const now = yield* Clock.currentTimeMillis
          const webhook: Webhook = {
            id: yield* identifiers.uuid,
            workflowId,
            url: settings.url,
            eventTypes: settings.eventTypes ?? [],
            ...(yield* sealed(secret)),
            validity: settings.validity ?? defaultValidity,
            active: settings.active ?? true,
            inactiveReason: null,
            createdAt: now,
            createdBy: caller.userId,
            updatedAt: now
          }
          yield* audit
            .recording(caller, store.insert(caller.workspaceId, webhook), () => [auditOfChange(null, webhook)])
            .pipe(Effect.catchTag("KeyTaken", () => Effect.fail(new WebhookExists({ workflowId }))))
          return { webhook, secret }
        }),
        list: Effect.fn("Webhooks.list")((caller) => store.list(caller.workspaceId)),
        change: Effect.fn("Webhooks.change")(function* (caller, id, settings) {
          if (settings.url !== undefined) yield* permitted(settings.url)
          const secret = settings.secret === undefined ? {} : yield* sealed(settings.secret)
          const updatedAt = yield* Clock.currentTimeMillis
          const before = yield* get(caller, id)
          const changed = AuditedChange.change(
            audit,
            caller,
            store,
            id,
            (now) => Result.succeed(changedBy(now, settings, secret, updatedAt)),
            auditOfChange
          )
          return yield* found(
            changed.pipe(
              Effect.catchTag("KeyTaken", () => Effect.fail(new WebhookExists({ workflowId: before.workflowId })))
            ),
            id
          )
        }),
        remove: Effect.fn("Webhooks.remove")((caller, id) =>
          found(AuditedChange.remove(audit, caller, store, id, auditOfRemoval), id)
        ),
        test: Effect.fn("Webhooks.test")(function* (caller, id) {
          const target = Target.registeredTarget(yield* get(caller, id))
          const webhook = { id, workspaceId: caller.workspaceId }
          const at = yield* Clock.currentTimeMillis
          const testId = yield* identifiers.uuid
          const outcome = yield* DeliveryAttempt.sendTest(target, webhook, testId).pipe(
            Effect.provideService(Sender, sender),
            Effect.provideService(WebhookSecrets, secrets)
          )
          const test = testOf(testId, at, target.url, outcome)
          const kept = (now: Webhook) =>
            Result.succeed({ ...now, tests: [test, ...(now.tests ?? [])].slice(0, mostTests) })
          // Its address, the key, stays as it is.
          yield* store.change(caller.workspaceId, id, kept).pipe(Effect.catchTag("KeyTaken", Effect.die))
          return outcome
        }),
        retry: Effect.fn("Webhooks.retry")((caller, id) => deliveries.retry(caller.workspaceId, id)),
        ofRun: Effect.fn("Webhooks.ofRun")(function* ({ secret, ...request }) {
          if (request.url !== undefined) yield* permitted(request.url)
          return secret === undefined ? request : { ...request, sealed_secret: yield* secrets.seal(secret) }
        })
      })
    }).pipe(
      Permissions.checked<Webhooks["Service"]>({
        create: "manage",
        list: "read",
        get: "read",
        change: "manage",
        remove: "manage",
        test: "manage",
        retry: "edit"
      })
    )
  )
}

const testOf = (id: string, at: number, url: string, outcome: Outcome): TestDelivery => ({
  id,
  at,
  url,
  responseStatus: outcome._tag === "Answered" ? outcome.status : null,
  durationMillis: outcome._tag === "Refused" ? null : outcome.durationMillis,
  error: isDelivered(outcome) ? null : describe(outcome)
})

/** A webhook that is activated again forgets why it was deactivated. */
const changedBy = (
  before: Webhook,
  { active, eventTypes, url, validity }: Settings,
  secret: Partial<Pick<Webhook, "sealedSecret" | "secretHint">>,
  updatedAt: number
): Webhook => ({
  ...before,
  ...secret,
  url: url ?? before.url,
  eventTypes: eventTypes ?? before.eventTypes,
  validity: validity ?? before.validity,
  active: active ?? before.active,
  inactiveReason: active === true ? null : before.inactiveReason,
  updatedAt
})

const found = <E, R>(effect: Effect.Effect<Option.Option<Webhook>, E, R>, id: string) =>
  Effect.flatMap(
    effect,
    Option.match({
      onNone: (): Effect.Effect<Webhook, WebhookNotFound> => Effect.fail(new WebhookNotFound({ webhookId: id })),
      onSome: (webhook) => Effect.succeed(webhook)
    })
  )

/**
 * The audit entry of a webhook. Of an address only the host is shown, because its path and query may hold a token; the
 * secret is never in one.
 */
const auditOfChange = (before: Webhook | null, after: Webhook): Draft => ({
  action: before === null ? "webhook.create" : "webhook.change",
  resourceId: after.id,
  resourceName: hostOf(after.url),
  before: before === null ? null : audited(before),
  after: {
    ...audited(after),
    url_changed: before?.url !== after.url,
    secret_changed: before?.sealedSecret !== after.sealedSecret
  }
})

const auditOfRemoval = (before: Webhook): Draft => ({
  action: "webhook.delete",
  resourceId: before.id,
  resourceName: hostOf(before.url),
  before: audited(before),
  after: null
})

const audited = ({ active, eventTypes, url, validity, workflowId }: Webhook) => ({
  host: hostOf(url),
  workflow_id: workflowId,
  event_types: eventTypes,
  signature_validity_seconds: validity,
  active
})

const hostOf = (url: string): string | null => URL.parse(url)?.host ?? null
