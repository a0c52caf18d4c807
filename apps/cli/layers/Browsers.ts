/**
 * The browsers of a worker: those of a grid, or one of this machine. Each is loaded where the settings ask for it.
 */
import { existsSync } from "node:fs"
import { Effect, Layer, Option, Schema } from "effect"
import type { GridUnusable } from "../../../adapters/playwright/Grid.ts"
import type { BrowserNotConfined, ChromiumNotRunnable } from "../../../adapters/playwright/PlaywrightBrowser.ts"
import * as Startup from "../../../adapters/postgres/server/Startup.ts"
import type { Browser } from "../../../core/browser/Browser.ts"
import * as BrowserSettings from "../BrowserSettings.ts"

export interface BrowsersSettings extends BrowserSettings.PageSettings {
  readonly chromium: Option.Option<string>
  readonly allowPrivateNetworks: boolean
  readonly browserEndpoints: Option.Option<BrowserSettings.GridSetting>
  readonly guardHost: Option.Option<string>
  readonly browserUser: Option.Option<string>
  readonly browserSandbox: string
  readonly browserRuns: number
  readonly browserMemory: number
}

/** Raised when no browser is found. */
export class NoChromium extends Schema.TaggedError<NoChromium>()("NoChromium", {}) {
  override get message() {
    return "Cannot run workflows without Chromium: none was found in the usual places. Install it, or set SLUICE_CHROMIUM to the program"
  }
}

/** The reasons why browsers cannot be used. */
type Unusable = GridUnusable | ChromiumNotRunnable | BrowserNotConfined

/** The browsers of the named grid, or a local one if no grid is named. */
export const layerBrowser = (settings: BrowsersSettings, allowedOrigins: ReadonlyArray<string>) =>
  Layer.effectContext(Startup.during("it starts its browser")(Layer.build(layerChosen(settings, allowedOrigins))))

const layerChosen = (settings: BrowsersSettings, allowedOrigins: ReadonlyArray<string>) =>
  Layer.unwrap(
    Effect.gen(function* (): Effect.fn.Return<Layer.Layer<Browser, Unusable>, NoChromium> {
      const { allowPrivateNetworks } = settings
      const options = { allowPrivateNetworks, allowedOrigins, limits: BrowserSettings.pageLimits(settings) }
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
