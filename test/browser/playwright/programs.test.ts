/** Workflows as programs of plain Playwright, executed in a real Chromium. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { isDeepStrictEqual } from "node:util"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Result, type Schema } from "effect"
import { type Browser, chromium, type Page } from "playwright-core"
import { demoUsers } from "../../../apps/demo/DemoUsers.ts"
import { orders } from "../../../apps/demo/Orders.ts"
import * as DemoSite from "../../../apps/demo/Site.ts"
import { demoWorkflow } from "../../../apps/demo/Workflow.ts"
import { program } from "../../../core/workflow/playwright/PlaywrightProgram.ts"
import { type Challenge, Failing } from "../../gauntlet/Challenge.ts"
import { challenges } from "../../gauntlet/Challenges.ts"
import { type Site, serve } from "../../gauntlet/Site.ts"
import { toGraph } from "../../gauntlet/Workflow.ts"
import { executablePath } from "../../support/realBrowser.ts"
import { root } from "../../support/Source.ts"
import { sampled } from "../../support/scale.ts"
import { harder } from "./HarderPages.ts"

type Fields = Parameters<typeof program>[0]

const programOf = (fields: object) => program(fields as unknown as Fields)

class World extends Context.Service<
  World,
  { readonly browser: Browser; readonly site: Site; readonly folder: string }
>()("sluice/test/browser/playwright/World") {}

const world = Layer.effect(
  World,
  Effect.gen(function* () {
    const site = yield* serve
    const browser = yield* Effect.acquireRelease(
      Effect.promise(() => chromium.launch({ executablePath, args: ["--no-sandbox"] })),
      (one) => Effect.promise(() => one.close())
    )
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => {
        mkdirSync(join(root, ".cache"), { recursive: true })
        // Within the checkout, so that the programs find Playwright.
        return mkdtempSync(join(root, ".cache", "programs-"))
      }),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    return { browser, site, folder }
  })
)

type Run = (page: Page, inputs: Schema.JsonObject) => Promise<Schema.Json>

let written = 0

/** Runs the text of a program on a page of its own. */
const executed = Effect.fnUntraced(function* (text: string, inputs: Schema.JsonObject) {
  const { browser, folder } = yield* World
  const path = join(folder, `program${written++}.ts`)
  writeFileSync(path, text)
  return yield* Effect.acquireUseRelease(
    Effect.promise(() => browser.newContext()),
    (context) =>
      Effect.tryPromise(async () => {
        const { run }: { readonly run: Run } = await import(/* @vite-ignore */ pathToFileURL(path).href)
        // As the interface would answer it: without members that are undefined.
        return JSON.parse(JSON.stringify(await run(await context.newPage(), inputs))) as Schema.Json
      }),
    (context) => Effect.promise(() => context.close())
  )
})

/** Whether a challenge is one of a program alone: without persons and credentials, and with data as its end. */
const isPlain = ({ expected, name, open, workflow }: Challenge): boolean => {
  const { given } = open("http://127.0.0.1")
  const needsMore = given.person !== undefined || given.accounts !== undefined || given.codes !== undefined
  const { missing } = programOf({ name, ...toGraph("http://127.0.0.1/", workflow) })
  return missing.length === 0 && !needsMore && !(expected instanceof Failing)
}

const plain = challenges.filter(isPlain)
const easy = plain.filter(({ name }) => !harder.has(name))
const hard = plain.filter(({ name }) => harder.has(name))

/** How programs have ended: with the right data, with an error, with other data. */
const counted = { right: 0, failed: 0, wrong: 0 }
afterAll(() => void process.stderr.write(`programs: ${JSON.stringify(counted)}\n`))

describe("programs of plain Playwright", () => {
  it("can do most of the gauntlet", () => {
    assert.isAtLeast(easy.length, 100)
  })

  it.layer(world, { excludeTestServices: true })("in a real Chromium", (it) => {
    describe.concurrent("end as the workflow does, or fail", () => {
      for (const challenge of [...sampled(easy, 12), ...sampled(hard, 6)]) {
        it.effect(`${challenge.name}: ${challenge.difficulty}`, () =>
          Effect.gen(function* () {
            const { folder, site } = yield* World
            process.env.FILES = folder
            const { url } = site.visit(challenge)
            const { name, workflow } = challenge
            const { text } = programOf({ name, ...toGraph(url, workflow) })
            const data = yield* Effect.result(executed(text, challenge.inputs ?? {}))
            if (Result.isFailure(data)) {
              counted.failed++
              if (!harder.has(name)) throw data.failure
              return
            }
            const isRight: boolean = isDeepStrictEqual(data.success, challenge.expected)
            counted[isRight ? "right" : "wrong"]++
            assert.deepEqual<unknown>(data.success, challenge.expected)
          })
        )
      }
    })

    it.effect("sign in with a code of an authenticator, and read every page of the demo", () =>
      Effect.gen(function* () {
        const site = yield* DemoSite.serve(0)
        const { missing, text } = programOf(demoWorkflow(site))
        const { password, second, user } = demoUsers.controller
        process.env.FILES = tmpdir()
        Object.assign(process.env, {
          MARLOW_USER_NAME: user,
          MARLOW_PASSWORD: password,
          MARLOW_TFA_SECRET: second.secret
        })
        const data = yield* executed(text, { status: "open" })
        assert.lengthOf(missing, 1)
        assert.strictEqual(
          (data as { readonly orders: ReadonlyArray<unknown> }).orders.length,
          orders.filter(({ status }) => status === "open").length
        )
      }).pipe(Effect.scoped)
    )
  })
})
