/**
 * A real Chromium and the demo site, shared by the tests of a process.
 */
import { existsSync } from "node:fs"
import { Context, Effect, Layer, ManagedRuntime, Option } from "effect"
import * as PlaywrightBrowser from "../../adapters/playwright/PlaywrightBrowser.ts"
import * as Site from "../../apps/demo/Site.ts"
import type { Browser } from "../../core/browser/Browser.ts"
import * as LateMessages from "./lateMessages.ts"

const delays = LateMessages.read(process.env.SLUICE_TEST_DELAY)
if (delays !== null) LateMessages.install(delays)

/** Chromium at the path that a service finds. */
export const chromiumPath = Option.getOrThrow(
  PlaywrightBrowser.findExecutable(Option.fromUndefinedOr(process.env.SLUICE_CHROMIUM), existsSync)
)

/**
 * The browser of most tests: the headless shell of Chromium, or with `SLUICE_TEST_HEADLESS_SHELL=0` the one that runs have by default. Tests that depend
 * on Chromium itself use `chromiumPath`: the guards, the sandbox, and the promises of the browser port.
 */
export const executablePath = process.env.SLUICE_TEST_HEADLESS_SHELL || chromiumPath

class DemoSite extends Context.Service<DemoSite, string>()("sluice/test/DemoSite") {}

/** Chromium that may reach the given origins, and no other private address. */
export const chromium = (allowedOrigins: ReadonlyArray<string>) =>
  PlaywrightBrowser.layer({ ...PlaywrightBrowser.defaults, executablePath, allowedOrigins })

/**
 * A browser for the tests of many files. It is never replaced, because one that closes late would disturb tests that
 * count processes.
 */
const shared = (options: Partial<PlaywrightBrowser.Options>) =>
  PlaywrightBrowser.layer({
    ...PlaywrightBrowser.defaults,
    executablePath,
    runsPerBrowser: Number.POSITIVE_INFINITY,
    ...options
  })

/** One demo site and one Chromium that may reach it for all tests of a process, started at the first use. */
const demo = ManagedRuntime.make(
  Layer.unwrap(
    Effect.map(Site.serve(0), (site) => Layer.merge(Layer.succeed(DemoSite, site), shared({ allowedOrigins: [site] })))
  )
)

/** Runs a test with the demo site and a browser that may reach it. */
export const withSite = <A, E>(test: (site: string) => Effect.Effect<A, E, Browser>) =>
  Effect.flatMap(demo.contextEffect, (context) => test(Context.get(context, DemoSite)).pipe(Effect.provide(context)))

const open = ManagedRuntime.make(shared({ allowPrivateNetworks: true }))

/** A browser without restrictions on addresses, which all tests of a process share. */
export const sharedBrowser = Layer.effectContext(open.contextEffect)

/** Provides a test with the shared browser without restrictions on addresses. */
export const inBrowser = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.flatMap(open.contextEffect, (context) => Effect.provide(test, context))
