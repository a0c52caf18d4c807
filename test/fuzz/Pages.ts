/** Hostile pages, each drawn from a seed as a few pieces, opened by the agent in a real Chromium. */
import type { ServerResponse } from "node:http"
import { Effect, Layer, ManagedRuntime } from "effect"
import * as PlaywrightBrowser from "../../adapters/playwright/PlaywrightBrowser.ts"
import { defaultPageLimits } from "../../core/agent/Limits.ts"
import { graphOf, type Step, walk } from "../support/browser.ts"
import * as HeldLoop from "../support/heldLoop.ts"
import { type Draw, draws } from "../support/JsonSchema.ts"
import { executablePath } from "../support/realBrowser.ts"
import { serve } from "../support/site.ts"
import { awaited } from "../support/waiting.ts"
import { documents, type Piece, responses } from "./PagePieces.ts"
import { shrink } from "./Shrink.ts"

/** A page by the names of its pieces. */
export interface Page {
  /** The contents of its documents, one after the other. */
  readonly documents: ReadonlyArray<string>
  /** How it is sent; `null` for as pages are. */
  readonly response: string | null
}

/** The outcome of a visit. */
export interface Visit {
  /** The code that the run ended with; `null` when it succeeded. */
  readonly code: string | null
  /** The longest turn of the event loop of the service, in fixed works (`relativeCost.ts`). */
  readonly longestTurn: number
  /** The failure of a run on a plain page in the same browser afterwards; `null` when it succeeded. */
  readonly next: string | null
}

export type VisitPage = (page: Page) => Promise<Visit>

/** The most that one turn of the event loop may cost, in fixed works. */
export const mostTurn = 40

export const faultOf = ({ code, longestTurn, next }: Visit): string | null => {
  if (code !== null && !/^[A-Z0-9_]+-E\d{4}$/.test(code)) return `ended with the code ${code}`
  if (longestTurn >= mostTurn) return `held the event loop for ${Math.round(longestTurn)} fixed works`
  return next === null ? null : `harmed the next run: ${next}`
}

/** The page with this number. */
export const pageAt = (seed: number, index: number): Page => {
  const draw = draws(Math.imul(seed + 0x7f4a7c15, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35))
  draw()
  const names = Object.keys(documents)
  const chosen = new Set<string>()
  for (let left = 1 + Math.floor(draw() * 4); left > 0; left--) chosen.add(nameOf(names, draw))
  return { documents: [...chosen], response: draw() < 0.35 ? nameOf(Object.keys(responses), draw) : null }
}

const nameOf = (names: ReadonlyArray<string>, draw: Draw): string => names[Math.floor(draw() * names.length)] ?? ""

export const htmlOf = ({ documents: names }: Page): string => {
  const pieces: ReadonlyArray<Piece> = names.flatMap((name) => documents[name] ?? [])
  const join = (part: keyof Piece) => pieces.map((piece) => piece[part] ?? "").join("\n")
  return `<!doctype html><html><head><title>Page</title>${join("head")}</head><body>
    <button id=go>go</button><p id=text>text</p>${join("body")}
    <script>${pieces.map(({ script = "" }) => `try { ${script} } catch {}`).join("\n")}
    document.querySelector("#go")?.addEventListener("click", () => { ${join("onClick")} })</script></body></html>`
}

const send = (page: Page, response: ServerResponse): void => {
  const html = htmlOf(page)
  const how = page.response === null ? undefined : responses[page.response]
  if (how === undefined) response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html)
  else how(response, html)
}

const stepsWaiting = (waitMillis: number): ReadonlyArray<Step> => [
  { action: "CLICK", parameters: { selector: "css=#go", wait_time: waitMillis } },
  {
    action: "EXTRACT_DATAMODEL",
    parameters: {
      execution: "STATIC",
      extract_data_model: { type: "object", properties: { text: { type: "string", path: "//p[@id='text']" } } }
    }
  },
  { action: "SCROLL", parameters: { direction: "down", wait_time: 0 } },
  { action: "SCREENSHOT", parameters: { full_page: true } }
]

const limits = {
  ...defaultPageLimits,
  navigationMillis: 20_000,
  unresponsiveMillis: 5_000,
  tabs: 5,
  memoryBytes: 500 * 1_048_576
}

/** Visits pages with one Chromium until it is closed. */
export const openVisitor = async (): Promise<{ readonly visit: VisitPage; readonly close: () => Promise<void> }> => {
  let current: Page = { documents: [], response: null }
  const site = Effect.map(
    serve({
      "/": (_request, response) => send(current, response),
      "/plain": (_request, response) =>
        void response
          .writeHead(200, { "content-type": "text/html" })
          .end("<button id=go>go</button><p id=text>text</p>")
    }),
    (origin) => {
      address = origin
      return PlaywrightBrowser.layer({
        ...PlaywrightBrowser.defaults,
        executablePath,
        allowedOrigins: [origin],
        limits
      })
    }
  )
  let address = ""
  const runtime = ManagedRuntime.make(Layer.unwrap(site))
  const open = (path: string, waitMillis: number) =>
    Effect.suspend(() => walk(graphOf(`${address}${path}`, stepsWaiting(waitMillis)))).pipe(
      Effect.map(({ outcome }) => (outcome._tag === "Failed" ? outcome.failure : null)),
      (failure) => awaited("the end of a visit", failure),
      Effect.catchCause((cause) => Effect.succeed({ code: `a defect: ${String(cause).slice(0, 500)}`, message: "" }))
    )
  // Whether a plain page works is asked, not how fast: the machine may be busy.
  const openPlain = () => runtime.runPromise(open("/plain", 15_000))
  // The browser is started before anything is measured.
  await openPlain()
  const visit: VisitPage = async (page) => {
    current = page
    const watch = HeldLoop.start()
    const failure = await runtime.runPromise(open("/", 1_500))
    const longestTurn = watch.lap(mostTurn)
    watch.stop()
    const next = await openPlain()
    return { code: failure?.code ?? null, longestTurn, next: next === null ? null : `${next.code} ${next.message}` }
  }
  return { visit, close: () => runtime.dispose() }
}

export interface Finding {
  readonly index: number
  readonly what: string
  readonly smallest: Page
}

/** Pages with one piece less. */
function* simplerPages(page: Page): Generator<Page> {
  if (page.response !== null) yield { ...page, response: null }
  for (const left of page.documents) yield { ...page, documents: page.documents.filter((name) => name !== left) }
}

/** Visits so many pages. */
export const run = async (options: {
  readonly visit: VisitPage
  readonly seed: number
  readonly from?: number
  readonly count: number
  readonly onFinding?: (finding: Finding) => void
}): Promise<ReadonlyArray<Finding>> => {
  const findings: Array<Finding> = []
  const from = options.from ?? 0
  for (let index = from; index < from + options.count; index++) {
    const page = pageAt(options.seed, index)
    const what = faultOf(await options.visit(page))
    if (what === null) continue
    const fails = async (one: Page) => faultOf(await options.visit(one)) !== null
    const finding = { index, what, smallest: await shrink(page, simplerPages, fails, 12) }
    findings.push(finding)
    options.onFinding?.(finding)
  }
  return findings
}

/** A finding as a person reads it, with the command that visits the page once more. */
export const describe = ({ index, smallest, what }: Finding, seed: number): string =>
  [
    `Page ${index} of seed ${seed} ${what}`,
    `  ${smallest.documents.join(" + ")}${smallest.response === null ? "" : `, sent as ${smallest.response}`}`,
    `  npm run fuzz -- --pages 1 --seed ${seed} --from ${index}`
  ].join("\n")
