/**
 * Puts the layers of a process together from its settings.
 */
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { hostname } from "node:os"
import { Effect, Layer, Option, type Redacted, Schema } from "effect"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import * as SignedLinks from "../../../adapters/crypto/SignedLinks.ts"
import * as Embedded from "../../../adapters/embedded/Embedded.ts"
import * as OwnArtifactSource from "../../../adapters/files/OwnArtifactSource.ts"
import * as HttpFiles from "../../../adapters/http/HttpFiles.ts"
import * as HttpSender from "../../../adapters/http/HttpSender.ts"
import type { GridUnusable } from "../../../adapters/playwright/Grid.ts"
import type { BrowserNotConfined, ChromiumNotRunnable } from "../../../adapters/playwright/PlaywrightBrowser.ts"
import * as Postgres from "../../../adapters/postgres/Stores.ts"
import * as DatabaseClock from "../../../adapters/postgres/server/DatabaseClock.ts"
import * as Probe from "../../../adapters/postgres/server/Probe.ts"
import * as HttpSources from "../../../adapters/secrets/HttpSources.ts"
import * as SecretAsking from "../../../adapters/secrets/SecretStoreRequest.ts"
import * as ThreadSandbox from "../../../adapters/threads/ThreadSandbox.ts"
import { RunLimits } from "../../../core/agent/Limits.ts"
import type { Browser } from "../../../core/browser/Browser.ts"
import * as Host from "../../../core/builder/host/Host.ts"
import * as StartingState from "../../../core/builder/host/StartingState.ts"
import * as Notifier from "../../../core/event/notification/Notifier.ts"
import * as Dispatcher from "../../../core/event/webhook/Dispatcher.ts"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import { ArtifactLinks } from "../../../core/run/artifact/ArtifactLinks.ts"
import * as Retention from "../../../core/run/artifact/Retention.ts"
import * as InteractionRequest from "../../../core/run/interaction/InteractionRequest.ts"
import * as Scheduler from "../../../core/run/Scheduler.ts"
import * as Worker from "../../../core/run/Worker.ts"
import * as Periodic from "../../../core/runtime/Periodic.ts"
import { Supervisor } from "../../../core/runtime/Supervisor.ts"
import { Accounts } from "../../../core/vault/Accounts.ts"
import * as Receiving from "../../../core/vault/inbox/Receiving.ts"
import * as Reencryption from "../../../core/vault/keys/Reencryption.ts"
import { WrappedKeys } from "../../../core/vault/keys/WrappedKeys.ts"
import * as GeneratedCodes from "../../../core/vault/otp/GeneratedCodes.ts"
import { LoginCodes } from "../../../core/vault/otp/LoginCodes.ts"
import * as Proxies from "../../../core/vault/Proxies.ts"
import * as Idempotency from "../../../core/workspace/request/Idempotency.ts"
import type { Limit } from "../../../core/workspace/request/RateLimit.ts"
import { PublicUrl } from "../../api/http/Origin.ts"
import { Inbound } from "../../api/inbound/Inbound.ts"
import * as LiveTickets from "../../api/live/LiveTickets.ts"
import { Readiness } from "../../api/Readiness.ts"
import * as Server from "../../api/Server.ts"
import { StreamLimits } from "../../api/stream/StreamPlaces.ts"
import * as BrowserSettings from "../BrowserSettings.ts"
import * as Ending from "../Ending.ts"
import { settingNames } from "../SettingNames.ts"
import * as Artifacts from "./Artifacts.ts"
import * as Inbox from "./Inbox.ts"
import * as MasterKeys from "./MasterKeys.ts"
import * as Models from "./Models.ts"

export interface Storage extends MasterKeys.Sources, Artifacts.Settings {
  readonly databaseConnections: number
  /** How long a database that is away is waited for; none: without limit. */
  readonly waitSeconds: Option.Option<number>
}

export interface Working extends BrowserSettings.PageSettings {
  readonly concurrency: number
  readonly builderSessions: number
  readonly chromium: Option.Option<string>
  readonly allowPrivateNetworks: boolean
  readonly secretProviderOrigins: ReadonlyArray<string>
  readonly graceSeconds: number
  readonly browserEndpoints: Option.Option<BrowserSettings.Written>
  readonly guardHost: Option.Option<string>
  readonly browserUser: Option.Option<string>
  readonly browserSandbox: string
  readonly browserRuns: number
  readonly browserMemory: number
  readonly runMinutes: number
  readonly runSteps: number
  readonly proxies: ReadonlyArray<Proxies.Pooled>
}

/** Raised when there is no browser to be found. */
export class NoChromium extends Schema.TaggedError<NoChromium>()("NoChromium", {}) {
  override get message() {
    return "Cannot run workflows without Chromium: none was found in the usual places. Install it, or set SLUICE_CHROMIUM to the program"
  }
}

/** Stores, signals, identifiers and artifacts. */
export const layerStorage = (settings: Storage) => {
  const stores = Option.match(settings.databaseUrl, {
    onNone: () => Layer.fresh(Embedded.layer(settings.dataDir)),
    onSome: (url) => {
      const waitMillis = Option.getOrElse(settings.waitSeconds, () => Number.POSITIVE_INFINITY) * 1_000
      return DatabaseClock.layer.pipe(Layer.provideMerge(Postgres.layer(url, settings.databaseConnections, waitMillis)))
    }
  })
  return Layer.mergeAll(stores, Artifacts.layer(settings), Crypto.layer)
}

/**
 * The encryption keys of workspaces and what is sealed with them, on the stores. It does not build with a wrong master
 * key: every service that reads or writes secrets is built on it.
 */
export const layerEncryption = (settings: Storage) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const known = yield* (yield* WrappedKeys).list
      const { present, previous } = yield* MasterKeys.read(settings, { mayMake: known.length === 0 })
      return Encryption.layer(present, previous)
    })
  )

export interface Serving extends Inbox.Reachable, Models.ModelSettings {
  readonly host: string
  readonly port: number
  readonly rateLimits: ReadonlyArray<Limit>
  readonly streamsPerKey: number
  readonly streamsPerWorkspace: number
  readonly stalledSeconds: number
  readonly drainSeconds: number
  readonly inboundSecret: Option.Option<Redacted.Redacted<string>>
  readonly twilioAuthToken: Option.Option<Redacted.Redacted<string>>
  readonly proxies: ReadonlyArray<Proxies.Pooled>
  readonly publicUrl: Option.Option<string>
  readonly allowPrivateNetworks: boolean
  readonly secretProviderOrigins: ReadonlyArray<string>
}

/** The threads in which the content of users is processed. All parts of a process share the same. */
const layerSandbox = ThreadSandbox.layer()

/** The outside stores of secrets that connections may lead to. */
const layerSecretSources = (settings: Pick<Serving, "allowPrivateNetworks" | "secretProviderOrigins">) =>
  HttpSources.layer({
    ...SecretAsking.defaults,
    allowPrivateNetworks: settings.allowPrivateNetworks,
    allowedOrigins: settings.secretProviderOrigins
  })

/** The HTTP interface, on the stores and the encryption keys, and the delivery of events to webhooks. */
export const layerApi = (settings: Serving) =>
  layerWebhooks.pipe(
    Layer.provideMerge(
      Server.layer({
        host: settings.host,
        port: settings.port,
        rateLimits: settings.rateLimits,
        stalledSeconds: settings.stalledSeconds,
        // A person at the terminal waits for the end; no proxy sends clients there.
        graceMillis: Effect.sync(() => (Ending.isByHand() ? 0 : settings.drainSeconds * 1_000))
      })
    ),
    Layer.provide([
      layerSandbox,
      layerReadiness,
      Models.layerAvailability(settings),
      SignedLinks.layer,
      LiveTickets.layer,
      HttpSender.layer({ ...HttpSender.defaults, allowPrivateNetworks: settings.allowPrivateNetworks }),
      layerSecretSources(settings),
      Layer.succeed(PublicUrl, settings.publicUrl),
      Layer.succeed(StreamLimits, { perKey: settings.streamsPerKey, perWorkspace: settings.streamsPerWorkspace }),
      Inbox.layerNumbers(settings),
      Layer.succeed(Inbound, {
        secret: Option.getOrNull(settings.inboundSecret),
        twilioAuthToken: Option.getOrNull(settings.twilioAuthToken)
      }),
      Layer.succeed(Proxies.ProxyPool, settings.proxies)
    ])
  )

/** Delivers events to webhooks and subscribers while the layer lives. */
const layerWebhooks = Layer.effectDiscard(
  Effect.gen(function* () {
    const links = yield* ArtifactLinks
    const origin = Option.getOrElse(yield* PublicUrl, () => undefined) ?? (yield* Server.address)
    yield* Effect.forkScoped(
      Dispatcher.run({ ...Dispatcher.defaults, links: (workspace) => links.under(origin, workspace) })
    )
    yield* Effect.forkScoped(Notifier.run())
  })
)

export interface Keeping {
  /** How many days artifacts and evidence of runs are kept; `null`: without limit. */
  readonly retentionDays: number | null
}

/** Does a job for as long as the layer lives. */
const periodically = <R>(job: Periodic.Job<R>) => Layer.effectDiscard(Effect.forkScoped(Periodic.run(job)))

/** The scheduler, running for as long as the layer lives. */
export const layerScheduler = ({ retentionDays }: Keeping) =>
  Layer.mergeAll(
    Layer.effectDiscard(Effect.forkScoped(Scheduler.run())),
    periodically(InteractionRequest.forgetting),
    periodically(GeneratedCodes.forgetting),
    periodically(Idempotency.forgetting),
    periodically(Reencryption.reencryption),
    periodically(Receiving.forgetting),
    periodically(Retention.sweeping(retentionDays))
  )

/**
 * A worker with its browser, which carries out runs and hosts conversations for as long as the layer lives; its release is
 * the orderly shutdown.
 */
export const layerWorker = (
  settings: Working & Models.ModelSettings & Inbox.Reachable,
  allowedOrigins: ReadonlyArray<string> = []
) => {
  const name = `${hostname()}-${process.pid}-${randomBytes(4).toString("hex")}`
  const worker = Layer.effectDiscard(
    Effect.forkScoped(
      Worker.run({
        name,
        capacity: settings.concurrency,
        leaseMillis,
        graceMillis: settings.graceSeconds * 1_000
      })
    )
  ).pipe(Layer.provide(AgentExecutor.layer))
  const host = Layer.effectDiscard(
    Effect.gen(function* () {
      const beginningOf = yield* StartingState.ofConversations
      yield* Effect.forkScoped(Host.run({ name, capacity: settings.builderSessions, leaseMillis, beginningOf }))
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
      Layer.succeed(RunLimits, {
        steps: settings.runSteps,
        millis: settings.runMinutes * 60_000,
        names: settingNames
      })
    )
  )
}

/** Where the files come from that runs upload. */
const layerFileSource = ({ allowPrivateNetworks }: Working, allowedOrigins: ReadonlyArray<string>) =>
  OwnArtifactSource.layer(HttpFiles.make({ ...HttpFiles.defaults, allowPrivateNetworks, allowedOrigins })).pipe(
    Layer.provide(SignedLinks.layer)
  )

/** Why there can be no browsers. */
type Unusable = GridUnusable | ChromiumNotRunnable | BrowserNotConfined

/** The browsers of the grid that is named, or else one of this machine. */
const layerBrowser = (settings: Working, allowedOrigins: ReadonlyArray<string>) =>
  Layer.unwrap(
    Effect.gen(function* (): Effect.fn.Return<Layer.Layer<Browser, Unusable>, NoChromium> {
      const { allowPrivateNetworks } = settings
      const options = { allowPrivateNetworks, allowedOrigins, limits: BrowserSettings.pageLimits(settings) }
      // Loaded where there is a worker only: no other process needs it, and it is large.
      if (Option.isSome(settings.browserEndpoints)) {
        const Grid = yield* Effect.promise(() => import("../../../adapters/playwright/Grid.ts"))
        const grid: Layer.Layer<Browser, Unusable> = Grid.layer({
          ...Grid.defaults,
          ...options,
          endpoints: settings.browserEndpoints.value,
          guardHost: Option.getOrNull(settings.guardHost)
        })
        return grid
      }
      const PlaywrightBrowser = yield* Effect.promise(() => import("../../../adapters/playwright/PlaywrightBrowser.ts"))
      const executablePath = PlaywrightBrowser.findExecutable(settings.chromium, existsSync)
      if (Option.isNone(executablePath)) return yield* new NoChromium()
      return PlaywrightBrowser.layer({
        ...options,
        executablePath: executablePath.value,
        user: Option.getOrNull(settings.browserUser),
        mustBeConfined: settings.browserSandbox === "required",
        runsPerBrowser: settings.browserRuns,
        memoryPerBrowser: settings.browserMemory * 1_048_576
      })
    })
  )

/** How long a lease lasts without being renewed. */
const leaseMillis = 30_000

const layerReadiness = Layer.effect(
  Readiness,
  Effect.map(Probe.Probe, ({ ask }) =>
    Readiness.of({
      ready: Effect.gen(function* () {
        const unhealthy = yield* (yield* Supervisor).unhealthy
        return unhealthy.length === 0 && (yield* ask) !== null
      })
    })
  )
)
