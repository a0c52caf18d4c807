import { Layer } from "effect"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import * as ScriptedBrowser from "../../../core/testing/browser/ScriptedBrowser.ts"
import { Site } from "../../../core/testing/contract/browser/BrowserContract.ts"
import { pages } from "../../../core/testing/contract/browser/BrowserPages.ts"
import { promises } from "./Promises.ts"

const origin = "http://site.test"

const failing = {
  unreachable: "http://closed.test/",
  unresolved: "http://nobody.invalid/",
  untrusted: "https://self-signed.test/",
  timeout: `${origin}/silent`,
  auth: `${origin}/auth`
}

const browser = ScriptedBrowser.layer(
  Object.fromEntries(Object.entries(pages).map(([path, { scripted }]) => [`${origin}${path}`, scripted(origin)])),
  {
    failing: {
      ...Object.fromEntries([404, 410, 429, 503].map((status) => [`${origin}/status/${status}`, status])),
      ...Object.fromEntries(
        Object.entries(failing).map(([kind, url]) => [
          url,
          new PageFailure({ kind: kind as keyof typeof failing, reason: `it is ${kind}` })
        ])
      )
    },
    answer: () => ({ status: 200, body: '{"ok":true}' })
  }
)

const file = { path: "/tmp/scan.pdf", fileName: "scan.pdf" }

promises("scripted", Layer.merge(browser, Layer.succeed(Site, { origin, failing, file })))
