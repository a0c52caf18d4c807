/**
 * The settings of the service. Each is an environment variable with a flag of the same meaning; the flag wins. All are
 * checked before anything is started.
 */
import { existsSync, readFileSync } from "node:fs"
import { Config, type LogLevel, type Option, Redacted, Result, Schema, SchemaTransformation } from "effect"
import { Flag } from "effect/cli"
import { formatters } from "../../adapters/log/LogFormat.ts"
import * as PhoneNumbers from "../../core/vault/otp/PhoneNumbers.ts"
import * as Proxies from "../../core/vault/Proxies.ts"
import * as RateLimit from "../../core/workspace/request/RateLimit.ts"
import * as ClientAddress from "../api/http/ClientAddress.ts"
import * as StalledConnections from "../api/stream/StalledConnections.ts"
import * as StreamPlaces from "../api/stream/StreamPlaces.ts"
import { variable as noted } from "./guards/Variables.ts"
import * as WorkspaceShares from "./layers/WorkspaceShares.ts"

/** A number written in decimal digits. */
export const wholeNumber = (minimum: number, maximum: number, accepted: string) =>
  Schema.String.check(Schema.isPattern(/^\d+$/, { message: `Expected ${accepted}` })).pipe(
    Schema.decodeTo(
      Schema.Finite.check(Schema.isBetween({ minimum, maximum }, { message: `Expected ${accepted}` })),
      SchemaTransformation.transform({ decode: Number, encode: String })
    )
  )

const switched = Schema.String.check(Schema.isPattern(/^[01]$/, { message: "Expected 0 or 1" })).pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform({ decode: (digit) => digit === "1", encode: (on) => (on ? "1" : "0") })
  )
)

const text = Schema.String.check(Schema.isNonEmpty({ message: "Expected some text" }))

/** An origin, kept without a slash at its end. */
const origin = Schema.String.check(
  Schema.isPattern(/^https?:\/\/[^/?#@\s]+\/?$/, { message: "Expected an address such as https://sluice.example.com" })
).pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: (text) => text.replace(/\/$/, ""), encode: (text) => text })
  )
)

/** An origin with a path or without, kept without a slash at its end. */
const publicAddress = Schema.String.check(
  Schema.isPattern(/^https?:\/\/[^/?#@\s]+(\/[A-Za-z0-9._~-]+)*\/?$/, {
    message: "Expected an address such as https://sluice.example.com or https://example.com/sluice"
  })
).pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: (text) => text.replace(/\/$/, ""), encode: (text) => text })
  )
)

const noOrigins: ReadonlyArray<string> = []

const originsOf = (written: string): ReadonlyArray<string> =>
  written.split(",").flatMap((one) => (one.trim() === "" ? [] : [one.trim()]))

const isOrigin = (written: string): boolean => /^https?:\/\/[^/?#@\s]+\/?$/.test(written) && URL.parse(written) !== null

/** A setting that is read from its flag, or else from its variable. */
export const setting = (flag: string, variable: string, description: string): Flag.Flag<string> =>
  Flag.String(flag).pipe(
    Flag.withDescription(`${description} [${variable}]`),
    Flag.withFallbackConfig(Config.String(noted(flag, variable)))
  )

const readFlag = (flag: string, variable: string): Flag.Flag<Redacted.Redacted<string>> =>
  Flag.Redacted(flag).pipe(Flag.withFallbackConfig(Config.Redacted(noted(flag, variable))))

/** A flag that only says that there is none: every user of a machine sees the flags of its processes. */
const refusedFlag = (flag: string, variable: string): Flag.Flag<Redacted.Redacted<string>> =>
  Flag.Redacted(flag).pipe(
    Flag.filter(
      () => false,
      () =>
        `the secret in the variable ${variable}, as every user of this machine sees the flags of its programs: exchange the one that you gave`
    ),
    Flag.withFallbackConfig(Config.Redacted(noted(flag, variable)))
  )

/** Like `setting`, for a secret value, which is read from its variable alone. Messages contain only the expected form. */
const secret = (
  flag: string,
  variable: string,
  description: string,
  expected: { readonly pattern: RegExp; readonly words: string },
  fromFlag: (flag: string, variable: string) => Flag.Flag<Redacted.Redacted<string>> = refusedFlag
): Flag.Flag<Option.Option<Redacted.Redacted<string>>> =>
  fromFlag(flag, variable).pipe(
    Flag.withDescription(`${description} [${variable}]`),
    Flag.filter(
      (value) => expected.pattern.test(Redacted.value(value)),
      () => expected.words
    ),
    Flag.optional
  )

const logLevels: Readonly<Record<string, LogLevel.LogLevel>> = {
  all: "All",
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  warning: "Warn",
  error: "Error",
  fatal: "Fatal",
  none: "None"
}

/** A setting that takes one of a few words. */
const oneOf = <A>(flag: Flag.Flag<string>, meanings: Readonly<Record<string, A>>, usual: string): Flag.Flag<string> =>
  flag.pipe(
    Flag.filter(
      (written) => Object.hasOwn(meanings, written),
      () => `Expected one of ${Object.keys(meanings).join(", ")}`
    ),
    Flag.withDefault(usual)
  )

/** The log, which every command writes to standard error. */
export const logging = {
  logLevel: oneOf(
    setting("log-level", "SLUICE_LOG_LEVEL", `Lowest level that is logged: ${Object.keys(logLevels).join(", ")}`),
    logLevels,
    "info"
  ),
  logFormat: oneOf(
    setting(
      "log-format",
      "SLUICE_LOG_FORMAT",
      "Form of each line of the log: logfmt, json, or pretty for a person at a terminal"
    ),
    formatters,
    "logfmt"
  )
}

/** The address of the health port of a process, for probes and supervisors. */
export const health = {
  healthPort: setting(
    "health-port",
    "SLUICE_HEALTH_PORT",
    "Port of /healthz, /readyz, /version and /metrics of a process, without a key; 0 selects a free port; none when not set"
  ).pipe(Flag.withSchema(wholeNumber(0, 65_535, "a port number from 0 to 65535")), Flag.optional),
  healthHost: setting("health-host", "SLUICE_HEALTH_HOST", "Address of the health port").pipe(
    Flag.withSchema(text),
    Flag.withDefault("127.0.0.1")
  )
}

/** The level of the log that a word stands for. */
export const logLevelOf = (word: string): LogLevel.LogLevel => logLevels[word] ?? "Info"

/** The folder of `sluice up` in the folder that it is started in. */
export const defaultDataDir = ".sluice"

/** The place of the data: an embedded database in a folder, or a PostgreSQL server that several processes may share. */
export const storage = {
  dataDir: setting("data-dir", "SLUICE_DATA_DIR", "Folder of the embedded database, its keys and artifacts").pipe(
    Flag.withSchema(text),
    Flag.withDefault(defaultDataDir)
  ),
  databaseUrl: secret("database-url", "DATABASE_URL", "PostgreSQL to use, instead of the embedded database", {
    pattern: /^postgres(ql)?:\/\/./,
    words: "an address that begins with postgres://"
  }),
  databaseConnections: setting(
    "database-connections",
    "SLUICE_DATABASE_CONNECTIONS",
    "Maximum number of connections of a process to PostgreSQL; of two further connections, one claims runs, and one checks whether the server answers"
  ).pipe(Flag.withSchema(wholeNumber(4, 1_000, "a number from 4 to 1000")), Flag.withDefault(10)),
  waitSeconds: setting(
    "wait",
    "SLUICE_WAIT_SECONDS",
    "Maximum time that a starting process waits for an unreachable PostgreSQL server; 0 fails immediately; no limit when not set"
  ).pipe(Flag.withSchema(wholeNumber(0, 86_400, "a number of seconds from 0 to 86400")), Flag.optional),
  testClock: setting(
    "test-clock",
    "SLUICE_TEST_CLOCK",
    "1 lets Owners move the time of the installation forward with PUT /test-clock: for tests only"
  ).pipe(Flag.withSchema(switched), Flag.withDefault(false)),
  masterKey: secret(
    "master-key",
    "SLUICE_MASTER_KEY",
    "Master key that encrypts the secrets of the installation; generated for the embedded database",
    { pattern: /^[0-9a-fA-F]{64}$/, words: "64 hexadecimal digits" }
  ),
  s3Endpoint: setting(
    "s3-endpoint",
    "SLUICE_S3_ENDPOINT",
    "S3-compatible store for artifacts, such as https://s3.eu-central-1.amazonaws.com; a folder when not set"
  ).pipe(Flag.withSchema(origin), Flag.optional),
  s3Bucket: setting("s3-bucket", "SLUICE_S3_BUCKET", "Bucket of that store").pipe(Flag.withSchema(text), Flag.optional),
  s3Region: setting("s3-region", "SLUICE_S3_REGION", "Region of that store").pipe(
    Flag.withSchema(text),
    Flag.withDefault("us-east-1")
  ),
  s3Prefix: setting("s3-prefix", "SLUICE_S3_PREFIX", "Prefix of the keys of artifacts, such as sluice/").pipe(
    Flag.withDefault("")
  ),
  s3AccessKey: setting("s3-access-key", "SLUICE_S3_ACCESS_KEY", "Id of the key to that store").pipe(
    Flag.withSchema(text),
    Flag.optional
  ),
  s3SecretKey: secret("s3-secret-key", "SLUICE_S3_SECRET_KEY", "Secret of the key to that store", {
    pattern: /^\S+$/,
    words: "some text without spaces"
  }),
  previousMasterKey: secret(
    "previous-master-key",
    "SLUICE_PREVIOUS_MASTER_KEY",
    "Former master key, during a rotation",
    { pattern: /^[0-9a-fA-F]{64}$/, words: "64 hexadecimal digits" }
  )
}

const allowPrivateNetworks = setting(
  "allow-private-networks",
  "SLUICE_ALLOW_PRIVATE_NETWORKS",
  "1 lets workflows and webhooks reach private and loopback addresses"
).pipe(Flag.withSchema(switched), Flag.withDefault(false))

/** Private origins of secret providers that may be reached. */
const secretProviderOrigins = setting(
  "secret-provider-origins",
  "SLUICE_SECRET_PROVIDER_ORIGINS",
  "Private addresses of secret providers that may be reached, such as https://vault.internal:8200, separated by commas"
).pipe(
  Flag.filter(
    (written) => originsOf(written).every((one) => isOrigin(one)),
    () => "addresses such as https://vault.internal:8200, separated by commas"
  ),
  Flag.map((written) => originsOf(written).map((one) => new URL(one).origin)),
  Flag.withDefault(noOrigins)
)

/** The address of the HTTP interface and the limits of its clients. */
export const listening = {
  host: setting("host", "HOST", "Address the HTTP interface listens on").pipe(
    Flag.withSchema(text),
    Flag.withDefault("127.0.0.1")
  ),
  port: setting("port", "PORT", "Port the HTTP interface listens on; 0 selects a free port").pipe(
    Flag.withSchema(wholeNumber(0, 65_535, "a port number from 0 to 65535")),
    Flag.withDefault(8787)
  ),
  rateLimits: setting(
    "rate-limits",
    "SLUICE_RATE_LIMITS",
    "Maximum number of requests of a key, such as 500/1s,1000/15s; off for no limit"
  ).pipe(
    Flag.filter(
      (written) => Result.isSuccess(RateLimit.parse(written)),
      (written) => Result.match(RateLimit.parse(written), { onFailure: (problem) => problem, onSuccess: () => "" })
    ),
    Flag.map((written) => Result.getOrElse(RateLimit.parse(written), () => RateLimit.defaults)),
    Flag.withDefault(RateLimit.defaults)
  ),
  trustedProxies: setting(
    "trusted-proxies",
    "SLUICE_TRUSTED_PROXIES",
    "Addresses and networks of the proxies in front, such as 10.0.0.5,10.1.0.0/16, whose X-Forwarded-For or Forwarded names the client; none when not set"
  ).pipe(
    Flag.filter(
      (written) => Result.isSuccess(ClientAddress.parse(written)),
      (written) => Result.match(ClientAddress.parse(written), { onFailure: (problem) => problem, onSuccess: () => "" })
    ),
    Flag.map((written) => Result.getOrThrow(ClientAddress.parse(written))),
    Flag.optional
  ),
  streamsPerKey: setting(
    "streams-per-key",
    "SLUICE_STREAMS_PER_KEY",
    "Maximum number of open event streams and live views of a key, in each process"
  ).pipe(
    Flag.withSchema(wholeNumber(1, 100_000, "a number from 1 to 100000")),
    Flag.withDefault(StreamPlaces.defaultLimits.perKey)
  ),
  streamsPerWorkspace: setting(
    "streams-per-workspace",
    "SLUICE_STREAMS_PER_WORKSPACE",
    "Maximum number of open event streams and live views of a workspace, in each process"
  ).pipe(
    Flag.withSchema(wholeNumber(1, 100_000, "a number from 1 to 100000")),
    Flag.withDefault(StreamPlaces.defaultLimits.perWorkspace)
  ),
  workspaceRequests: setting(
    "workspace-requests",
    "SLUICE_WORKSPACE_REQUESTS",
    `Maximum number of requests a minute of all keys and sessions of one workspace, in each process; ${WorkspaceShares.defaults.requests} when not set and there are several workspaces, unless SLUICE_RATE_LIMITS is off`
  ).pipe(Flag.withSchema(wholeNumber(1, 1_000_000, "a number from 1 to 1000000")), Flag.optional),
  workspaceLiveViews: setting(
    "workspace-live-views",
    "SLUICE_WORKSPACE_LIVE_VIEWS",
    `Maximum number of open live views of one workspace, in each process; ${WorkspaceShares.defaults.liveViews} when not set and there are several workspaces`
  ).pipe(Flag.withSchema(wholeNumber(1, 500, "a number from 1 to 500")), Flag.optional),
  stalledSeconds: setting(
    "stalled-seconds",
    "SLUICE_STALLED_SECONDS",
    "Time after which the connection of a client that reads nothing is closed"
  ).pipe(
    Flag.withSchema(wholeNumber(1, 3_600, "a number of seconds from 1 to 3600")),
    Flag.withDefault(StalledConnections.defaultSeconds)
  ),
  drainSeconds: setting(
    "drain",
    "SLUICE_DRAIN_SECONDS",
    "Time for which the HTTP interface still serves after SIGTERM, while /readyz answers 503; after Ctrl-C it stops immediately"
  ).pipe(Flag.withSchema(wholeNumber(0, 600, "a number of seconds from 0 to 600")), Flag.withDefault(5)),
  publicUrl: setting(
    "public-url",
    "SLUICE_PUBLIC_URL",
    "Public address of the HTTP interface, with the path that a proxy removes if there is one; http://HOST:PORT when not set"
  ).pipe(Flag.withSchema(publicAddress), Flag.optional),
  corsOrigins: setting(
    "cors-origins",
    "SLUICE_CORS_ORIGINS",
    "Origins whose pages may call the HTTP interface from a browser, such as https://app.example.com, separated by commas; * for every one; none when not set"
  ).pipe(
    Flag.filter(
      (written) => originsOf(written).every((one) => one === "*" || isOrigin(one)),
      () => "origins such as https://app.example.com, separated by commas, or *"
    ),
    Flag.map((written) => originsOf(written).map((one) => (one === "*" ? one : new URL(one).origin))),
    Flag.withDefault(noOrigins)
  ),
  allowPrivateNetworks,
  secretProviderOrigins
}

/** The proxies that credentials and workflows choose from: every process of the service needs the same ones. */
const proxies = refusedFlag("proxies", "SLUICE_PROXIES").pipe(
  Flag.withDescription(
    "Proxies for runs: URLs such as http://user:password@host:8080#country=DE, or @ and a file of them [SLUICE_PROXIES]"
  ),
  Flag.mapTryCatch(
    (written) => {
      const pool = Proxies.parsePool(contents(Redacted.value(written)))
      if (Result.isFailure(pool)) throw new Error(pool.failure.join("; "))
      return pool.success
    },
    (error) => (error instanceof Error ? error.message : "Expected proxies")
  ),
  Flag.withDefault([])
)

/** A text, or the content of the file named after `@`. */
const contents = (written: string): string => {
  if (!written.startsWith("@")) return written
  const file = written.slice(1)
  try {
    return readFileSync(file, "utf8")
  } catch {
    throw new Error(`cannot read the file ${file}`)
  }
}

/** How runs are carried out. */
export const chromium = setting("chromium", "SLUICE_CHROMIUM", "The Chromium program to run").pipe(
  Flag.filter(
    (path) => existsSync(path),
    () => "the path of a Chromium program; no file has this path"
  ),
  Flag.optional
)

export const working = {
  concurrency: setting("concurrency", "SLUICE_CONCURRENCY", "Maximum number of concurrent runs of a worker").pipe(
    Flag.withSchema(wholeNumber(1, 1_000, "a number from 1 to 1000")),
    Flag.withDefault(4)
  ),
  workspaceRuns: setting(
    "workspace-runs",
    "SLUICE_WORKSPACE_RUNS",
    "Maximum number of concurrent runs of one workspace in a worker; one less than SLUICE_CONCURRENCY when not set and there are several workspaces"
  ).pipe(Flag.withSchema(wholeNumber(1, 1_000, "a number from 1 to 1000")), Flag.optional),
  builderSessions: setting(
    "builder-sessions",
    "SLUICE_BUILDER_SESSIONS",
    "Maximum number of builder conversations of a worker; 0 for none"
  ).pipe(Flag.withSchema(wholeNumber(0, 100, "a number from 0 to 100")), Flag.withDefault(4)),
  workspaceSessions: setting(
    "workspace-builder-sessions",
    "SLUICE_WORKSPACE_BUILDER_SESSIONS",
    "Maximum number of builder conversations of one workspace in a worker; one less than SLUICE_BUILDER_SESSIONS when not set and there are several workspaces"
  ).pipe(Flag.withSchema(wholeNumber(1, 100, "a number from 1 to 100")), Flag.optional),
  workspaceStorage: setting(
    "workspace-storage",
    "SLUICE_WORKSPACE_STORAGE_MB",
    "Maximum size of the pictures, snapshots, videos and files that the runs of one workspace keep; no limit when not set"
  ).pipe(Flag.withSchema(wholeNumber(1, 1_000_000_000, "a number of MiB from 1 to 1000000000")), Flag.optional),
  replayRecordSize: setting(
    "replay-record-size",
    "SLUICE_REPLAY_RECORD_MB",
    "Maximum size of the replay record of a run, in MiB"
  ).pipe(Flag.withSchema(wholeNumber(1, 24, "a number of MiB from 1 to 24")), Flag.withDefault(16)),
  chromium,
  allowPrivateNetworks,
  proxies,
  secretProviderOrigins,
  graceSeconds: setting(
    "grace",
    "SLUICE_GRACE_SECONDS",
    "Time for which runs may continue after the start of a shutdown"
  ).pipe(Flag.withSchema(wholeNumber(0, 3_600, "a number of seconds from 0 to 3600")), Flag.withDefault(20))
}

/** The retention of runs and their artifacts. */
export const keeping = {
  retentionDays: setting(
    "retention-days",
    "SLUICE_RETENTION_DAYS",
    "Retention of artifacts, snapshots and network logs of runs; 0 for no limit"
  ).pipe(
    Flag.withSchema(wholeNumber(0, 36_500, "a number of days from 0 to 36500")),
    Flag.map((days) => (days === 0 ? null : days)),
    // The type of the default is that of the setting.
    Flag.withDefault(30 as number | null)
  ),
  runRetentionDays: setting(
    "run-retention-days",
    "SLUICE_RUN_RETENTION_DAYS",
    "Retention of ended runs, with their events, deliveries and errors; 0 for no limit"
  ).pipe(
    Flag.withSchema(wholeNumber(0, 36_500, "a number of days from 0 to 36500")),
    Flag.map((days) => (days === 0 ? null : days)),
    // As above.
    Flag.withDefault(null as number | null)
  )
}

/** The models for workflows, and their limits. */
export const model = {
  modelUrl: setting(
    "model-url",
    "SLUICE_MODEL_URL",
    "Address of a service with the protocol of OpenAI's chat completions, such as https://api.openai.com/v1; private addresses are allowed"
  ).pipe(
    Flag.filter(
      (written) => /^https?:\/\/[^\s@]+$/.test(written) && URL.parse(written) !== null,
      () => "an address such as https://api.openai.com/v1"
    ),
    Flag.optional
  ),
  models: setting(
    "model",
    "SLUICE_MODEL",
    "Names of the models that workflows may use, separated by commas; the first is the default"
  ).pipe(
    Flag.map((written) => written.split(",").flatMap((one) => (one.trim() === "" ? [] : [one.trim()]))),
    // The type of the default is that of the setting.
    Flag.withDefault([] as ReadonlyArray<string>)
  ),
  visionModel: setting(
    "model-vision",
    "SLUICE_MODEL_VISION",
    "Name of the default model for pictures, if it differs"
  ).pipe(Flag.withSchema(text), Flag.optional),
  modelKey: secret("model-key", "SLUICE_MODEL_KEY", "Key of the model's service", {
    pattern: /^[\x21-\x7e]{1,4096}$/,
    words: "a key of visible ASCII characters"
  }),
  modelCalls: setting("model-calls", "SLUICE_MODEL_CALLS", "Maximum number of requests of a run to the model").pipe(
    Flag.withSchema(wholeNumber(1, 100_000, "a number from 1 to 100000")),
    Flag.withDefault(200)
  ),
  modelTokens: setting("model-tokens", "SLUICE_MODEL_TOKENS", "Maximum number of tokens of a run").pipe(
    Flag.withSchema(wholeNumber(1, 1_000_000_000, "a number from 1 to 1000000000")),
    Flag.withDefault(1_000_000)
  ),
  modelSeconds: setting(
    "model-seconds",
    "SLUICE_MODEL_SECONDS",
    "Maximum total time that a run waits for the model"
  ).pipe(Flag.withSchema(wholeNumber(1, 86_400, "a number of seconds from 1 to 86400")), Flag.withDefault(900))
}

/** The settings of the credentials. */
export const vault = {
  proxies,
  inboxDomain: setting("inbox-domain", "SLUICE_INBOX_DOMAIN", "Domain whose mail contains one-time codes").pipe(
    Flag.withSchema(
      Schema.String.check(
        Schema.isPattern(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i, {
          message: "Expected the name of a mail domain such as inbox.example.com"
        })
      )
    ),
    Flag.optional
  ),
  phoneNumber: setting(
    "phone-number",
    "SLUICE_PHONE_NUMBER",
    "Phone number whose SMS reach the service, for the first workspace"
  ).pipe(
    Flag.filter(
      (written) => Result.isSuccess(PhoneNumbers.parse(written)),
      () => "Expected a phone number with its country, such as +15551234567"
    ),
    Flag.map((written) => Result.getOrElse(PhoneNumbers.parse(written), () => written)),
    Flag.optional
  )
}

/** How mails and SMS with one-time codes reach the service. */
export const inbox = {
  smtpPort: setting(
    "smtp-port",
    "SLUICE_SMTP_PORT",
    "Port that receives mail for the inbox domain; no mail server when not set"
  ).pipe(Flag.withSchema(wholeNumber(1, 65_535, "a port number from 1 to 65535")), Flag.optional),
  smtpHost: setting("smtp-host", "SLUICE_SMTP_HOST", "Address that the mail server listens on").pipe(
    Flag.withSchema(text),
    Flag.withDefault("0.0.0.0")
  ),
  smtpCertificate: setting(
    "smtp-tls-cert",
    "SLUICE_SMTP_TLS_CERT",
    "File with the certificate of the mail server, in PEM; self-signed when not set"
  ).pipe(Flag.withSchema(text), Flag.optional),
  smtpKey: setting("smtp-tls-key", "SLUICE_SMTP_TLS_KEY", "File with the key of that certificate, in PEM").pipe(
    Flag.withSchema(text),
    Flag.optional
  ),
  workspaceMails: setting(
    "workspace-mails",
    "SLUICE_WORKSPACE_MAILS",
    `Maximum number of mails a minute that are taken for one workspace, in each process; ${WorkspaceShares.defaults.mails} when not set and there are several workspaces`
  ).pipe(Flag.withSchema(wholeNumber(1, 100_000, "a number from 1 to 100000")), Flag.optional)
}

/** The secrets of services that deliver mails and SMS over HTTP. */
export const inbound = {
  inboundSecret: secret(
    "inbound-secret",
    "SLUICE_INBOUND_SECRET",
    "Secret with which mail services and SMS gateways deliver messages over HTTP; not accepted when not set",
    { pattern: /^[\x21-\x7e]{16,256}$/, words: "16 to 256 visible ASCII characters" }
  ),
  twilioAuthToken: secret(
    "twilio-auth-token",
    "SLUICE_TWILIO_AUTH_TOKEN",
    "Auth token of the Twilio account that delivers SMS; without it SMS are not accepted",
    { pattern: /^[\x21-\x7e]{16,256}$/, words: "the auth token of an account" }
  )
}

/** The first workspace of a service that starts on empty data. */
export const bootstrap = {
  bootstrapKey: secret("bootstrap-key", "SLUICE_BOOTSTRAP_KEY", "Owner key of the first workspace", {
    pattern: /^sk_[A-Za-z0-9_-]{22,}$/,
    words: "sk_ followed by at least 22 letters or digits"
  }),
  bootstrapEncryptionKey: secret(
    "bootstrap-encryption-key",
    "SLUICE_BOOTSTRAP_ENCRYPTION_KEY",
    "Encryption key of the first workspace",
    { pattern: /^[0-9a-fA-F]{64}$/, words: "64 hexadecimal digits" }
  ),
  demo: setting("demo", "SLUICE_DEMO", "1 runs the demo workflow when the embedded data is empty, 0 never").pipe(
    Flag.withSchema(switched),
    Flag.withDefault(true)
  )
}

/** The connection of commands to a service. */
export const connection = {
  url: setting("url", "SLUICE_URL", "Address of the service; that of the profile when not set").pipe(
    Flag.withSchema(origin),
    Flag.optional
  ),
  apiKey: secret(
    "key",
    "SLUICE_KEY",
    "API key for the service; that of the profile when not set",
    {
      pattern: /^[\x21-\x7e]{1,256}$/,
      words: "an API key, such as sk_ followed by letters and digits"
    },
    readFlag
  ),
  profile: setting("profile", "SLUICE_PROFILE", "Name of the profile to use; the last signed-in one when not set").pipe(
    Flag.withSchema(
      Schema.String.check(
        Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, { message: "Expected letters, digits, dots and hyphens" })
      )
    ),
    Flag.optional
  )
}

/** The key that seals credentials on the machine of their user. */
export const sealing = {
  encryptionKey: secret(
    "encryption-key",
    "SLUICE_ENCRYPTION_KEY",
    "Encryption key of the workspace, which seals credentials before they are sent; prompted for when not set",
    { pattern: /^[0-9a-fA-F]{64}$/, words: "64 hexadecimal digits" }
  )
}

/** What a local receiver of webhooks verifies deliveries with. */
export const receiving = {
  secret: secret(
    "secret",
    "SLUICE_WEBHOOK_SECRET",
    "Secret of the webhook whose deliveries are received; prompted for when not set",
    { pattern: /^[\s\S]{8,1024}$/, words: "8 to 1024 characters" }
  )
}
