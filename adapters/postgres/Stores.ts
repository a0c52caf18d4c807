/**
 * All stores on one PostgreSQL, its schema brought up to date before any of them is built.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, type Redacted } from "effect"
import { RunSubscriptionStore, kind as runSubscriptions } from "../../core/event/notification/KeptSubscription.ts"
import { ErrorCodeStore, kind as errorCodes } from "../../core/workspace/ErrorCodes.ts"
import * as Migrations from "./Migrations.ts"
import * as PgArtifactStore from "./PgArtifactStore.ts"
import * as PgBuilderStore from "./PgBuilderStore.ts"
import * as PgCollection from "./PgCollection.ts"
import * as PgComponentStore from "./PgComponentStore.ts"
import * as PgDecisionStore from "./PgDecisionStore.ts"
import * as PgDeliveries from "./PgDeliveries.ts"
import * as PgElementMemory from "./PgElementMemory.ts"
import * as PgErrorReports from "./PgErrorReports.ts"
import * as PgEventLog from "./PgEventLog.ts"
import * as PgEvidenceStore from "./PgEvidenceStore.ts"
import * as PgGateStore from "./PgGateStore.ts"
import * as PgIdempotencyStore from "./PgIdempotencyStore.ts"
import * as PgInteractionStore from "./PgInteractionStore.ts"
import * as PgLiveChannel from "./PgLiveChannel.ts"
import * as PgLiveStore from "./PgLiveStore.ts"
import * as PgPatchStore from "./PgPatchStore.ts"
import * as PgRunStore from "./PgRunStore.ts"
import * as PgSignals from "./PgSignals.ts"
import * as PgVault from "./PgVault.ts"
import * as PgWebhookStore from "./PgWebhookStore.ts"
import * as PgWorkflowStore from "./PgWorkflowStore.ts"
import * as PgWorkspaceStore from "./PgWorkspaceStore.ts"

/**
 * The longest row that is read, in bytes. A run's input alone may have 25 MB, and what its events tell of it as much
 * again; the client would take 16 MB.
 */
export const maxMessageSize = 268_435_456

/** The stores, on whatever client of the database is given. */
export const layerStores = Layer.mergeAll(
  PgComponentStore.layer,
  PgDeliveries.layer,
  PgEventLog.layer,
  PgBuilderStore.layer,
  PgGateStore.layer,
  PgIdempotencyStore.layer,
  PgInteractionStore.layer,
  PgRunStore.layer,
  PgWebhookStore.layer,
  PgWorkflowStore.layer,
  PgWorkspaceStore.layer,
  PgErrorReports.layer,
  PgDecisionStore.layer,
  PgEvidenceStore.layer,
  PgLiveStore.layer,
  PgElementMemory.layer,
  PgPatchStore.layer,
  PgArtifactStore.layer,
  Layer.effect(ErrorCodeStore, PgCollection.make(errorCodes)),
  Layer.effect(RunSubscriptionStore, PgCollection.make(runSubscriptions)),
  PgVault.layer
).pipe(Layer.provideMerge(Migrations.layer))

/** The stores and signals on the server at a URL such as `postgres://user:password@host/database`. */
export const layer = (url: Redacted.Redacted<string>, maxConnections = 10) =>
  Layer.mergeAll(layerStores, PgSignals.layer, PgLiveChannel.layer).pipe(
    Layer.provideMerge(
      PgClient.layerFrom(
        PgClient.make({ url, maxConnections, maxMessageSize, applicationName: "sluice" }).pipe(
          Effect.mapError(Migrations.unavailable)
        )
      )
    )
  )
