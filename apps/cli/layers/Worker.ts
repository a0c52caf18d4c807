/**
 * A worker with its browser, which executes runs and hosts conversations that build workflows.
 */
import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { Effect, Layer, Option, References } from "effect"
import * as SignedLinks from "../../../adapters/crypto/SignedLinks.ts"
import * as OwnArtifactSource from "../../../adapters/files/OwnArtifactSource.ts"
import * as HttpFiles from "../../../adapters/http/HttpFiles.ts"
import { RunLimits } from "../../../core/agent/Limits.ts"
import * as Host from "../../../core/builder/host/Host.ts"
import * as StartingState from "../../../core/builder/host/StartingState.ts"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as ReplayRecord from "../../../core/execution/replay/ReplayRecord.ts"
import { WorkspaceStorage } from "../../../core/run/artifact/WorkspaceStorage.ts"
import * as Worker from "../../../core/run/Worker.ts"
import { Accounts } from "../../../core/vault/Accounts.ts"
import { LoginCodes } from "../../../core/vault/otp/LoginCodes.ts"
import * as Proxies from "../../../core/vault/Proxies.ts"
import { settingNames } from "../SettingNames.ts"
import { type BrowsersSettings, layerBrowser } from "./Browsers.ts"
import * as Inbox from "./Inbox.ts"
import * as Models from "./Models.ts"
import { layerSandbox } from "./Sandbox.ts"
import { layerSecretSources, type SourceSettings } from "./SecretSources.ts"

import { areSeveral, placesOf, sharesOfPlaces } from "./WorkspaceShares.ts"

export interface WorkerLayerSettings extends BrowsersSettings, SourceSettings, Models.ModelSettings, Inbox.Reachable {
  readonly concurrency: number
  readonly workspaceRuns: Option.Option<number>
  /** In MiB. */
  readonly workspaceStorage: Option.Option<number>
  /** In MiB. */
  readonly replayRecordSize: number
  readonly builderSessions: number
  readonly workspaceSessions: Option.Option<number>
  readonly graceSeconds: number
  readonly runMinutes: number
  readonly runSteps: number
  readonly proxies: ReadonlyArray<Proxies.PoolProxy>
}

/** The duration of a lease that is not renewed. */
const leaseMillis = 30_000

/** A worker as it reports itself to its installation. Its name is different for every process. */
export const presence = ({ concurrency, workspaceRuns }: WorkerLayerSettings) => ({
  name: `${hostname()}-${process.pid}-${randomBytes(4).toString("hex")}`,
  capacity: concurrency,
  workspaceRuns: placesOf(workspaceRuns, concurrency, areSeveral)
})

/** Disables the spans of Effect, as in requests: no exporter of the service reads them. */
const withoutSpans = Effect.provideService(References.TracerEnabled, false)

/**
 * A worker with its browser, which carries out runs and hosts conversations for as long as the layer lives; its release is
 * the orderly shutdown.
 */
export const layerWorker = (
  settings: WorkerLayerSettings,
  { name }: { readonly name: string },
  allowedOrigins: ReadonlyArray<string> = []
) => {
  const worker = Layer.effectDiscard(
    Effect.gen(function* () {
      const shareOf = yield* sharesOfPlaces
      yield* Effect.forkScoped(
        Worker.run({
          name,
          capacity: settings.concurrency,
          workspaceRuns: shareOf(settings.workspaceRuns),
          leaseMillis,
          graceMillis: settings.graceSeconds * 1_000
        }).pipe(withoutSpans)
      )
    })
  ).pipe(
    Layer.provide(AgentExecutor.layer),
    Layer.provide(
      Layer.succeed(
        WorkspaceStorage,
        Option.getOrNull(Option.map(settings.workspaceStorage, (size) => size * 1_048_576))
      )
    )
  )
  const host = Layer.effectDiscard(
    Effect.gen(function* () {
      const beginningOf = yield* StartingState.ofConversations
      const workspaceSessions = (yield* sharesOfPlaces)(settings.workspaceSessions)
      const capacity = settings.builderSessions
      yield* Effect.forkScoped(Host.run({ name, capacity, workspaceSessions, leaseMillis, beginningOf }))
    })
  ).pipe(Layer.provide([Accounts.layer, LoginCodes.layer]))
  return Layer.mergeAll(worker, host).pipe(
    Layer.provide(layerSandbox),
    Layer.provide(Models.layer(settings)),
    Layer.provide(Inbox.layerReceived(settings)),
    Layer.provide(Layer.succeed(Proxies.ProxyPool, settings.proxies)),
    Layer.provide(layerSecretSources(settings)),
    Layer.provide(layerFileSource(settings, allowedOrigins)),
    Layer.provide(layerBrowser(settings, allowedOrigins)),
    Layer.provide(
      Layer.succeed(ReplayRecord.ReplayBounds, {
        ...ReplayRecord.defaultBounds,
        bytes: settings.replayRecordSize * 1_048_576
      })
    ),
    Layer.provide(
      Layer.succeed(RunLimits, {
        steps: settings.runSteps,
        millis: settings.runMinutes * 60_000,
        names: settingNames
      })
    )
  )
}

/** The source of the files that runs upload. */
const layerFileSource = ({ allowPrivateNetworks }: WorkerLayerSettings, allowedOrigins: ReadonlyArray<string>) =>
  OwnArtifactSource.layer(HttpFiles.make({ ...HttpFiles.defaults, allowPrivateNetworks, allowedOrigins })).pipe(
    Layer.provide(SignedLinks.layer)
  )
