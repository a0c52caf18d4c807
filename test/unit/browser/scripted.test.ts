import { Layer } from "effect"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { Site } from "../../kit/contracts/browser/BrowserContract.ts"
import { member, pages } from "../../kit/contracts/browser/BrowserPages.ts"
import { promises } from "../../support/browserPromises.ts"

const origin = "http://site.test"
const elsewhere = "http://localhost"

const failing = {
  unreachable: "http://closed.test/",
  unresolved: "http://nobody.invalid/",
  untrusted: "https://self-signed.test/",
  timeout: `${origin}/silent`
}

const browser = ScriptedBrowser.layer(
  Object.fromEntries(
    [origin, elsewhere].flatMap((at) =>
      Object.entries(pages).map(([path, { scripted }]) => [`${at}${path}`, scripted(at)])
    )
  ),
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
    signIns: { [`${origin}/auth`]: member, [`${elsewhere}/auth`]: member },
    answer: () => ({ status: 200, body: '{"ok":true}' })
  }
)

const file = { path: "/tmp/scan.pdf", fileName: "scan.pdf" }

promises(
  "scripted",
  Layer.merge(
    browser,
    Layer.succeed(Site, { origin, elsewhere, failing: { ...failing, auth: `${origin}/auth` }, file })
  )
)
