/** The settings of browsers: their source, the limits of runs in them, and when they are replaced. */
import { readFileSync } from "node:fs"
import { Config, Effect, Result } from "effect"
import { Flag } from "effect/cli"
import * as Endpoints from "../../adapters/playwright/Endpoints.ts"
import { defaultLimits, defaultPageLimits, type PageLimits } from "../../core/agent/Limits.ts"
import { variable as noted } from "./guards/Variables.ts"
import { settingNames } from "./SettingNames.ts"
import { setting, wholeNumber } from "./Settings.ts"

const mebibyte = 1_048_576

const number = (
  flag: string,
  variable: string,
  description: string,
  [minimum, maximum, usual]: readonly [number, number, number]
) =>
  setting(flag, variable, description).pipe(
    Flag.withSchema(wholeNumber(minimum, maximum, `a number from ${minimum} to ${maximum}`)),
    Flag.withDefault(usual)
  )

/** The endpoints of a grid: written in the setting, or in a file that it names. */
export type GridSetting = Effect.Effect<ReadonlyArray<Endpoints.Endpoint>, string>

const parsed = (written: string): Effect.Effect<ReadonlyArray<Endpoints.Endpoint>, string> =>
  Result.match(Endpoints.parse(written), {
    onFailure: (problems) => Effect.fail(problems.join("; ")),
    onSuccess: Effect.succeed
  })

/** A file is read again each time. */
const endpointsOf = (written: string): GridSetting =>
  written.startsWith("@")
    ? Effect.flatMap(
        Effect.try({
          try: () => readFileSync(written.slice(1), "utf8"),
          catch: () => `cannot read the file ${written.slice(1)}`
        }),
        parsed
      )
    : parsed(written)

/** The source of browsers, and the bounds of runs in them. */
export const browsers = {
  browserEndpoints: Flag.String("browser-endpoints").pipe(
    Flag.withDescription(
      "Browsers to use in place of a local one: addresses such as ws://playwright:3000#capacity=4 or http://chromium:9222, or @ and a file of them [SLUICE_BROWSER_ENDPOINTS]"
    ),
    Flag.withFallbackConfig(Config.String(noted("browser-endpoints", "SLUICE_BROWSER_ENDPOINTS"))),
    Flag.mapTryCatch(
      (written) => {
        const endpoints = endpointsOf(written)
        Effect.runSync(Effect.mapError(endpoints, (problem) => new Error(problem)))
        return endpoints
      },
      (error) => (error instanceof Error ? error.message : "Expected browsers")
    ),
    Flag.optional
  ),
  guardHost: setting(
    "guard-host",
    "SLUICE_GUARD_HOST",
    "Name or address under which browsers on other machines reach this one"
  ).pipe(
    Flag.filter(
      (host) => !/[\s/@?#]/.test(host) && URL.parse(`http://${host}:1/`) !== null,
      () => "a host name or an address such as worker-1.internal"
    ),
    Flag.optional
  ),
  browserUser: setting(
    "browser-user",
    "SLUICE_BROWSER_USER",
    "User of browsers if the service runs as root: a name of /etc/passwd or a number; when not set, sluice-browser if it exists, otherwise a separate id for each"
  ).pipe(
    Flag.filter(
      (user) => user.trim() !== "",
      () => "a name of /etc/passwd or a number"
    ),
    Flag.optional
  ),
  browserSandbox: setting(
    "browser-sandbox",
    "SLUICE_BROWSER_SANDBOX",
    "auto starts browsers without their sandbox, or as root, if the system allows nothing else, and warns; required refuses to start them"
  ).pipe(
    Flag.filter(
      (choice) => choice === "auto" || choice === "required",
      () => "auto or required"
    ),
    Flag.withDefault("auto")
  ),
  browserRuns: number(
    "browser-runs",
    "SLUICE_BROWSER_RUNS",
    "Number of runs after which a browser is replaced",
    [1, 100_000, 100]
  ),
  browserMemory: number(
    "browser-memory",
    "SLUICE_BROWSER_MEMORY_MB",
    "Memory in MB above which a browser is replaced",
    [256, 1_048_576, 2_048]
  ),
  runMinutes: number("run-minutes", "SLUICE_RUN_MINUTES", "Maximum duration of a run", [
    1,
    1_440,
    defaultLimits.millis / 60_000
  ]),
  runSteps: number("run-steps", "SLUICE_RUN_STEPS", "Maximum number of steps of a run", [
    1,
    10_000_000,
    defaultLimits.steps
  ]),
  navigationSeconds: number("navigation-seconds", "SLUICE_NAVIGATION_SECONDS", "Maximum time to load an address", [
    1,
    600,
    defaultPageLimits.navigationMillis / 1_000
  ]),
  unresponsiveSeconds: number(
    "page-unresponsive-seconds",
    "SLUICE_PAGE_UNRESPONSIVE_SECONDS",
    "Maximum time for which a page may not respond",
    [2, 600, defaultPageLimits.unresponsiveMillis / 1_000]
  ),
  windows: number("page-windows", "SLUICE_PAGE_WINDOWS", "Maximum number of open tabs of a run", [
    1,
    1_000,
    defaultPageLimits.tabs
  ]),
  pageMemory: number("page-memory", "SLUICE_PAGE_MEMORY_MB", "Maximum memory of a page, in MB", [
    64,
    1_048_576,
    defaultPageLimits.memoryBytes / mebibyte
  ]),
  downloadSize: number("download-size", "SLUICE_DOWNLOAD_MB", "Maximum size of a download, in MB", [
    1,
    102_400,
    defaultPageLimits.downloadBytes / mebibyte
  ]),
  downloads: number("downloads", "SLUICE_DOWNLOADS", "Maximum number of downloads of a run", [
    1,
    100_000,
    defaultPageLimits.downloads
  ])
}

/** The settings of the limits of a session. */
export interface PageSettings {
  readonly navigationSeconds: number
  readonly unresponsiveSeconds: number
  readonly windows: number
  readonly pageMemory: number
  readonly downloadSize: number
  readonly downloads: number
}

/** The limits of a session from the settings. */
export const pageLimits = (settings: PageSettings): PageLimits => ({
  navigationMillis: settings.navigationSeconds * 1_000,
  unresponsiveMillis: settings.unresponsiveSeconds * 1_000,
  tabs: settings.windows,
  memoryBytes: settings.pageMemory * mebibyte,
  downloadBytes: settings.downloadSize * mebibyte,
  downloads: settings.downloads,
  names: settingNames
})
