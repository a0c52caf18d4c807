/**
 * Puts the layers of a process together from its settings.
 */
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../adapters/crypto/Encryption.ts"
import * as SealedSecrets from "../../adapters/crypto/SealedSecrets.ts"
import * as Embedded from "../../adapters/embedded/Embedded.ts"
import * as ArtifactFolder from "../../adapters/files/ArtifactFolder.ts"
import * as HttpSender from "../../adapters/http/HttpSender.ts"
import * as SmtpServer from "../../adapters/mail/SmtpServer.ts"
import * as PlaywrightBrowser from "../../adapters/playwright/PlaywrightBrowser.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import * as SecretAsking from "../../adapters/secrets/Asking.ts"
import * as HttpSources from "../../adapters/secrets/HttpSources.ts"
import * as Host from "../../core/builder/Host.ts"
import * as Asking from "../../core/interaction/Asking.ts"
import * as Scheduler from "../../core/run/Scheduler.ts"
import * as Worker from "../../core/run/Worker.ts"
import * as GeneratedCodes from "../../core/tfa/GeneratedCodes.ts"
import { InboxDomain } from "../../core/tfa/Inbox.ts"
import { PhoneNumberOf } from "../../core/tfa/LoginCodes.ts"
import { DefaultPhoneNumber, PhoneNumbers } from "../../core/tfa/PhoneNumbers.ts"
import * as Receiving from "../../core/tfa/Receiving.ts"
import { Accounts } from "../../core/vault/Accounts.ts"
import * as Proxies from "../../core/vault/Proxies.ts"
import type { VaultEntry } from "../../core/vault/VaultEntry.ts"
import { WrappedKeys } from "../../core/vault/WrappedKeys.ts"
import * as Dispatcher from "../../core/webhook/Dispatcher.ts"
import * as Notifier from "../../core/webhook/Notifier.ts"
import * as Idempotency from "../../core/workspace/Idempotency.ts"
import type { Limit } from "../../core/workspace/RateLimit.ts"
import { Inbound } from "../api/inbound/Inbound.ts"
import * as LiveTickets from "../api/live/LiveTickets.ts"
import { PublicUrl } from "../api/request/Origin.ts"
import * as ArtifactLinks from "../api/run/ArtifactLinks.ts"
import * as Server from "../api/Server.ts"
import * as AgentExecutor from "../worker/AgentExecutor.ts"
import * as RunSession from "../worker/RunSession.ts"

export interface Storage {
  readonly dataDir: string
  readonly databaseUrl: Option.Option<Redacted.Redacted<string>>
  readonly masterKey: Option.Option<Redacted.Redacted<string>>
}

export interface Working {
  readonly concurrency: number
  readonly builderSessions: number
  readonly chromium: Option.Option<string>
  readonly allowPrivateNetworks: boolean
  readonly secretProviderOrigins: ReadonlyArray<string>
  readonly graceSeconds: number
  readonly proxies: ReadonlyArray<Proxies.Pooled>
}

/** Raised when processes share a database but were given no key to share. */
export class NoMasterKey extends Schema.TaggedError<NoMasterKey>()("NoMasterKey", {}) {
  override get message() {
    return "Cannot start without a master key: with DATABASE_URL, set SLUICE_MASTER_KEY to 64 hexadecimal digits, the same for every process"
  }
}

/** Raised when the embedded data has encryption keys, and the file of the master key that they are under is gone. */
export class MasterKeyLost extends Schema.TaggedError<MasterKeyLost>()("MasterKeyLost", { file: Schema.String }) {
  override get message() {
    return `Cannot start without the master key: ${this.file} is missing, and the credentials in this data folder are sealed under it. Put the file back, or set SLUICE_MASTER_KEY`
  }
}

/** Raised when there is no browser to be found. */
export class NoChromium extends Schema.TaggedError<NoChromium>()("NoChromium", {}) {
  override get message() {
    return "Cannot run workflows without Chromium: none was found in the usual places. Install it, or set SLUICE_CHROMIUM to the program"
  }
}

/** Stores, signals, identifiers and artifacts. */
export const layerStorage = (settings: Storage) => {
  const artifacts = ArtifactFolder.layer(`${settings.dataDir}/artifacts`)
  const stores = Option.match(settings.databaseUrl, {
    onNone: () => Layer.fresh(Embedded.layer(settings.dataDir)),
    onSome: (url) => Postgres.layer(url)
  })
  return Layer.mergeAll(stores, artifacts, Crypto.layer)
}

/**
 * The encryption keys of workspaces and what is sealed with them, on the stores. It does not build with a wrong master key:
 * whatever reads or writes secrets is built on it.
 */
export const layerEncryption = (settings: Storage) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const known = yield* (yield* WrappedKeys).list
      return Encryption.layer(yield* masterKeyOf(settings, { mayMake: known.length === 0 }))
    })
  )

export interface Serving {
  readonly host: string
  readonly port: number
  readonly rateLimits: ReadonlyArray<Limit>
  readonly inboxDomain: Option.Option<string>
  readonly phoneNumber: Option.Option<string>
  readonly inboundSecret: Option.Option<Redacted.Redacted<string>>
  readonly twilioAuthToken: Option.Option<Redacted.Redacted<string>>
  readonly proxies: ReadonlyArray<Proxies.Pooled>
  readonly publicUrl: Option.Option<string>
  readonly allowPrivateNetworks: boolean
  readonly secretProviderOrigins: ReadonlyArray<string>
}

/** The outside stores of secrets that connections may lead to. */
const layerSecretSources = (settings: Pick<Serving, "allowPrivateNetworks" | "secretProviderOrigins">) =>
  HttpSources.layer({
    ...SecretAsking.defaults,
    allowPrivateNetworks: settings.allowPrivateNetworks,
    allowedOrigins: settings.secretProviderOrigins
  })

/** The HTTP interface, on the stores and the encryption keys, and what tells webhooks of the events. */
export const layerApi = (settings: Storage & Serving) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const masterKey = yield* masterKeyOf(settings, { mayMake: true })
      return layerWebhooks.pipe(
        Layer.provideMerge(Server.layer({ host: settings.host, port: settings.port, rateLimits: settings.rateLimits })),
        Layer.provide([
          layerReadiness,
          ArtifactLinks.layer(masterKey),
          LiveTickets.layer(masterKey),
          SealedSecrets.layer(masterKey),
          HttpSender.layer({ ...HttpSender.defaults, allowPrivateNetworks: settings.allowPrivateNetworks }),
          layerSecretSources(settings),
          Layer.succeed(PublicUrl, settings.publicUrl),
          layerNumbers(settings),
          Layer.succeed(Inbound, {
            secret: Option.getOrNull(settings.inboundSecret),
            twilioAuthToken: Option.getOrNull(settings.twilioAuthToken)
          }),
          Layer.succeed(Proxies.ProxyPool, settings.proxies)
        ])
      )
    })
  )

/** What the computed addresses and numbers of credentials are made of. */
const layerNumbers = ({ inboxDomain, phoneNumber }: Pick<Serving, "inboxDomain" | "phoneNumber">) =>
  Layer.merge(
    Layer.succeed(InboxDomain, Option.getOrNull(inboxDomain)),
    Layer.succeed(DefaultPhoneNumber, Option.getOrNull(phoneNumber))
  )

/** Where those who sign in look for codes that are sent to them. */
const layerReceived = (settings: Pick<Serving, "inboxDomain" | "phoneNumber">) =>
  Layer.effect(
    PhoneNumberOf,
    Effect.map(
      PhoneNumbers,
      ({ phoneNumberOf }) =>
        ({ workspaceId }: VaultEntry) =>
          phoneNumberOf(workspaceId)
    )
  ).pipe(Layer.provide(PhoneNumbers.layer), Layer.provideMerge(layerNumbers(settings)))

export interface ReceivingMail extends Pick<Serving, "inboxDomain" | "phoneNumber"> {
  readonly smtpPort: Option.Option<number>
  readonly smtpHost: string
  readonly smtpCertificate: Option.Option<string>
  readonly smtpKey: Option.Option<string>
}

/** Raised when the mail server is set in part. */
export class MailMisconfigured extends Schema.TaggedError<MailMisconfigured>()("MailMisconfigured", {
  reason: Schema.String
}) {
  override get message() {
    return `Cannot receive mail: ${this.reason}`
  }
}

/** The mail server, for as long as the layer lives; nothing where no port is set for it. */
export const layerInbox = (settings: ReceivingMail) => {
  if (Option.isNone(settings.smtpPort)) return Layer.empty
  const { smtpHost: host } = settings
  const port = settings.smtpPort.value
  return Layer.unwrap(
    Effect.gen(function* () {
      if (Option.isNone(settings.inboxDomain)) {
        return yield* new MailMisconfigured({ reason: "SLUICE_SMTP_PORT is set, and SLUICE_INBOX_DOMAIN is not" })
      }
      const certificate = yield* certificateOf(settings)
      return Layer.effectDiscard(SmtpServer.SmtpServer).pipe(
        Layer.provide(
          SmtpServer.layer({ ...SmtpServer.defaults, host, port, name: settings.inboxDomain.value, certificate })
        ),
        Layer.provide(Receiving.Receiving.layer),
        Layer.provide(layerNumbers(settings))
      )
    })
  )
}

const certificateOf = ({ smtpCertificate, smtpKey }: ReceivingMail) =>
  Effect.gen(function* () {
    if (Option.isNone(smtpCertificate) && Option.isNone(smtpKey)) return null
    if (Option.isNone(smtpCertificate) || Option.isNone(smtpKey)) {
      return yield* new MailMisconfigured({ reason: "SLUICE_SMTP_TLS_CERT and SLUICE_SMTP_TLS_KEY are set together" })
    }
    const read = (file: string) =>
      Effect.try({
        try: () => readFileSync(file, "utf8"),
        catch: () => new MailMisconfigured({ reason: `the file ${file} cannot be read` })
      })
    return { cert: yield* read(smtpCertificate.value), key: yield* read(smtpKey.value) }
  })

/** Tells webhooks and subscribers of the events, for as long as the layer lives. */
const layerWebhooks = Layer.effectDiscard(
  Effect.gen(function* () {
    const links = yield* ArtifactLinks.ArtifactLinks
    const origin = Option.getOrElse(yield* PublicUrl, () => undefined) ?? (yield* Server.address)
    yield* Effect.forkScoped(Dispatcher.run({ ...Dispatcher.defaults, links: links.under(origin) }))
    yield* Effect.forkScoped(Notifier.run())
  })
)

/** The scheduler, running for as long as the layer lives. */
export const layerScheduler = Layer.mergeAll(
  Layer.effectDiscard(Effect.forkScoped(Scheduler.run())),
  Layer.effectDiscard(Effect.forkScoped(Asking.sweep())),
  Layer.effectDiscard(Effect.forkScoped(GeneratedCodes.sweep())),
  Layer.effectDiscard(Effect.forkScoped(Idempotency.sweeping)),
  Layer.effectDiscard(Effect.forkScoped(Receiving.sweeping))
)

/**
 * A worker with its browser, which carries out runs and hosts conversations for as long as the layer lives; its release is
 * the orderly shutdown.
 */
export const layerWorker = (
  settings: Working & Pick<Serving, "inboxDomain" | "phoneNumber">,
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
  ).pipe(Layer.provide(AgentExecutor.layer), Layer.provide(layerReceived(settings)))
  const host = Layer.effectDiscard(
    Effect.gen(function* () {
      const sessionOf = yield* RunSession.ofConversations
      yield* Effect.forkScoped(Host.run({ name, capacity: settings.builderSessions, leaseMillis, sessionOf }))
    })
  ).pipe(Layer.provide(Accounts.layer))
  return Layer.mergeAll(worker, host).pipe(
    Layer.provide(Layer.succeed(Proxies.ProxyPool, settings.proxies)),
    Layer.provide(layerSecretSources(settings)),
    Layer.provide(
      Layer.unwrap(
        Effect.gen(function* () {
          const executablePath = PlaywrightBrowser.findExecutable(settings.chromium, existsSync)
          if (Option.isNone(executablePath)) return yield* new NoChromium()
          return PlaywrightBrowser.layer({
            ...PlaywrightBrowser.defaults,
            executablePath: executablePath.value,
            allowPrivateNetworks: settings.allowPrivateNetworks,
            allowedOrigins
          })
        })
      )
    )
  )
}

/** How long a lease lasts without being renewed. */
const leaseMillis = 30_000

const layerReadiness = Layer.effect(
  Server.Readiness,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Server.Readiness.of({
      ready: sql`select 1`.pipe(
        Effect.timeout("2 seconds"),
        Effect.as(true),
        Effect.catchCause(() => Effect.succeed(false))
      )
    })
  )
)

/** The given master key, or else the one that belongs to the embedded data, made when there is none yet. */
const masterKeyOf = (settings: Storage, { mayMake }: { readonly mayMake: boolean }) =>
  Effect.gen(function* () {
    if (Option.isSome(settings.masterKey)) return settings.masterKey.value
    if (Option.isSome(settings.databaseUrl)) return yield* new NoMasterKey()
    const file = `${settings.dataDir}/master.key`
    if (!existsSync(file)) {
      if (!mayMake) return yield* new MasterKeyLost({ file })
      mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 })
      writeFileSync(file, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" })
    }
    return Redacted.make(readFileSync(file, "utf8").trim())
  })
