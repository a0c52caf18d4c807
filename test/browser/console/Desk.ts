/** A person at the console of a service whose runs and recordings work in a real browser. */
import { mkdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type Locator, type Page, chromium as playwright } from "playwright-core"
import * as HttpFiles from "../../../adapters/http/HttpFiles.ts"
import { LivingProcesses } from "../../../apps/api/installation/LivingProcesses.ts"
import { buildConsole } from "../../../apps/bootstrap/console.js"
import { FileSource } from "../../../core/browser/file/FileSource.ts"
import * as Host from "../../../core/builder/host/Host.ts"
import * as StartingState from "../../../core/builder/host/StartingState.ts"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Scheduler from "../../../core/run/Scheduler.ts"
import * as Worker from "../../../core/run/Worker.ts"
import { Accounts } from "../../../core/vault/Accounts.ts"
import { LoginCodes } from "../../../core/vault/otp/LoginCodes.ts"
import { hangMillis } from "../../support/limits.ts"
import { executablePath, sharedBrowser } from "../../support/realBrowser.ts"
import { layerInMemory, Service } from "../../support/service.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

export const pictures = process.env.SLUICE_CONSOLE_PICTURES

/** A service whose runs and recordings work in a real browser, and its console, signed in. */
const opened = Effect.gen(function* () {
  yield* Effect.promise(buildConsole)
  const { member, send, url } = yield* Service
  const worker = Worker.run({ name: "w", capacity: 1, leaseMillis: 30_000, graceMillis: 0 })
  yield* Effect.forkScoped(Effect.provide(worker, Layer.fresh(AgentExecutor.layer.pipe(Layer.provide(sharedBrowser)))))
  yield* Effect.forkScoped(Scheduler.run())
  const host = Effect.flatMap(StartingState.ofConversations, (beginningOf) =>
    Host.run({ name: "h", capacity: 8, leaseMillis: 30_000, beginningOf })
  )
  const files = Layer.succeed(FileSource, HttpFiles.make({ ...HttpFiles.defaults, allowPrivateNetworks: true }))
  yield* Effect.forkScoped(Effect.provide(host, Layer.mergeAll(sharedBrowser, Accounts.layer, LoginCodes.layer, files)))
  const owner = yield* member("Owner")
  const browser = yield* Effect.acquireRelease(
    Effect.promise(() => playwright.launch({ executablePath })),
    (one) => Effect.promise(() => one.close())
  )
  const page = yield* Effect.promise(async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    context.setDefaultTimeout(hangMillis)
    const opened = await context.newPage()
    await opened.goto(`${url}/#/author`)
    await opened.getByLabel("API key").fill(owner.key)
    await opened.keyboard.press("Enter")
    await opened.getByText("Nothing is being recorded").waitFor()
    return opened
  })
  return { owner, page, send }
})

/** Axe finds nothing on the page as it is, also on a narrow screen. */
export const looked = async (page: Page, name: string) => {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe)
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 })
    if (pictures !== undefined) {
      mkdirSync(pictures, { recursive: true })
      await page.emulateMedia({ colorScheme: width === 390 ? "dark" : "light" })
      await page.screenshot({ path: join(pictures, `pointing-${name}-${width}.png`), fullPage: true })
      await page.emulateMedia({ colorScheme: "light" })
    }
    const found = await page.evaluate(
      `axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ target }) => target.join(" ")).join(", ")))`
    )
    assert.deepStrictEqual(found, [], `${name} at ${width} pixels`)
    assert.isAtMost(Number(await page.evaluate("document.documentElement.scrollWidth")), width, name)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
}

/** What a person does, each counted. */
export const hand = (page: Page) => {
  let actions = 0
  const counted = async (action: Promise<unknown>) => {
    actions++
    await action
  }
  const button = (name: string | RegExp): Locator =>
    page.getByRole("button", { name, exact: typeof name === "string" }).first()
  return {
    actions: () => actions,
    press: (name: string | RegExp) => counted(button(name).click()),
    fill: (label: string, text: string) => counted(page.getByLabel(label, { exact: true }).fill(text)),
    choose: (label: string, text: string) =>
      counted(page.getByLabel(label, { exact: true }).selectOption({ label: text })),
    said: (text: string | RegExp) => page.getByRole("status").getByText(text).waitFor(),
    steps: page.getByRole("list", { name: "The steps of the workflow" })
  }
}

export type Hand = ReturnType<typeof hand>

/** A service with its console, in which a person is signed in. */
export class Desk extends Context.Service<Desk, Effect.Success<typeof opened>>()("test/Desk") {
  static readonly layer = Layer.effect(Desk, opened).pipe(
    Layer.provide(layerInMemory),
    Layer.provide(Layer.succeed(LivingProcesses, { living: Effect.succeed([]) }))
  )
}
