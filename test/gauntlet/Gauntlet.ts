/**
 * The whole gauntlet, and how one of its challenges is run.
 */
import { Context, Effect, Layer } from "effect"
import * as HttpFiles from "../../adapters/http/HttpFiles.ts"
import { walk } from "../support/browser.ts"
import { chromium } from "../support/realBrowser.ts"
import type { Challenge } from "./Challenge.ts"
import { type Site, serve } from "./Site.ts"
import { toGraph } from "./Workflow.ts"

/** The served site. */
export class GauntletSite extends Context.Service<GauntletSite, Site>()("sluice/test/gauntlet/GauntletSite") {}

/** The served site, and a Chromium and a fetcher of files that may reach it and nothing else that is private. */
export const layer = Layer.unwrap(
  Effect.map(serve, (site) =>
    Layer.mergeAll(
      Layer.succeed(GauntletSite, site),
      Layer.fresh(chromium(site.origins)),
      HttpFiles.layer({ ...HttpFiles.defaults, allowedOrigins: site.origins })
    )
  )
)

/** Runs the workflow of a challenge on a separate visit. */
export const attempt = Effect.fnUntraced(function* (challenge: Challenge) {
  const site = yield* GauntletSite
  const { given, url } = site.visit(challenge)
  return yield* walk(toGraph(url, challenge.workflow), challenge.inputs ?? {}, given)
})
