/**
 * Brings a database to the present schema. Each migration runs once, in a transaction, even if several processes start
 * together.
 */
import { Effect, Layer, Schema } from "effect"
import { Migrator } from "effect/sql"
import { foundation } from "./migrations/0001_foundation.ts"
import { collections } from "./migrations/0002_collections.ts"
import { eventLog } from "./migrations/0003_event_log.ts"
import { vault } from "./migrations/0004_vault.ts"
import { workflows } from "./migrations/0005_workflows.ts"
import { requests } from "./migrations/0006_requests.ts"
import { interactions } from "./migrations/0007_interactions.ts"
import { evidence } from "./migrations/0008_evidence.ts"
import { builder } from "./migrations/0009_builder.ts"
import { keyNames } from "./migrations/0010_key_names.ts"
import { webhookDeliveries } from "./migrations/0011_webhook_deliveries.ts"
import { holdAnnouncements } from "./migrations/0012_hold_announcements.ts"
import { lightRuns } from "./migrations/0013_light_runs.ts"
import { receivedLinks } from "./migrations/0014_received_links.ts"
import { keyRotation } from "./migrations/0015_key_rotation.ts"
import { slots } from "./migrations/0017_slots.ts"
import { timeSteps } from "./migrations/0020_time_steps.ts"
import { inbox } from "./migrations/0021_inbox.ts"
import { decisions } from "./migrations/0026_decisions.ts"
import { recovery } from "./migrations/0027_recovery.ts"
import { artifacts } from "./migrations/0029_artifacts.ts"
import { liveControl } from "./migrations/0030_live_control.ts"
import { lifetimes } from "./migrations/0032_lifetimes.ts"
import { sharedLogins } from "./migrations/0033_shared_logins.ts"
import { decisionAge } from "./migrations/0034_decision_age.ts"
import { mailboxes } from "./migrations/0035_mailboxes.ts"
import { rememberedMessages } from "./migrations/0036_remembered_messages.ts"

/** Raised when the database cannot be reached, or cannot be brought to the present schema. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return `Cannot use the database at DATABASE_URL: ${this.reason}`
  }
}

const migrate = Migrator.make({})({
  loader: Migrator.fromRecord({
    "0001_foundation": foundation,
    "0002_collections": collections,
    "0003_event_log": eventLog,
    "0004_vault": vault,
    "0005_workflows": workflows,
    "0006_requests": requests,
    "0007_interactions": interactions,
    "0008_evidence": evidence,
    "0009_builder": builder,
    "0010_key_names": keyNames,
    "0011_webhook_deliveries": webhookDeliveries,
    "0012_hold_announcements": holdAnnouncements,
    "0013_light_runs": lightRuns,
    "0014_received_links": receivedLinks,
    "0015_key_rotation": keyRotation,
    "0017_slots": slots,
    "0020_time_steps": timeSteps,
    "0021_inbox": inbox,
    "0026_decisions": decisions,
    "0027_recovery": recovery,
    "0029_artifacts": artifacts,
    "0030_live_control": liveControl,
    "0032_lifetimes": lifetimes,
    "0033_shared_logins": sharedLogins,
    "0034_decision_age": decisionAge,
    "0035_mailboxes": mailboxes,
    "0036_remembered_messages": rememberedMessages
  }),
  table: "sluice_migrations"
})

/** Migrates when it is built. Layers that need the schema are built on it. */
export const layer = Layer.effectDiscard(Effect.mapError(migrate, unavailable))

/** Why a database cannot be used, from whatever its client failed with. */
export function unavailable(error: { readonly message: string; readonly cause?: unknown }): DatabaseUnavailable {
  let reason = error.message
  for (let cause: unknown = error.cause; cause instanceof Error; cause = cause.cause) reason = cause.message || reason
  return new DatabaseUnavailable({ reason })
}
