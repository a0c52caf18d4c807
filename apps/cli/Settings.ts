/**
 * The settings of the service. Each is an environment variable with a flag of the same meaning; the flag wins. All are
 * checked before anything is started.
 */
import { Config, type Redacted, Schema, SchemaTransformation } from "effect"
import { Flag } from "effect/cli"

/** A number written in decimal digits. */
const wholeNumber = (minimum: number, maximum: number, accepted: string) =>
  Schema.FiniteFromString.check(
    Schema.isInt({ message: `Expected ${accepted}` }),
    Schema.isBetween({ minimum, maximum }, { message: `Expected ${accepted}` })
  )

const switched = Schema.Literals(["0", "1"])
  .annotate({ message: "Expected 0 or 1" })
  .pipe(
    Schema.decodeTo(
      Schema.Boolean,
      SchemaTransformation.transform({ decode: (text) => text === "1", encode: (on) => (on ? "1" : "0") })
    )
  )

const text = Schema.String.check(Schema.isNonEmpty({ message: "Expected some text" }))

const hexKey = Schema.Redacted(
  Schema.String.check(Schema.isPattern(/^[0-9a-fA-F]{64}$/, { message: "Expected 64 hexadecimal digits" }))
)

const apiKey = Schema.Redacted(
  Schema.String.check(
    Schema.isPattern(/^sk_[A-Za-z0-9_-]{22,}$/, { message: "Expected sk_ and at least 22 letters or digits" })
  )
)

/** A setting that is read from its flag, else from its variable. */
const setting = (flag: string, variable: string, description: string): Flag.Flag<string> =>
  Flag.String(flag).pipe(
    Flag.withDescription(`${description} [${variable}]`),
    Flag.withFallbackConfig(Config.String(variable))
  )

/** Like `setting`, for a value that no message may show. */
const secretSetting = (flag: string, variable: string, description: string): Flag.Flag<Redacted.Redacted<string>> =>
  Flag.Redacted(flag).pipe(
    Flag.withDescription(`${description} [${variable}]`),
    Flag.withFallbackConfig(Config.Redacted(variable))
  )

/** Where data lives: an embedded database in a folder, or a PostgreSQL server that several processes may share. */
export const storage = {
  dataDir: setting("data-dir", "SLUICE_DATA_DIR", "Folder of the embedded database, its keys and artifacts").pipe(
    Flag.withDefault(".sluice"),
    Flag.withSchema(text)
  ),
  databaseUrl: secretSetting("database-url", "DATABASE_URL", "PostgreSQL to use, not the embedded database").pipe(
    Flag.optional
  ),
  masterKey: secretSetting(
    "master-key",
    "SLUICE_MASTER_KEY",
    "64 hexadecimal digits that protect what must stay secret; the embedded database makes its own"
  ).pipe(Flag.withSchema(hexKey), Flag.optional)
}

/** Where the HTTP interface listens. */
export const listening = {
  host: setting("host", "HOST", "Address the HTTP interface listens on").pipe(
    Flag.withDefault("127.0.0.1"),
    Flag.withSchema(text)
  ),
  port: setting("port", "PORT", "Port the HTTP interface listens on; 0 takes a free one").pipe(
    Flag.withDefault("8787"),
    Flag.withSchema(wholeNumber(0, 65_535, "a port number from 0 to 65535"))
  )
}

/** How runs are carried out. */
export const working = {
  concurrency: setting("concurrency", "SLUICE_CONCURRENCY", "How many runs a worker carries out at once").pipe(
    Flag.withDefault("4"),
    Flag.withSchema(wholeNumber(1, 1_000, "a number from 1 to 1000"))
  ),
  chromium: setting("chromium", "SLUICE_CHROMIUM", "The Chromium program to run").pipe(
    Flag.withSchema(text),
    Flag.optional
  ),
  allowPrivateNetworks: setting(
    "allow-private-networks",
    "SLUICE_ALLOW_PRIVATE_NETWORKS",
    "1 lets workflows reach private and loopback addresses"
  ).pipe(Flag.withDefault("0"), Flag.withSchema(switched)),
  graceSeconds: setting("grace", "SLUICE_GRACE_SECONDS", "How long running runs may go on after a shutdown began").pipe(
    Flag.withDefault("20"),
    Flag.withSchema(wholeNumber(0, 3_600, "a number of seconds from 0 to 3600"))
  )
}

/** What a service does the first time that it starts on empty data. */
export const bootstrap = {
  bootstrapKey: secretSetting("bootstrap-key", "SLUICE_BOOTSTRAP_KEY", "Owner key of the first workspace").pipe(
    Flag.withSchema(apiKey),
    Flag.optional
  ),
  demo: setting("demo", "SLUICE_DEMO", "1 runs the demo workflow when the embedded data is empty, 0 never").pipe(
    Flag.withDefault("1"),
    Flag.withSchema(switched)
  )
}
