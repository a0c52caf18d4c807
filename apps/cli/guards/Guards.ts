/**
 * Checks the settings and the machine before a process opens its database.
 *
 * All problems are reported together, one sentence each, with the variable to change.
 */
import { Effect, Option, Redacted, Schema } from "effect"
import * as ConnectionUrl from "../../../adapters/postgres/server/ConnectionUrl.ts"
import type * as Health from "../health/Health.ts"
import * as Artifacts from "../layers/Artifacts.ts"
import type * as Inbox from "../layers/Inbox.ts"
import * as Models from "../layers/Models.ts"
import { defaultDataDir } from "../Settings.ts"
import * as DataFolder from "./DataFolder.ts"
import * as HomeFolder from "./HomeFolder.ts"
import * as Ports from "./Ports.ts"
import { unknown } from "./Variables.ts"

export type Part = "up" | "api" | "inbox" | "scheduler" | "worker" | "migrate"

/** The settings that every part has, and those of some. */
export interface GuardedSettings
  extends Artifacts.Settings,
    Partial<Models.ModelSettings>,
    Partial<Inbox.ReceivingMail>,
    Partial<Health.HealthSettings>,
    Partial<{ readonly host: string; readonly port: number }> {
  readonly databaseUrl: Option.Option<Redacted.Redacted<string>>
  readonly masterKey: Option.Option<Redacted.Redacted<string>>
}

/** Raised when a process cannot start with its settings. */
export class CannotStart extends Schema.TaggedError<CannotStart>()("CannotStart", {
  problems: Schema.Array(Schema.String)
}) {
  override get message() {
    return this.problems.join("\n")
  }
}

type Problems = ReadonlyArray<string>

/** A separate part of the service needs a shared database; an embedded one belongs to one process. */
const database = (part: Part, { databaseUrl, dataDir, masterKey }: GuardedSettings): Problems => {
  if (Option.isSome(databaseUrl)) {
    const read = ConnectionUrl.read(Redacted.value(databaseUrl.value))
    return [
      ...(read._tag === "Problems" ? read.problems : []),
      ...(Option.isSome(masterKey)
        ? []
        : ["With DATABASE_URL, set SLUICE_MASTER_KEY to 64 hexadecimal digits, the same for every process"])
    ]
  }
  if (part === "up" || part === "migrate" || dataDir !== defaultDataDir) return []
  return [
    `\`sluice ${part}\` works with other processes on one database: set DATABASE_URL, or SLUICE_DATA_DIR for a separate embedded database`
  ]
}

const mail = (settings: GuardedSettings): Problems => {
  const { inboxDomain = Option.none(), smtpPort = Option.none() } = settings
  if (Option.isNone(smtpPort) || Option.isSome(inboxDomain)) return []
  return ["SLUICE_SMTP_PORT is set, and SLUICE_INBOX_DOMAIN is not: set it to the domain whose mail is received"]
}

const model = ({ models, modelUrl, visionModel = Option.none() }: GuardedSettings): Problems =>
  models === undefined || modelUrl === undefined
    ? []
    : Option.toArray(Models.misconfigured({ models, modelUrl, visionModel })).map(({ message }) => message)

const store = (settings: GuardedSettings): Problems => {
  const missing = Artifacts.missing(settings)
  if (missing === "all") {
    const problem = DataFolder.problemOf(settings.dataDir)
    return problem === null ? [] : [problem]
  }
  return missing.length === 0 ? [] : [new Artifacts.S3Misconfigured({ missing }).message]
}

/** The driver of the browser asks for it. */
const home = (part: Part): Problems => {
  const problem = part === "up" || part === "worker" ? HomeFolder.problemOf() : null
  return problem === null ? [] : [problem]
}

/** Two listeners of this process that settings give one port. Ports of one number on two addresses are two. */
const shared = (settings: GuardedSettings): Problems => {
  const { healthHost, healthPort = Option.none(), host, port, smtpHost, smtpPort = Option.none() } = settings
  const all = [
    { name: "PORT", host, port },
    { name: "SLUICE_SMTP_PORT", host: smtpHost, port: Option.getOrUndefined(smtpPort) },
    { name: "SLUICE_HEALTH_PORT", host: healthHost, port: Option.getOrUndefined(healthPort) }
  ]
  const isEvery = (address: string | undefined) => address === "0.0.0.0" || address === "::"
  return all.flatMap((one, at) =>
    all
      .slice(at + 1)
      .filter((other) => one.port === other.port && one.port !== undefined && one.port !== 0)
      .filter((other) => one.host === other.host || isEvery(one.host) || isEvery(other.host))
      .map((other) => `${one.name} and ${other.name} are both ${one.port}: set them to different ports`)
  )
}

const ports = ({ host, port, smtpHost, smtpPort = Option.none() }: GuardedSettings): Effect.Effect<Problems> => {
  const wanted = [
    ...(host === undefined || port === undefined || port === 0 ? [] : [{ host, port, names: "HOST, PORT" }]),
    ...(smtpHost === undefined
      ? []
      : Option.toArray(smtpPort).map((one) => ({
          host: smtpHost,
          port: one,
          names: "SLUICE_SMTP_HOST, SLUICE_SMTP_PORT"
        })))
  ]
  return Effect.map(
    Effect.forEach(wanted, ({ host, names, port }) =>
      Effect.map(Ports.refusal(host, port), (reason) =>
        reason === null ? [] : [`Cannot listen on ${host}:${port} (${names}): ${reason}`]
      )
    ),
    (found) => found.flat()
  )
}

/** Fails with every problem that prevents the start of a part. */
export const check = (part: Part, settings: GuardedSettings): Effect.Effect<void, CannotStart> =>
  Effect.gen(function* () {
    const problems = [
      ...unknown(process.env),
      ...database(part, settings),
      ...mail(settings),
      ...model(settings),
      ...(part === "migrate" && Option.isSome(settings.databaseUrl) ? [] : store(settings)),
      ...home(part),
      ...shared(settings),
      ...(yield* ports(settings))
    ]
    if (problems.length > 0) return yield* new CannotStart({ problems })
  })
