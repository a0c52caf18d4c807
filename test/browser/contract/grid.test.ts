import { Effect, Layer } from "effect"
import type * as Endpoints from "../../../adapters/playwright/Endpoints.ts"
import * as Grid from "../../../adapters/playwright/Grid.ts"
import { defaultPageLimits } from "../../../core/agent/Limits.ts"
import * as BrowserContract from "../../kit/contracts/browser/BrowserContract.ts"
import { promises } from "../../support/browserPromises.ts"
import { devToolsServer, playwrightServer } from "../../support/gridBrowsers.ts"
import { scale } from "../../support/scale.ts"
import * as ServedSite from "../../support/servedSite.ts"

/** A grid of one browser. */
const gridOf = <E, R>(kind: Endpoints.Kind, url: Effect.Effect<string, E, R>) =>
  Layer.unwrap(
    Effect.map(url, (url) =>
      Grid.layer({
        ...Grid.defaults,
        allowPrivateNetworks: true,
        limits: { ...defaultPageLimits, navigationMillis: 15_000 },
        endpoints: Effect.succeed([{ url, kind, capacity: 100, draining: false }])
      })
    )
  )

/** What depends on where the browser runs. Of the others, all are asked each night. */
const remote = /address|asks for HTTP|credentials|passkey|window|cookies|download|PDF|requests|file/

const kept = BrowserContract.promises.filter(({ title }) => scale > 1 || remote.test(title))

const browsers = {
  playwright: Effect.map(playwrightServer, (server) => server.wsEndpoint()),
  cdp: Effect.map(devToolsServer, ({ url }) => url)
}

/** A Playwright server is closer to a browser of this machine, which keeps the same promises. */
const kinds = scale > 1 ? (["playwright", "cdp"] as const) : (["cdp"] as const)

for (const kind of kinds) {
  promises(`of a grid, ${kind}`, Layer.merge(gridOf(kind, browsers[kind]), ServedSite.layer), kept)
}
