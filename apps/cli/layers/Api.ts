/**
 * The HTTP interface of a process, and the delivery of events to webhooks and of files.
 */
import { Effect, Layer, Option, type Redacted } from "effect"
import * as BundleSigning from "../../../adapters/crypto/BundleSigning.ts"
import * as SignedLinks from "../../../adapters/crypto/SignedLinks.ts"
import * as HttpSender from "../../../adapters/http/HttpSender.ts"
import * as HttpSink from "../../../adapters/http/HttpSink.ts"
import * as MailClient from "../../../adapters/mail/MailClient.ts"
import * as AlertDispatch from "../../../core/event/alert/AlertDispatch.ts"
import * as Notifier from "../../../core/event/notification/Notifier.ts"
import * as Dispatcher from "../../../core/event/webhook/Dispatcher.ts"
import { ArtifactLinks } from "../../../core/run/artifact/ArtifactLinks.ts"
import * as FileDispatch from "../../../core/run/delivery/FileDispatch.ts"
import * as Proxies from "../../../core/vault/Proxies.ts"
import type { Limit } from "../../../core/workspace/request/RateLimit.ts"
import { InstallationRetention } from "../../../core/workspace/retention/RetentionDays.ts"
import { AllowedOrigins } from "../../api/delivery/CrossOrigin.ts"
import { type IsTrusted, TrustedProxies } from "../../api/http/ClientAddress.ts"
import { PublicUrl } from "../../api/http/Origin.ts"
import { Inbound } from "../../api/inbound/Inbound.ts"
import * as LiveTickets from "../../api/live/LiveTickets.ts"
import { Readiness } from "../../api/Readiness.ts"
import * as Server from "../../api/Server.ts"
import { StreamLimits } from "../../api/stream/StreamPlaces.ts"
import * as Ending from "../Ending.ts"
import { installationOf, type Keeping } from "../handlers/retention/Keeping.ts"
import * as Health from "../health/Health.ts"
import * as Inbox from "./Inbox.ts"
import * as Models from "./Models.ts"
import { layerSandbox } from "./Sandbox.ts"
import { layerSecretSources, type SourceSettings } from "./SecretSources.ts"

import * as WorkspaceShares from "./WorkspaceShares.ts"

export interface Serving extends Inbox.Reachable, Keeping, Models.ModelSettings, SourceSettings {
  readonly host: string
  readonly port: number
  readonly rateLimits: ReadonlyArray<Limit>
  readonly workspaceRequests: Option.Option<number>
  readonly workspaceLiveViews: Option.Option<number>
  readonly workspaceMails: Option.Option<number>
  readonly trustedProxies: Option.Option<IsTrusted>
  readonly streamsPerKey: number
  readonly streamsPerWorkspace: number
  readonly stalledSeconds: number
  readonly drainSeconds: number
  readonly inboundSecret: Option.Option<Redacted.Redacted<string>>
  readonly twilioAuthToken: Option.Option<Redacted.Redacted<string>>
  readonly proxies: ReadonlyArray<Proxies.PoolProxy>
  readonly publicUrl: Option.Option<string>
  readonly corsOrigins: ReadonlyArray<string>
}

/** The HTTP interface, on the stores and the encryption keys, and the delivery of events to webhooks. */
export const layerApi = (settings: Serving) =>
  layerDelivery.pipe(
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
      BundleSigning.layer,
      LiveTickets.layer,
      HttpSender.layer({ ...HttpSender.defaults, allowPrivateNetworks: settings.allowPrivateNetworks }),
      MailClient.layer({ allowPrivateNetworks: settings.allowPrivateNetworks }),
      HttpSink.layer({ ...HttpSink.defaults, allowPrivateNetworks: settings.allowPrivateNetworks }),
      layerSecretSources(settings),
      Layer.succeed(InstallationRetention, installationOf(settings)),
      Layer.succeed(PublicUrl, settings.publicUrl),
      Layer.succeed(AllowedOrigins, settings.corsOrigins),
      Layer.succeed(
        TrustedProxies,
        Option.getOrElse(settings.trustedProxies, () => () => false)
      ),
      Layer.succeed(StreamLimits, { perKey: settings.streamsPerKey, perWorkspace: settings.streamsPerWorkspace }),
      WorkspaceShares.layer({
        requests:
          settings.rateLimits.length === 0 && Option.isNone(settings.workspaceRequests)
            ? null
            : settings.workspaceRequests,
        mails: settings.workspaceMails,
        liveViews: settings.workspaceLiveViews
      }),
      Inbox.layerNumbers(settings),
      Layer.succeed(Inbound, {
        secret: Option.getOrNull(settings.inboundSecret),
        twilioAuthToken: Option.getOrNull(settings.twilioAuthToken)
      }),
      Layer.succeed(Proxies.ProxyPool, settings.proxies)
    ])
  )

/** Delivers events to webhooks and subscribers, and files to destinations, while the layer lives. */
const layerDelivery = Layer.effectDiscard(
  Effect.gen(function* () {
    const links = yield* ArtifactLinks
    const origin = Option.getOrElse(yield* PublicUrl, () => undefined) ?? (yield* Server.address)
    yield* Effect.forkScoped(
      Dispatcher.run({ ...Dispatcher.defaults, links: (workspace) => links.under(origin, workspace) })
    )
    yield* Effect.forkScoped(Notifier.run())
    yield* Effect.forkScoped(FileDispatch.run())
    yield* Effect.forkScoped(AlertDispatch.run(`${origin}/`))
  })
)

const layerReadiness = Layer.effect(
  Readiness,
  Effect.map(Health.reasonsNotToServe, (reasons) => Readiness.of({ reasons }))
)
