/**
 * Receivers of the events of runs: those registered for a workspace or one workflow, and the one that a submission may
 * name for its own run.
 *
 * The secret that signs deliveries is stored sealed, and is never returned again.
 */

import { Context, Schema, SchemaTransformation } from "effect"
import * as TextLength from "../../window/TextLength.ts"
import type { Collection, Kind } from "../../workspace/Collection.ts"
import * as Json from "../../workspace/Json.ts"
import * as ParsedJson from "../../workspace/request/ParsedJson.ts"
import { isMetadataWithin, mostMetadata } from "../EventBounds.ts"
import { EventTypes } from "./Subscription.ts"

/** Why a text is no address that can be delivered to; `undefined` when it is one. */
const problemOf = (text: string): string | undefined => {
  if (URL.parse(text) === null) return "Expected an http or https URL"
  const url = new URL(text)
  if (url.protocol !== "http:" && url.protocol !== "https:") return "Expected an http or https URL"
  if (url.username !== "" || url.password !== "") {
    return "Expected a URL without a user name and password: deliveries are authenticated by their signature"
  }
  return undefined
}

/** An absolute http or https URL of at most 2,048 characters, without a user name and password. Blanks around it are removed. */
export const Url = Schema.String.check(TextLength.atMost(2_048)).pipe(
  Schema.decodeTo(
    Schema.String.check(TextLength.atMost(2_048), Schema.makeFilter(problemOf)),
    SchemaTransformation.trim()
  )
)

/** A test message that was sent to a webhook, and what came of it. */
const TestDelivery = Schema.Struct({
  id: Schema.String,
  /** When it was sent, in epoch milliseconds. */
  at: Schema.Int,
  url: Schema.String,
  /** `null` when it was not answered. */
  responseStatus: Schema.NullOr(Schema.Int),
  durationMillis: Schema.NullOr(Schema.Int),
  /** Why it did not arrive; `null` when it did. */
  error: Schema.NullOr(Schema.String)
})
export type TestDelivery = typeof TestDelivery.Type

/** How many tests of a webhook are kept. */
export const mostTests = 10

/** For how many seconds a receiver may believe a delivery after it was sent: from 1 second to 7 days. */
export const Validity = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 604_800 }))

/** The default of `validity`. */
export const defaultValidity = 300

/** The most objects and lists that a value in the metadata of a webhook may be within. */
const metadataLevels = 32

const problemOfMetadata = (metadata: Schema.Json): string | undefined => {
  if (Json.isDeeperThan(metadata, metadataLevels)) {
    return `Expected metadata of at most ${metadataLevels} levels of objects and lists, got more`
  }
  return isMetadataWithin(metadata)
    ? undefined
    : `Expected metadata of at most ${mostMetadata} bytes as JSON, got more: each message of the run carries it`
}

const describedMetadata = {
  description: `Any JSON value, carried by each message to a webhook about this run: at most ${mostMetadata} bytes as JSON in UTF-8, and ${metadataLevels} levels of objects and lists`
}

/** What a submission adds to each message about its run: any JSON value of at most 16 KiB and 32 levels. */
export const Metadata = ParsedJson.json.check(
  Schema.makeFilter(problemOfMetadata, { toJsonSchema: () => describedMetadata })
)

export const Webhook = Schema.Struct({
  id: Schema.String,
  /** The workflow whose events it receives; `null` for every workflow of the workspace. */
  workflowId: Schema.NullOr(Schema.String),
  url: Schema.String,
  eventTypes: EventTypes,
  sealedSecret: Schema.String,
  /** The part of the secret that is shown to recognise it. */
  secretHint: Schema.String,
  validity: Schema.Int,
  /** An inactive one is sent nothing. */
  active: Schema.Boolean,
  /** Why the service deactivated it; `null` when it did not. */
  inactiveReason: Schema.NullOr(Schema.String),
  createdAt: Schema.Int,
  createdBy: Schema.String,
  updatedAt: Schema.Int,
  /** The last tests, newest first. */
  tests: Schema.optionalKey(Schema.Array(TestDelivery))
})
export type Webhook = typeof Webhook.Type

/** One address is registered once for a workspace, and once for each workflow. */
export const kind: Kind<Webhook> = {
  name: "webhooks",
  schema: Webhook,
  key: ({ url, workflowId }) => `${workflowId ?? "*"} ${url}`
}

export class WebhookStore extends Context.Service<WebhookStore, Collection<Webhook>>()(
  "sluice/core/event/webhook/WebhookStore"
) {}

/** The webhook of a submission as it is stored, with its secret sealed. */
export const RunWebhook = Schema.Struct({
  /** The targets of the events of this run, beside the registered webhooks. */
  url: Schema.optionalKey(Schema.String),
  event_types_subscribed: Schema.optionalKey(Schema.Array(Schema.String)),
  sealed_secret: Schema.optionalKey(Schema.String),
  validity: Schema.optionalKey(Schema.Int),
  /** Given back in every event of the run that a webhook is sent. */
  metadata: Schema.optionalKey(Schema.Json)
})
export type RunWebhook = typeof RunWebhook.Type

/** Raised for a webhook that does not exist in the workspace. */
export class WebhookNotFound extends Schema.TaggedError<WebhookNotFound>()("WebhookNotFound", {
  webhookId: Schema.String
}) {
  override get message() {
    return `Webhook "${this.webhookId}" not found in this workspace`
  }
}

/** Raised when an address would be registered twice for the same runs. */
export class WebhookExists extends Schema.TaggedError<WebhookExists>()("WebhookExists", {
  workflowId: Schema.NullOr(Schema.String)
}) {
  override get message() {
    const scope = this.workflowId === null ? "all workflows" : `workflow "${this.workflowId}"`
    return `Cannot register the webhook: its url is registered for ${scope} already. Change that one instead`
  }
}

/** Raised for an address that the service does not deliver to. */
export class UrlRefused extends Schema.TaggedError<UrlRefused>()("UrlRefused", { reason: Schema.String }) {
  override get message() {
    return `Cannot deliver to the webhook: ${this.reason}`
  }
}
