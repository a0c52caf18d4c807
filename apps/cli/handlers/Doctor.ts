/** The handler of `sluice doctor`: checks the isolation of browsers and of the data of the service on this machine, and its database. */
import { existsSync, lstatSync } from "node:fs"
import { Clock, Effect, Layer, Option, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as OwnerOnly from "../../../adapters/files/OwnerOnly.ts"
import * as Zone from "../../../core/window/calendar/Zone.ts"
import * as ZoneAge from "../../../core/window/calendar/ZoneAge.ts"
import { NoChromium } from "../layers/Browsers.ts"
import { answer, type OutputSettings } from "../user/Output.ts"

/** Raised at the end if any problem was found. */
export class ProblemsFound extends Schema.TaggedError<ProblemsFound>()("ProblemsFound", { count: Schema.Int }) {
  override get message() {
    return `${this.count === 1 ? "1 problem was" : `${this.count} problems were`} found`
  }
}

export interface Finding {
  /** A warning is a weakness; a problem prevents the start of the service. */
  readonly state: "ok" | "warning" | "problem"
  readonly subject: string
  readonly text: string
}

interface Examined {
  readonly dataDir: string
  readonly databaseUrl: Option.Option<Redacted.Redacted<string>>
  readonly chromium: Option.Option<string>
  readonly browserUser: Option.Option<string>
  readonly browserSandbox: string
  readonly browserEndpoints: Option.Option<unknown>
}

type Check = (settings: Examined) => Effect.Effect<ReadonlyArray<Finding>>

const problem = (subject: string, { message }: { readonly message: string }): ReadonlyArray<Finding> => [
  { state: "problem", subject, text: message }
]

/** Starts a browser as the service would, and reports its confinement. */
const browser: Check = (settings) =>
  Effect.gen(function* () {
    if (Option.isSome(settings.browserEndpoints)) {
      const text = "browsers come from a grid: their users and sandboxes are not checked here"
      return [{ state: "ok", subject: "browser", text }] satisfies ReadonlyArray<Finding>
    }
    const PlaywrightBrowser = yield* Effect.promise(() => import("../../../adapters/playwright/PlaywrightBrowser.ts"))
    const LocalChromium = yield* Effect.promise(() => import("../../../adapters/playwright/LocalChromium.ts"))
    const found = PlaywrightBrowser.findExecutable(settings.chromium, existsSync)
    if (Option.isNone(found)) return yield* new NoChromium()
    const executablePath = found.value
    const confinements = yield* PlaywrightBrowser.confinements(executablePath, Option.getOrNull(settings.browserUser))
    const { confinement, user } = yield* Effect.acquireUseRelease(
      Effect.tryPromise({
        try: () => LocalChromium.start(executablePath, [], confinements),
        catch: (error) => PlaywrightBrowser.ChromiumNotRunnable.of(executablePath, error)
      }),
      Effect.succeed,
      ({ close }) => Effect.promise(close)
    )
    const gaps = confinement.gaps.map((text): Finding => {
      const state = settings.browserSandbox === "required" ? "problem" : "warning"
      return { state, subject: "browser sandbox", text }
    })
    const own = process.getuid?.() ?? "the user"
    const userText = user === null ? `${own}, as the service` : `${user.uid}, which the service does not run as`
    return [
      { state: "ok", subject: "browser program", text: executablePath },
      { state: user === null && own === 0 ? "warning" : "ok", subject: "browser user", text: userText },
      ...(confinement.sandbox ? [{ state: "ok", subject: "browser sandbox", text: "on" } as const] : gaps)
    ] satisfies ReadonlyArray<Finding>
  }).pipe(Effect.catch((error) => Effect.succeed(problem("browser", error))))

/** Whether other users of the machine have rights to the data. */
const folders: Check = ({ dataDir }) =>
  Effect.sync(() => {
    if (!existsSync(dataDir)) return [{ state: "ok", subject: "data", text: `${dataDir} does not exist yet` }]
    return ["", "/database", "/master.key", "/artifacts"].flatMap((name): ReadonlyArray<Finding> => {
      const path = `${dataDir}${name}`
      const stats = lstatSync(path, { throwIfNoEntry: false })
      if (stats === undefined) return []
      const text = `${path} has mode ${(stats.mode & 0o777).toString(8).padStart(4, "0")}`
      if (!OwnerOnly.isOpen(path)) return [{ state: "ok", subject: "data", text }]
      return [
        { state: "warning", subject: "data", text: `${text}: other users have rights to it until the next start` }
      ]
    })
  })

/** Which time zone data this machine decides by, and whether they may be older than the law. */
const zones: Check = () =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const warning = ZoneAge.warning(Zone.dataVersion, now)
    const text = `${Zone.dataVersion ?? "an unknown version"}, from ${Zone.dataSource}`
    return [
      warning === null
        ? { state: "ok", subject: "time zone data", text }
        : {
            state: "warning",
            subject: "time zone data",
            text: `${text}. ${warning}. ${ZoneAge.remedyBy("SLUICE_TZDATA")}`
          }
    ]
  })

/** Whether the service could work with the server: it answers, gives each connection a session, and accepts writes. */
export const database = ({ databaseUrl }: Pick<Examined, "databaseUrl">) =>
  Effect.gen(function* () {
    if (Option.isNone(databaseUrl)) return []
    const Client = yield* Effect.promise(() => import("../../../adapters/postgres/server/Client.ts"))
    const client = Client.layer({ url: databaseUrl.value, maxConnections: 1, maxMessageSize: 1_048_576 })
    const [found] = yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return yield* sql<{ readonly version: string; readonly copies: boolean; readonly refuses: boolean }>`
        select current_setting('server_version') as version, pg_is_in_recovery() as copies,
          current_setting('transaction_read_only') = 'on' as refuses`
    }).pipe(Effect.provide(Layer.fresh(client)), Effect.scoped)
    const reason =
      found?.copies === true
        ? "it is a standby: name its primary as well in DATABASE_URL, with target_session_attrs=read-write"
        : "its sessions are read-only (default_transaction_read_only)"
    const text = `PostgreSQL ${found?.version}`
    const accepts = found?.copies === false && !found.refuses
    return [
      accepts
        ? { state: "ok", subject: "database", text: `${text}, which accepts writes` }
        : { state: "warning", subject: "database", text: `${text}, which accepts no writes: ${reason}` }
    ] satisfies ReadonlyArray<Finding>
  }).pipe(Effect.catch((error) => Effect.succeed(problem("database", error))))

const checks: ReadonlyArray<Check> = [browser, folders, database, zones]

export const doctor = Effect.fnUntraced(function* (settings: Examined & OutputSettings) {
  const findings = (yield* Effect.forEach(checks, (check) => check(settings))).flat()
  yield* answer(settings, findings, () =>
    findings.map(({ state, subject, text }) => `${state.padEnd(8)} ${subject.padEnd(16)} ${text}`).join("\n")
  )
  const count = findings.filter(({ state }) => state === "problem").length
  if (count > 0) return yield* new ProblemsFound({ count })
})
