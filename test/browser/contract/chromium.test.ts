import { Layer } from "effect"
import * as PlaywrightBrowser from "../../../adapters/playwright/PlaywrightBrowser.ts"
import { defaultPageLimits } from "../../../core/agent/Limits.ts"
import { promises } from "../../support/browserPromises.ts"
import { chromiumPath } from "../../support/realBrowser.ts"
import * as ServedSite from "../../support/servedSite.ts"

const browser = PlaywrightBrowser.layer({
  ...PlaywrightBrowser.defaults,
  executablePath: chromiumPath,
  allowPrivateNetworks: true,
  runsPerBrowser: Number.POSITIVE_INFINITY,
  // One promise waits for it, beside the others.
  limits: { ...defaultPageLimits, navigationMillis: 15_000 }
})

promises("Chromium", Layer.merge(browser, ServedSite.layer))
