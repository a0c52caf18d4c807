/**
 * The console in a real Chromium, on a server with its stores in memory, where a worker carries runs out on a scripted
 * site. One browser and one server serve the whole file.
 */
import { mkdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { createRequire } from "node:module"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, type Scope } from "effect"
import { type Locator, type Page, chromium as playwright, type Route } from "playwright-core"
import { LivingProcesses } from "../../../apps/api/installation/LivingProcesses.ts"
import { buildConsole } from "../../../apps/bootstrap/console.js"
import { demoUsers } from "../../../apps/demo/DemoUsers.ts"
import { Browser } from "../../../core/browser/Browser.ts"
import * as Host from "../../../core/builder/host/Host.ts"
import * as StartingState from "../../../core/builder/host/StartingState.ts"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Scheduler from "../../../core/run/Scheduler.ts"
import * as Worker from "../../../core/run/Worker.ts"
import { Accounts } from "../../../core/vault/Accounts.ts"
import { LoginCodes } from "../../../core/vault/otp/LoginCodes.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { graphOf, type Step } from "../../support/browser.ts"
import { hangMillis } from "../../support/limits.ts"
import { listening } from "../../support/listening.ts"
import { makePatch } from "../../support/patches.ts"
import { executablePath, withSite } from "../../support/realBrowser.ts"
import { isAll, sampled, scale } from "../../support/scale.ts"
import { seal } from "../../support/sealed.ts"
import { connectServer, id as providedId } from "../../support/secretServers.ts"
import { furtherServer, layerInMemory, type Member, Service } from "../../support/service.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const shop = "https://shop.example"
const bank = "https://bank.example"
/** What a hostile site or person may write. Shown as text, it does nothing. */
const hostile = `<img src=x onerror="window.harmed=1"><script>window.harmed=1</script>\u202e"'&amp; javascript:alert(1)`

const scripted = ScriptedBrowser.layer({
  [`${shop}/`]: [
    { selector: "//h1", text: hostile },
    { selector: "#more", text: "More" },
    { selector: "#seats", text: "5 of 12 seats" },
    { selector: "#paid", text: "perhaps" },
    { selector: "#save", text: "Save", saves: [["orders.csv", "order,total"]] }
  ],
  [`${bank}/`]: [
    { selector: "#user", value: "" },
    { selector: "#password", value: "", takes: { values: ["tide-and-timber"], leadsTo: `${bank}/home` } }
  ],
  [`${bank}/home`]: [{ selector: "//h1", text: "Statements" }],
  [`${bank}/pay`]: [
    { selector: "#amount", value: `12.50 ${hostile}`, form: { address: `${bank}/transfers` } },
    { selector: "#pay", text: `Pay ${hostile}`, leadsTo: `${bank}/home`, form: { address: `${bank}/transfers` } }
  ]
})

/** The browser of runs and recordings: a scripted one, except while a test has them work on the demo site. */
let real: Browser["Service"] | null = null

const site = Layer.effect(
  Browser,
  Effect.map(Browser, (written) => Browser.of({ open: (session) => (real ?? written).open(session) }))
).pipe(Layer.provide(scripted))

/** Has runs and recordings work on the demo site, in a real browser. */
const onDemoSite = <A, E>(test: (address: string) => Effect.Effect<A, E, Console>) =>
  Effect.flatMap(Effect.context<Console>(), (context) =>
    withSite((address) =>
      Effect.acquireUseRelease(
        Effect.map(Browser, (browser) => {
          real = browser
        }),
        () => Effect.provide(test(address), context),
        () =>
          Effect.sync(() => {
            real = null
          })
      )
    )
  )

const steps: ReadonlyArray<Step> = [
  { action: "SCREENSHOT", parameters: {} },
  {
    action: "EXTRACT_DATAMODEL",
    parameters: { extract_data_model: { type: "object", properties: { title: { type: "string", path: "//h1" } } } }
  }
]

/** What it reads is unsure twice. */
const unsure = {
  action: "EXTRACT_DATAMODEL",
  parameters: {
    extract_data_model: {
      type: "object",
      properties: { seats: { type: "number", path: "#seats" }, paid: { type: "boolean", path: "#paid" } }
    }
  }
}

/** It saves a file, and asks a person for what only they know. */
const asking: ReadonlyArray<Step> = [
  { action: "CLICK", parameters: { selector: "#save", wait_time: 0 } },
  { action: "FILE_DOWNLOAD", parameters: {} },
  {
    action: "USER_INTERACTION",
    parameters: {
      expected_datamodel: {
        type: "object",
        properties: { code: { type: "string", description: hostile }, copies: { type: "integer" } },
        required: ["code", "copies"]
      },
      server_message: `Which code? ${hostile}`,
      timeout: 300_000
    }
  }
]

const signIn: ReadonlyArray<Step> = [
  { action: "INPUT_TEXT", parameters: { selector: "#user", text: "{{context.inputs.BANK.USER_NAME}}" } },
  {
    action: "INPUT_TEXT",
    parameters: { selector: "#password", text: "{{context.inputs.BANK.PASSWORD}}", submit_after_input: true }
  },
  { action: "CLICK", parameters: { selector: "//h1", wait_time: 0 } }
]

/**
 * The runs that a story holds, and those of one branch among them. From SLUICE_TEST_SCALE=10 on they are 4,000, of which one
 * page of a search looks through 2,000: those of the branch lie behind these.
 */
const [heldRuns, runsOfBranch] = scale < 10 ? [400, 250] : [4_000, 1_000]

const days = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]

/** A window that is closed for the next six hours, in a zone with changes of clocks. */
const closedNow = () => {
  const zone = "Europe/Berlin"
  const hour = Number(
    new Intl.DateTimeFormat("en", { hour: "numeric", hourCycle: "h23", timeZone: zone }).format(Date.now())
  )
  const opens = hour < 12 ? 18 : 6
  return {
    time_zone: zone,
    regular_hours: days.map((day) => ({
      active_start_day: day,
      active_start_time: { hours: opens },
      active_end_day: day,
      active_end_time: { hours: opens + 1 }
    }))
  }
}

/** Requests to an address, its readings by default, get no answer until the returned function is called. */
const withheld = async (page: Page, path: RegExp, methods: ReadonlyArray<string> = ["GET"]) => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const hold = async (route: Route) => {
    if (methods.includes(route.request().method())) await released
    await route.fallback()
  }
  await page.route(path, hold)
  return async () => {
    release()
    await page.unroute(path, hold)
  }
}

/** A field whose text is saved by a button. */
interface Editor {
  readonly view: string
  readonly field: Locator
  readonly texts: readonly [string, string, string]
  /** The content of the field that has one of the texts. */
  readonly written?: (text: string) => string
  readonly save: string
  readonly done: string | RegExp
  readonly path: RegExp
}

/** Two processes that differ in their time zone data, and of which one has a wrong clock. */
const living = Effect.sync(() => {
  const at = Date.now()
  const worker = { part: "worker", version: "1.0.0", capacity: 4, running: 1, browsers: 2, beganAt: at, seenAt: at }
  return [
    { ...worker, tzData: "2026a", clockSkewMillis: 0 },
    { ...worker, part: "api", capacity: null, running: 0, browsers: 0, tzData: "2025b", clockSkewMillis: -7_200 }
  ]
})

/** The next day on which the clocks of a zone change: its date there, an instant of it, and its length in hours. */
const nextChangeOfClocks = (zone: string) => {
  const format = new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "medium", timeZone: zone })
  const offset = (at: number) => Date.parse(`${format.format(at)}Z`) - at
  const hour = 3_600_000
  let at = Math.ceil(Date.now() / hour) * hour
  while (offset(at) === offset(at - hour)) at += hour
  return { at, date: format.format(at).slice(0, 10), hours: 24 - (offset(at) - offset(at - hour)) / hour }
}

/** A body in which a test writes what is hostile. */
type Hostile = Record<string, unknown> & {
  readonly elements?: ReadonlyArray<object>
  readonly errors?: ReadonlyArray<object>
  readonly events?: ReadonlyArray<{ readonly payload: { readonly current_step?: string } }>
  readonly nodes?: ReadonlyArray<{ readonly name: string }>
}

class Console extends Context.Service<
  Console,
  {
    readonly url: string
    readonly owner: Member
    /** A program with a key of its own. */
    readonly program: Member
    readonly page: Page
    /** Closes the page, and opens another one in its place. */
    readonly replacePage: Effect.Effect<void>
    /** What went wrong in the page since it was last asked. */
    readonly complaints: () => ReadonlyArray<string>
    readonly ids: { readonly orders: string; readonly nightly: string }
    readonly send: Service["Service"]["send"]
  }
>()("test/Console") {}

/** A workspace with a workflow that runs, one whose window is closed, and what a person may have called them. */
const seeded = Effect.gen(function* () {
  const { member, send } = yield* Service
  const owner = yield* member("Owner")
  yield* (yield* WorkspaceStore).change(owner.caller.workspaceId, (one) => ({ ...one, founding: true }))
  const post = (path: string, json: unknown, method = "POST") =>
    Effect.map(send({ method, path, key: owner.key, json }), ({ body, status, text }) => {
      assert.isBelow(status, 300, text)
      return body
    })
  const input_schema = {
    type: "object",
    properties: {
      status: { type: "string", enum: ["open", "shipped"], description: "Which orders" },
      pages: { type: "integer", minimum: 1, default: 2 }
    },
    required: ["status"],
    additionalProperties: false
  }
  const orders = String(
    (yield* post("/workflows", {
      name: `Orders ${hostile}`,
      description: hostile,
      input_schema,
      ...graphOf(`${shop}/`, steps)
    })).id
  )
  const nightly = String((yield* post("/workflows", { name: "Nightly statements", ...graphOf(`${shop}/`, []) })).id)
  yield* post(`/workflows/${nightly}/run-window`, closedNow(), "PUT")
  for (let count = 0; count < 30; count++) yield* post("/run", { workflow_id: nightly })
  for (const status of ["open", "shipped"]) {
    yield* post("/run", { workflow_id: orders, run_input_variables: { status } })
  }
  return { owner, program: yield* member("Member", owner), ids: { orders, nightly } }
})

const console = Layer.effect(
  Console,
  Effect.gen(function* () {
    yield* Effect.promise(buildConsole)
    const { send, url } = yield* Service
    const worker = Worker.run({ name: "w", capacity: 4, leaseMillis: 30_000, graceMillis: 0 })
    yield* Effect.forkScoped(Effect.provide(worker, Layer.fresh(AgentExecutor.layer.pipe(Layer.provide(site)))))
    yield* Effect.forkScoped(Scheduler.run())
    const host = Effect.flatMap(StartingState.ofConversations, (beginningOf) =>
      Host.run({ name: "h", capacity: 4, leaseMillis: 30_000, beginningOf })
    )
    yield* Effect.forkScoped(Effect.provide(host, Layer.mergeAll(site, Accounts.layer, LoginCodes.layer)))
    const { ids, owner, program } = yield* seeded
    const browser = yield* Effect.acquireRelease(
      Effect.promise(() => playwright.launch({ executablePath })),
      (one) => Effect.promise(() => one.close())
    )
    const context = yield* Effect.promise(() => browser.newContext({ viewport: { width: 1280, height: 800 } }))
    context.setDefaultTimeout(hangMillis)
    const wrong: Array<string> = []
    const opened = Effect.promise(async () => {
      const page = await context.newPage()
      page.on("pageerror", (error) => wrong.push(error.message))
      page.on("console", (message) => void (message.type() === "error" && wrong.push(message.text())))
      page.on("request", (request) => {
        if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== url) wrong.push(request.url())
      })
      return page
    })
    let page = yield* opened
    return Console.of({
      url,
      owner,
      program,
      get page() {
        return page
      },
      replacePage: Effect.gen(function* () {
        yield* Effect.promise(() => page.close())
        page = yield* opened
        wrong.splice(0)
      }),
      ids,
      send,
      complaints: () => wrong.splice(0)
    })
  })
).pipe(Layer.provideMerge(layerInMemory), Layer.provide(Layer.succeed(LivingProcesses, { living })))

const pictures = process.env.SLUICE_CONSOLE_PICTURES

/**
 * Looks at the page as it is: nothing was harmed, axe finds nothing, and nothing failed but the requests that are
 * `expected` to.
 */
const looked = Effect.fnUntraced(function* (name: string, expected: RegExp | null = null) {
  const { complaints, page } = yield* Console
  yield* Effect.promise(async () => {
    if (pictures !== undefined) {
      mkdirSync(pictures, { recursive: true })
      await page.screenshot({ path: join(pictures, `${name}.png`) })
      const size = page.viewportSize() ?? { width: 1280, height: 800 }
      if (size.width > 320) {
        await page.emulateMedia({ colorScheme: "dark" })
        await page.screenshot({ path: join(pictures, `${name}-dark.png`) })
        await page.emulateMedia({ colorScheme: "light" })
        await page.setViewportSize({ width: 320, height: 800 })
        await page.screenshot({ path: join(pictures, `${name}-narrow.png`), fullPage: true })
        await page.setViewportSize(size)
      }
    }
    // A document gets the script once. Its style sheets, which do not change, are looked through the first time alone.
    const isFirst = !(await page.evaluate("'axe' in window"))
    if (isFirst) await page.evaluate(axe)
    const found =
      await page.evaluate(`axe.run({ resultTypes: ["violations"], preload: ${isFirst} }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes.map(({ target }) => target.join(" ")).slice(0, 3).join(", ")))`)
    assert.deepStrictEqual(found, [], name)
    assert.isUndefined(await page.evaluate("window.harmed"))
  })
  assert.deepStrictEqual(
    complaints().filter((one) => expected === null || !expected.test(one)),
    [],
    name
  )
})

/** Asks the service as its owner, for what a story begins with. */
const asked = Effect.fnUntraced(function* (path: string, json: unknown, method = "POST") {
  const { owner, send } = yield* Console
  const { body, status, text } = yield* send({ method, path, key: owner.key, json })
  assert.isBelow(status, 300, text)
  return body
})

/** What the service answers its owner. */
const readAs = Effect.fnUntraced(function* (path: string) {
  const { owner, send } = yield* Console
  const { body, status, text } = yield* send({ method: "GET", path, key: owner.key })
  assert.strictEqual(status, 200, text)
  return body
})

const at = Effect.fnUntraced(function* (address: string) {
  const { page, url } = yield* Console
  yield* Effect.promise(() => page.goto(`${url}/${address}`))
})

it.layer(console, { excludeTestServices: true })("the console", (layered) => {
  let isSpoilt = false
  type Test<E> = () => Effect.Effect<void, E, Layer.Success<typeof console> | Scope.Scope>
  /** A test that fails leaves its answers, dialogs and actions under way behind: the next one gets a page of its own. */
  const separately =
    <E>(test: Test<E>) =>
    () =>
      Effect.gen(function* () {
        if (isSpoilt) yield* (yield* Console).replacePage
        isSpoilt = true
        yield* test()
        isSpoilt = false
      })
  const it = {
    effect: <E>(name: string, test: Test<E>) => layered.effect(name, separately(test)),
    /** A test of the night. */
    nightly: <E>(name: string, test: Test<E>) => layered.effect.runIf(isAll)(name, separately(test))
  }

  it.effect("is at most 250 KiB until its first view, in files that never change under a name", () =>
    Effect.gen(function* () {
      const { send } = yield* Console
      const home = yield* send({ method: "GET", path: "/" })
      assert.strictEqual(home.headers.get("cache-control"), "no-cache")
      assert.include(home.headers.get("content-security-policy") ?? "", "default-src 'none'; script-src 'self';")
      const seen = new Map<string, string>()
      const load = (path: string): Effect.Effect<void> =>
        Effect.gen(function* () {
          if (seen.has(path)) return
          const { headers, text } = yield* send({ method: "GET", path })
          assert.strictEqual(headers.get("cache-control"), "public, max-age=31536000, immutable", path)
          seen.set(path, text)
          const next = [...text.matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g)].map(([, name]) => name)
          // The first script loads the console itself.
          const first = path.includes("Main-")
            ? [...text.matchAll(/[\w.-]*Start-[\w-]+\.js/g)].map(([name]) => name)
            : []
          for (const name of [...next, ...first]) yield* load(`/console/assets/${name}`)
        })
      for (const [, path = ""] of home.text.matchAll(/(?:src|href)="(console\/[^"]+)"/g)) yield* load(`/${path}`)
      const bytes = [...seen.values()].reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0)
      assert.isAbove(bytes, 100 * 1024)
      assert.isBelow(bytes, 250 * 1024)
      assert.strictEqual((yield* send({ method: "GET", path: "/console/assets/../index.html" })).status, 404)
    })
  )

  it.effect("signs in with a key, says what is wrong with another one, and keeps neither", () =>
    Effect.gen(function* () {
      const { owner, page } = yield* Console
      yield* at("#/runs")
      yield* Effect.promise(async () => {
        await page.getByLabel("API key").fill("sk_unknown")
        await page.keyboard.press("Enter")
        await page.getByText("This API key is not valid").waitFor()
      })
      const { complaints } = yield* Console
      // The refusal itself is written to the console of the browser.
      assert.lengthOf(complaints(), 1)
      yield* looked("sign-in")
      yield* Effect.promise(async () => {
        await page.getByLabel("API key").fill(owner.key)
        await page.keyboard.press("Enter")
        await page.getByRole("heading", { name: "Runs" }).waitFor()
        const stored = await page.evaluate<string>(
          "JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}])"
        )
        assert.match(stored, /^\["",\{"sluice_session":"[\w-]{20,24}"\},\{\}\]$/)
        assert.notInclude(owner.key, /:"([^"]+)"/.exec(stored)?.[1] ?? owner.key)
      })
    })
  )

  it.effect("lists the sessions of the workspace, and ends that of another browser", () =>
    Effect.gen(function* () {
      const { owner, page, url } = yield* Console
      const { member, send } = yield* Service
      const other = yield* member("Viewer", owner)
      const path = "/console/session"
      const opened = yield* send({ method: "POST", path, json: { key: other.key }, headers: { origin: url } })
      const cookie = (opened.headers.get("set-cookie") ?? "").split(";")[0] ?? ""
      const headers = { cookie, "x-sluice-session": String(opened.body.page_secret) }
      const status = Effect.map(send({ method: "GET", path: "/me", headers }), (answer) => answer.status)
      assert.strictEqual(yield* status, 200)
      yield* at("#/settings")
      yield* Effect.promise(async () => {
        await page.getByText("this browser").waitFor()
        await page.getByRole("button", { name: `End… the session of ${other.keyId.slice(-8)}` }).waitFor()
      })
      yield* looked("sessions")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: `End… the session of ${other.keyId.slice(-8)}` }).press("Enter")
        await page.getByRole("button", { name: "End it" }).press("Enter")
        await page.getByText("The session was ended").waitFor()
      })
      assert.strictEqual(yield* status, 401)
    })
  )

  it.effect("lists runs as they are, filters them in the address, and interrupts those that are selected", () =>
    Effect.gen(function* () {
      const { ids, page } = yield* Console
      yield* at("#/runs")
      yield* Effect.promise(async () => {
        await page.getByRole("cell", { name: "Succeeded" }).nth(1).waitFor()
      })
      yield* looked("runs")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Held" }).click()
        await page.waitForURL(/status=execution\.paused/)
        await page.getByText("30 runs, newest first").waitFor()
        assert.strictEqual(await page.getByRole("cell", { name: "Succeeded" }).count(), 0)
        await page.getByRole("button", { name: "Succeeded" }).click()
        await page.waitForURL(/status=execution\.success$/)
        await page.getByRole("button", { name: "Held" }).click({ modifiers: ["Shift"] })
        await page.waitForURL(/status=execution\.success%2Cexecution\.paused/)
        await page.getByRole("button", { name: "Succeeded" }).click({ modifiers: ["Shift"] })
        await page.getByText("30 runs, newest first").waitFor()
        // By keyboard: the first run is selected, and the one after the next with all between.
        const boxes = page.getByRole("checkbox")
        await boxes.nth(1).focus()
        await page.keyboard.press("Space")
        await boxes.nth(3).click({ modifiers: ["Shift"] })
        await page.getByText("3 runs selected").waitFor()
        await page.getByRole("button", { name: "Interrupt…" }).click()
        await page.getByText("3 runs will be stopped").waitFor()
        await page.getByLabel("Reason").fill(`The portal is closed ${hostile}`)
      })
      yield* looked("interrupt")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Interrupt 3 runs" }).press("Enter")
        await page.getByText("3 of 3 were interrupted.").waitFor()
        await page.getByRole("button", { name: "Done" }).click()
        await page.getByText("27 runs").waitFor()
        // By keyboard: the filters get a name, whatever that is.
        await page.getByRole("button", { name: "Save this view…" }).press("Enter")
        await page.keyboard.press("Enter")
        await page.getByText("Expected a name").waitFor()
        await page.keyboard.type(`Held ${hostile}`.slice(0, 60))
        await page.keyboard.press("Enter")
        await page.getByRole("button", { name: "Remove this view" }).waitFor()
      })
      yield* looked("saved-view")
      yield* Effect.promise(async () => {
        await page.getByLabel("Workflow", { exact: true }).selectOption(ids.orders)
        await page.getByText("No run matches these filters").waitFor()
        await page.getByRole("button", { name: "Show all runs of the last 30 days" }).click()
        await page.getByText("32 runs").waitFor()
        await page.keyboard.press("Control+k")
        await page.getByRole("dialog").getByRole("combobox").fill("held <img")
        await page.getByRole("option", { name: /^Held <img.*Saved view$/ }).waitFor()
        await page.keyboard.press("Enter")
        await page.getByText("27 runs").waitFor()
        await page.getByRole("button", { name: "Remove this view" }).press("Enter")
        await page.getByRole("button", { name: "Save this view…" }).waitFor()
      })
      const stopped = yield* readAs(`/runs?status=execution.stopped&workflow_id=${ids.nightly}`)
      const [run] = stopped as unknown as ReadonlyArray<{ readonly session_id: string }>
      const record = yield* readAs(`/run/${run?.session_id}`)
      assert.include(JSON.stringify(record.errors), "The portal is closed")
      // Before they are retried, the version is chosen, and it is said that they will be held.
      yield* at(`#/runs?status=execution.stopped&workflow=${ids.nightly}`)
      yield* Effect.promise(async () => {
        const boxes = page.getByRole("checkbox")
        await boxes.nth(1).click()
        await boxes.nth(3).click({ modifiers: ["Shift"] })
        await page.getByRole("button", { name: "Retry…" }).click()
        await page.getByText(/^3 runs will be held: its run window is closed until .*\.$/).waitFor()
        const read = page.waitForRequest((request) => request.postDataJSON()?.version === "latest")
        await page.getByLabel("Version").selectOption("latest")
        await read
        await page.getByText(/^3 runs will be held/).waitFor()
      })
      yield* looked("retry")
      yield* Effect.promise(() => page.getByRole("button", { name: "Cancel" }).click())
    })
  )

  it.effect("shows the steps of a run, its pictures and its data, and starts it again with edited inputs", () =>
    Effect.gen(function* () {
      const { ids, page } = yield* Console
      yield* at(`#/runs?workflow=${ids.orders}`)
      yield* Effect.promise(async () => {
        await page.getByText(/^2 runs, newest first/).waitFor()
        // By keyboard: from the first run to the next one, and into it.
        await page.getByRole("row").nth(1).getByRole("link").focus()
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Enter")
        await page.getByText("Read data from the page", { exact: true }).waitFor()
        await page.getByRole("button", { name: "The page after SCREENSHOT 1" }).click()
        await page.getByRole("dialog").getByRole("img").waitFor()
        await page.keyboard.press("Escape")
        await page.getByRole("dialog").waitFor({ state: "detached" })
        assert.include(await page.getByRole("region", { name: "Output as JSON" }).innerText(), "window.harmed=1")
      })
      yield* looked("run")
      yield* Effect.promise(async () => {
        await page.locator("summary", { hasText: "Model decisions" }).press("Enter")
        await page.getByText("No model was asked").waitFor()
        await page.locator("summary", { hasText: "Network" }).press("Enter")
        await page.getByText("No request is in the log").waitFor()
        const [bundle] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: "Evidence bundle" }).press("Enter")
        ])
        assert.match(bundle.suggestedFilename(), /^run-[0-9a-f-]{36}\.tar$/)
        assert.isNull(await bundle.failure())
      })
      yield* looked("run-evidence")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Run again…" }).click()
        await page.getByLabel("pages (optional)").fill("many")
        await page.getByRole("button", { name: "Run", exact: true }).click()
        await page.getByText("Expected a whole number, such as 3").waitFor()
        assert.strictEqual(await page.getByLabel("pages (optional)").inputValue(), "many")
        await page.getByLabel("pages (optional)").fill("5")
        await page.getByLabel("status").selectOption("shipped")
        await page.getByRole("button", { name: "Run", exact: true }).click()
        await page.getByText("The run was submitted").waitFor()
        await page.getByText("Succeeded").first().waitFor()
        assert.include(await page.getByRole("region", { name: "Inputs as JSON" }).innerText(), '"pages": 5')
      })
    })
  )

  it.effect("shows what a run is about to do with the element marked, and takes the decision about exactly that", () =>
    Effect.gen(function* () {
      const { page, program, send } = yield* Console
      const approval = { by: "Owner", show: [`Invoice ${hostile}`] }
      const pay: Step = { action: "CLICK", parameters: { selector: "#pay", approval } }
      const { id } = yield* asked("/workflows", { name: "Paying", ...graphOf(`${bank}/pay`, [pay]) })
      const submitted = Effect.gen(function* () {
        const json = { workflow_id: id }
        const { body } = yield* send({ method: "POST", path: "/run", key: program.key, json })
        yield* at(`#/runs/${String(body.session_id)}`)
      })
      const card = page.getByRole("region", { name: "A question for a person" })
      yield* submitted
      yield* Effect.promise(async () => {
        await card.getByText(`Click “Pay ${hostile}”`).waitFor()
        await card.getByText(`GET ${bank}/home`).waitFor()
        await card.getByText(`12.50 ${hostile}`).waitFor()
        await card.getByText(`Invoice ${hostile}`).waitFor()
        // The element is the second line of the scripted page, which has thirty.
        const picture = await card.getByRole("img", { name: "with the element marked" }).boundingBox()
        const mark = await card.locator(".mark").boundingBox()
        assert.isNotNull(picture)
        assert.isNotNull(mark)
        assert.approximately(((mark?.y ?? 0) - (picture?.y ?? 0)) / (picture?.height ?? 1), 1 / 30, 0.02)
        assert.approximately((mark?.width ?? 0) / (picture?.width ?? 1), 1, 0.02)
      })
      yield* looked("run-approval")
      yield* Effect.promise(async () => {
        await card.getByLabel("Reason").fill("Checked with Ada")
        await card.getByRole("button", { name: "Approve" }).press("Enter")
        await page.getByText("Succeeded").first().waitFor()
        await card.waitFor({ state: "detached" })
      })
      yield* submitted
      yield* Effect.promise(async () => {
        await card.getByLabel("Reason").fill("Paid before")
        await card.getByRole("button", { name: "Refuse" }).click()
        await page.getByText("A person refused the act: Paid before").first().waitFor()
      })
      const { entries } = yield* readAs("/audit?action=run.approve,run.refuse")
      assert.deepStrictEqual(
        (entries as ReadonlyArray<{ readonly action: string; readonly reason: string }>).map(({ action, reason }) => [
          action,
          reason
        ]),
        [
          ["run.refuse", "Paid before"],
          ["run.approve", "Checked with Ada"]
        ]
      )
    })
  )

  it.effect("asks a person what a run asks, hides the code, shows the run live, and copies what it brought", () =>
    Effect.gen(function* () {
      const { page } = yield* Console
      const graph = graphOf(`${shop}/`, asking)
      const part = graph.nodes[1]
      const { id: component } = yield* asked("/workflow-components", {
        name: `Saving ${hostile}`.slice(0, 90),
        componentData: {
          nodes: [{ workflowNode: part, position: { x: 0, y: 0 } }],
          workflowEdges: {},
          reactFlowEdges: [],
          vault_schema: {}
        }
      })
      const nodes = graph.nodes.map((node) =>
        node === part ? { ...node, source_component_instance_id: component } : node
      )
      const { id } = yield* asked("/workflows", { name: "Asking", ...graph, nodes })
      yield* asked("/workflows", { name: "Asking too", ...graph, nodes })
      const { session_id } = yield* asked("/run", { workflow_id: id })
      const card = page.getByRole("region", { name: "A question for a person" })
      yield* at(`#/runs/${session_id}`)
      yield* Effect.promise(async () => {
        await card.getByText("Which code?").waitFor()
        await page.getByRole("button", { name: "Watch live" }).press("Enter")
        const live = page.frameLocator("iframe.live")
        await live.getByRole("img", { name: "The page that the run is at" }).waitFor()
        await live.getByRole("button", { name: "Take control" }).press("Enter")
        await live.getByRole("button", { pressed: true }).waitFor()
        // Its text can be read on whatever is behind it.
        const background = await live
          .locator("body")
          .evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert.strictEqual(background, "rgb(255, 255, 255)")
      })
      yield* looked("run-question")
      yield* Effect.promise(async () => {
        // A run waits for as long as a person has its browser.
        await page.frameLocator("iframe.live").getByRole("button", { pressed: true }).press("Enter")
        const code = card.getByLabel("code", { exact: true })
        assert.strictEqual(await code.getAttribute("type"), "password")
        await code.fill("271 828")
        await card.getByLabel("copies").fill("two")
        await card.getByRole("button", { name: "Answer" }).click()
        await card.getByText("Expected a whole number, such as 3").waitFor()
        assert.strictEqual(await code.inputValue(), "271 828")
        await card.getByLabel("copies").fill("2")
        await card.getByRole("button", { name: "Answer" }).press("Enter")
        await page.getByText("Succeeded").first().waitFor()
        await card.waitFor({ state: "detached" })
        const file = page.getByRole("link", { name: "orders.csv" })
        const address = JSON.stringify(await file.getAttribute("href"))
        assert.strictEqual(await page.evaluate(`fetch(${address}).then((answer) => answer.text())`), "order,total")
        await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
        const copied = async (what: string) => {
          await page.getByRole("button", { name: `Copy as ${what}` }).press("Enter")
          await page.getByText(`${what} copied`).waitFor()
          return String(await page.evaluate("navigator.clipboard.readText()"))
        }
        assert.match(await copied("Markdown"), /^# Run of Asking\n/)
        const json = await copied("JSON")
        assert.strictEqual(JSON.parse(json).session_id, session_id)
        // What a person answers is in no record.
        assert.notInclude(json, "271 828")
      })
      yield* looked("run-files")
      yield* at(`#/workflows/${id}`)
      const components = page.getByRole("region", { name: "Components" })
      yield* Effect.promise(() => components.getByRole("link", { name: "Asking too" }).waitFor())
      yield* looked("workflow-components")
      // One that was made since the workflows were read has its name in the filter.
      yield* at(`#/runs?workflow=${id}`)
      yield* Effect.promise(async () => {
        await page.getByText("1 run, newest first").waitFor()
        const filter = page.getByLabel("Workflow", { exact: true })
        await filter.locator("option", { hasText: /^Asking$/ }).waitFor({ state: "attached" })
        assert.strictEqual(await filter.inputValue(), id)
      })
    })
  )

  it.effect("marks a run with warnings in the list, names each in its record, and each of a recorded step", () =>
    Effect.gen(function* () {
      const { page } = yield* Console
      const { id } = yield* asked("/workflows", { name: "Seats", ...graphOf(`${shop}/`, [unsure]) })
      const { session_id } = yield* asked("/run", { workflow_id: id })
      const said = [/^Read no number for seats from "5 of 12 seats"/, /^Read no value for paid from "perhaps"/]
      yield* at(`#/runs/${session_id}`)
      const warnings = page.getByRole("region", { name: "Warnings", exact: true })
      yield* Effect.promise(async () => {
        await page.getByText("Succeeded").first().waitFor()
        for (const one of said) await warnings.getByText(one).waitFor()
        await warnings.getByRole("heading", { name: "FIGURE-W0001 · EXTRACT_DATAMODEL 1" }).waitFor()
        await warnings.getByRole("heading", { name: "VALUE-W0001 · EXTRACT_DATAMODEL 1" }).waitFor()
        assert.strictEqual(await warnings.locator("p.mono").first().innerText(), "5 of 12 seats")
      })
      yield* looked("run-warnings")
      yield* at("#/runs")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "With warnings" }).press("Enter")
        await page.getByText("1 run, newest first").waitFor()
        await page.getByRole("row").nth(1).getByText("2 warnings").waitFor()
      })
      yield* looked("runs-warnings")
      const { conversationId } = yield* asked("/workflow-builder/agent/session", {
        name: "Seats again",
        startUrl: `${shop}/`
      })
      yield* at(`#/author/${conversationId}`)
      const doubts = page.getByRole("region", { name: "Warnings of the last answer" })
      yield* Effect.promise(() => page.getByText(/^Opened /).waitFor())
      yield* asked(`/workflow-builder/agent/${conversationId}/message`, { text: JSON.stringify(unsure) })
      yield* Effect.promise(async () => {
        for (const one of said) await doubts.getByText(one).waitFor()
      })
      yield* looked("author-warnings")
      yield* asked(`/workflow-builder/agent/${conversationId}`, undefined, "DELETE")
    })
  )

  it.effect("says how far a search has come, and stops it and lets it go on", () =>
    Effect.gen(function* () {
      const { page } = yield* Console
      let isOver = false
      // What a service with many runs answers: of a page it has looked through the newest runs alone.
      yield* Effect.promise(() =>
        page.route(/\/runs\?.*text=/, async (route) => {
          const answer = await route.fetch()
          const next = { "x-next-cursor": `2026-01-02T03:04:05.678Z_${crypto.randomUUID()}` }
          const headers = { ...answer.headers(), "x-total-count": "0+", ...(isOver ? {} : next) }
          await route.fulfill({ response: answer, headers, json: [] })
        })
      )
      yield* at("#/runs?text=north")
      yield* Effect.promise(() => page.getByText(/^0 found, back to /).waitFor())
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Stop", exact: true }).press("Enter")
        await page.getByText("The search was stopped").waitFor()
      })
      yield* looked("search-stopped")
      yield* Effect.promise(async () => {
        isOver = true
        await page.getByRole("button", { name: "Search older ones" }).press("Enter")
        await page.getByText("No run matches these filters").waitFor()
        await page.unrouteAll({ behavior: "wait" })
      })
    })
  )

  it.effect("says why a run is held, and lets it alone start", () =>
    Effect.gen(function* () {
      const { page } = yield* Console
      yield* at("#/")
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: /^27\s*Held$/ }).waitFor()
        await page.getByText("Its run window opens").waitFor()
        await page.getByText("7.2 s behind that of the database: it starts no run").waitFor()
        await page.getByText("different time zone data (2025b, 2026a)").waitFor()
        await page.getByText("1 worker, 2 browsers").waitFor()
        await page.getByRole("link", { name: "Run window closed 27" }).waitFor()
        // The cause stands above everything but the counts.
        const cause = page.getByText("27 runs wait for a run window to open", { exact: true })
        const [high, low] = [await cause.boundingBox(), await page.getByText("Alarms").boundingBox()]
        assert.isBelow(high?.y ?? Infinity, Math.min(300, low?.y ?? 0))
      })
      yield* looked("home")
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Nightly statements" }).first().press("Enter")
        await page.getByRole("row").nth(1).getByRole("link").click()
        await page.getByRole("heading", { name: "Its run window is closed" }).waitFor()
        await page.getByText(/until .* \(Europe\/Berlin\)/).waitFor()
      })
      yield* looked("held")
      yield* Effect.promise(async () => {
        assert.strictEqual(await page.getByRole("button", { name: "Unpause All" }).count(), 0)
        await page.getByRole("button", { name: "Start this run" }).press("Enter")
        await page.getByText("Succeeded").first().waitFor()
        await page.goBack()
        await page.getByText("26 runs").waitFor()
      })
    })
  )

  it.effect("ends a pause by Unpause All and lifts a window by Run now, and says before what each will do", () =>
    Effect.gen(function* () {
      const { owner, page, send } = yield* Console
      const { id } = yield* asked("/workflows", { name: "Held twice", ...graphOf(`${shop}/`, []) })
      yield* asked(`/workflows/${id}/run-window`, closedNow(), "PUT")
      yield* asked("/runs/batch", { runs: Array.from({ length: 2 }, () => ({ workflow_id: id })) })
      yield* asked(`/workflows/${id}/pause`, { reason: "Repairs" })
      const stored = Effect.map(
        send({ method: "GET", path: `/workflows/${id}/run-window`, key: owner.key }),
        ({ body }) => body
      )
      const button = (name: string) => page.getByRole("button", { name, exact: true })
      const dialog = page.getByRole("dialog")
      yield* at("#/")
      yield* Effect.promise(async () => {
        await button("Unpause All: Held twice").press("Enter")
        await dialog.getByText("No waiting run may start by it.").waitFor()
        await dialog.getByText(/^2 waiting runs stay held by the run window, until it opens at /).waitFor()
      })
      yield* looked("unpause-all")
      yield* Effect.promise(async () => {
        await dialog.getByRole("button", { name: "Unpause All", exact: true }).press("Enter")
        await page.getByText("No run was waiting for that").waitFor()
        await button("Unpause All: Held twice").waitFor({ state: "detached" })
      })
      const unpaused = yield* stored
      assert.isNull(unpaused.manual_pause)
      assert.isNull(unpaused.lift)
      yield* Effect.promise(async () => {
        await button("Run now: Held twice").press("Enter")
        await dialog.getByText("2 waiting runs may start.").waitFor()
      })
      yield* looked("run-now")
      yield* Effect.promise(async () => {
        await dialog.getByRole("button", { name: "Run now", exact: true }).press("Enter")
        await page.getByText("2 waiting runs may start now").waitFor()
        await button("Run now: Held twice").waitFor({ state: "detached" })
      })
      yield* at(`#/workflows/${id}/window`)
      yield* Effect.promise(async () => {
        await page.getByText("Closed, but lifted").waitFor()
        await page
          .getByText(/^Runs start as if it were open, by you since .* It ends with the next opening, /)
          .waitFor()
        assert.strictEqual(await button("Run now…").count(), 0)
        assert.strictEqual(await button("Unpause All…").count(), 0)
        await button("Pause…").click()
        await dialog.getByRole("button", { name: "Pause", exact: true }).click()
        await button("Unpause All…").click()
        await dialog.getByRole("button", { name: "Unpause All", exact: true }).click()
        await page.getByText("Closed, but lifted").waitFor()
      })
      yield* looked("window-lifted")
    })
  )

  it.effect("edits a window by keyboard, shows its weeks and its impact before it is saved, and undoes it", () =>
    Effect.gen(function* () {
      const { complaints, ids, owner, page, send } = yield* Console
      const stored = () =>
        Effect.runPromise(send({ method: "GET", path: `/workflows/${ids.nightly}/run-window`, key: owner.key }))
      yield* at(`#/workflows/${ids.nightly}/window`)
      yield* Effect.promise(async () => {
        await page.getByText("There are no changes").waitFor()
        assert.strictEqual(await page.locator(".weeks td").count(), 56)
      })
      yield* looked("window")
      yield* Effect.promise(async () => {
        await page.getByLabel("Starts a minute (optional)").fill("many")
        await page.getByRole("button", { name: "Save the pace" }).press("Enter")
        await page.getByText("Expected a whole number from 1 to 10,000").waitFor()
        await page.getByLabel("Starts a minute (optional)").fill("5")
        await page.getByText("Saving spreads the starts of 26 waiting runs over 5 min").waitFor()
        await page.getByRole("button", { name: "Save the pace" }).press("Enter")
        await page.getByText(/At this pace the last of 26 starts at/).waitFor()
        await page.getByLabel("Starts a minute (optional)").fill("")
        await page.getByText("Saving lets 26 waiting runs start as soon as they may").waitFor()
        await page.getByRole("button", { name: "Save the pace" }).press("Enter")
        await page.getByText("At this pace").waitFor({ state: "detached" })
        const before = await stored()
        const monday = page.getByLabel("Monday, range 1: from")
        await monday.fill("25:99")
        await page.getByText("Some values cannot be read yet").waitFor()
        await page.locator(".range .wrong").first().waitFor()
        assert.strictEqual(await monday.inputValue(), "25:99")
        await monday.fill("0:00")
        await page.getByLabel("Monday, range 1: to").fill("0:00")
        await page.getByRole("button", { name: "Copy to all: Monday" }).press("Enter")
        await page.getByText("Saving releases 26 waiting runs now").waitFor()
        assert.deepStrictEqual((await stored()).body, before.body)
        await page.getByRole("button", { name: "Add a date" }).click()
        await page.getByLabel("Name").fill("Stock-taking")
        await page.getByRole("button", { name: "Add a recurrence" }).click()
        await page.getByText("every week on Friday", { exact: true }).waitFor()
        await page.getByText(/^Next: \d{4}-\d{2}-\d{2}/).waitFor()
      })
      yield* looked("window-edited")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Remove special entry 2" }).click()
        // What was saved stays in the editor, also while the page has not read the window again.
        const readAgain = await withheld(page, /\/run-window$/)
        await page.getByRole("button", { name: "Save the window" }).press("Enter")
        await page.getByText("The window was saved").waitFor()
        await page.getByText("There are no changes").waitFor()
        assert.strictEqual(await page.getByLabel("Tuesday, range 1: from").inputValue(), "00:00")
        await page.getByLabel("Tuesday, range 1: from").fill("07:00")
        await page.getByText("There are no changes").waitFor({ state: "detached" })
        assert.strictEqual(await page.getByText("Another person has changed this window").count(), 0)
        await page.getByRole("button", { name: "Undo changes" }).click()
        await page.getByText("There are no changes").waitFor()
        assert.strictEqual(await page.getByLabel("Tuesday, range 1: from").inputValue(), "00:00")
        await readAgain()
        const { body } = await stored()
        const { regular_hours, special_hours } = body.run_window as Record<
          string,
          ReadonlyArray<Record<string, unknown>>
        >
        assert.lengthOf(regular_hours ?? [], 7)
        assert.strictEqual(special_hours?.[0]?.label, "Stock-taking")
        // Another person saves meanwhile: what is typed here stays, and overwrites nothing.
        await page.getByLabel("Tuesday, range 1: from").fill("08:00")
        // The page does not hear of it before it saves.
        const hear = await withheld(page, /\/run-window$/)
        await Effect.runPromise(
          send({ method: "PUT", path: `/workflows/${ids.nightly}/run-window`, key: owner.key, json: closedNow() })
        )
        await page.getByRole("button", { name: "Save the window" }).click()
        await page.locator(".notice.problem").waitFor()
        await hear()
        await page.getByText("Another person has changed this window").waitFor()
        assert.isTrue(await page.getByRole("button", { name: "Save the window" }).isDisabled())
        assert.strictEqual(await page.getByLabel("Tuesday, range 1: from").inputValue(), "08:00")
        await page.getByRole("button", { name: "Take their version" }).press("Enter")
        await page.getByText("There are no changes").waitFor()
        // The state that the other person replaced comes back from the history.
        await page.locator("summary", { hasText: "History" }).press("Enter")
        await page
          .getByRole("button", { name: /^Restore the one before/ })
          .first()
          .press("Enter")
        await page.getByText("Saving holds or releases no waiting run now").waitFor()
        await page.getByRole("button", { name: "Undo changes" }).press("Enter")
        await page.getByText("There are no changes").waitFor()
      })
      // The refused save is written to the console of the browser.
      assert.deepStrictEqual(
        complaints().map((complaint) => / 409 /.test(complaint)),
        [true]
      )
    })
  )

  it.effect("shows a workflow, what a version changed, and refuses wrong JSON at its path", () =>
    Effect.gen(function* () {
      const { complaints, ids, owner, page, send } = yield* Console
      yield* at("#/workflows")
      yield* Effect.promise(() => page.getByRole("link", { name: "Nightly statements", exact: true }).waitFor())
      yield* looked("workflows")
      yield* at(`#/workflows/${ids.orders}`)
      yield* Effect.promise(async () => {
        await page.locator(".outline").getByText("SCREENSHOT 1").waitFor()
        await page.locator(".graph-name", { hasText: "SCREENSHOT 1" }).waitFor()
        const tabs = page.getByRole("navigation", { name: "Parts of this workflow" })
        assert.strictEqual(await tabs.evaluate((nav) => nav.scrollHeight - nav.clientHeight), 0)
      })
      yield* looked("workflow")
      yield* at(`#/workflows/${ids.orders}/json`)
      yield* Effect.promise(async () => {
        const editor = page.getByLabel("The workflow as JSON")
        const text = await editor.inputValue()
        await editor.fill(text.replace("SCREENSHOT 1", "Photograph").replace('"SCREENSHOT"', '"SCREAM"'))
        await page.getByRole("button", { name: "Save the next version" }).click()
        await page.locator(".problem.list code").first().waitFor()
        assert.include(await page.locator(".problem.list").innerText(), "Step “Photograph” nodes[1].action")
        const doubtful = (name: string) => {
          const body = JSON.parse(text)
          Object.assign(body.nodes[1], { name, parameters: { unknown: 1 } })
          return JSON.stringify(body)
        }
        await editor.fill(doubtful("Photograph"))
        await page.getByRole("button", { name: "Save the next version" }).press("Enter")
        await page.getByText("Saved as version 2").last().waitFor()
        await page.getByText("Version 2 ·").waitFor()
        // Another person saves meanwhile: what is typed here stays, and overwrites nothing.
        await editor.fill(doubtful("Mine"))
        const path = `/workflows/${ids.orders}`
        const { body } = await Effect.runPromise(send({ method: "GET", path, key: owner.key }))
        const { edges, input_schema, name, nodes } = body
        const json = { edges, input_schema, name, nodes, description: "Theirs" }
        await Effect.runPromise(send({ method: "PUT", path, key: owner.key, json }))
        await page.getByText("Another person has saved version 3").waitFor()
        assert.isTrue(await page.getByRole("button", { name: "Save the next version" }).isDisabled())
        assert.include(await editor.inputValue(), "Mine")
        await page.getByRole("button", { name: "Take their version" }).press("Enter")
        await page.getByText("Another person has saved").waitFor({ state: "detached" })
        assert.include(await editor.inputValue(), "Theirs")
      })
      // The refusal is written to the console of the browser.
      assert.lengthOf(complaints(), 1)
      yield* looked("json")
      yield* at(`#/workflows/${ids.orders}/versions`)
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Version 2" }).press("Enter")
        await page.getByText("Step “Photograph”").waitFor()
      })
      yield* looked("versions")
      yield* at(`#/workflows/${ids.orders}`)
      yield* Effect.promise(() => page.locator(".node-warning", { hasText: "unknown" }).waitFor())
      yield* looked("workflow-warned")
      for (let count = 0; count < 2; count++) yield* makePatch(owner.caller.workspaceId, ids.nightly)
      yield* at(`#/workflows/${ids.nightly}`)
      yield* Effect.promise(() => page.getByText("A pop-up lay in the way").nth(1).waitFor())
      yield* looked("workflow-offers")
      yield* Effect.promise(async () => {
        await page
          .getByRole("button", { name: /^Dismiss: / })
          .first()
          .press("Enter")
        await page.getByText("The change is not offered again").waitFor()
        await page.getByText("A pop-up lay in the way").nth(1).waitFor({ state: "detached" })
        await page.getByRole("button", { name: /^Apply: / }).click()
        await page.getByText("Version 2 ·").waitFor()
        await page.getByText("Changes that runs offer").waitFor({ state: "detached" })
        await page.getByRole("button", { name: "Test run…" }).press("Enter")
        await page.getByRole("button", { name: "Test", exact: true }).press("Enter")
        await page.getByText("Succeeded").first().waitFor()
      })
    })
  )

  it.effect("seals a credential in the browser: no request holds its password or the key", () =>
    Effect.gen(function* () {
      const { owner, page } = yield* Console
      yield* at("#/vault")
      const bodies: Array<string> = []
      page.on("request", (request) => bodies.push(request.postData() ?? ""))
      yield* Effect.promise(async () => {
        await page.getByText("No credential yet").waitFor()
        await page.getByRole("button", { name: "Add a credential" }).press("Enter")
        await page.getByRole("button", { name: "Seal and store" }).click()
        await page.getByText("Expected 64 hexadecimal digits").waitFor()
      })
      yield* looked("credential")
      yield* Effect.promise(async () => {
        await page.getByLabel("User id").fill("ada")
        await page.getByLabel("Site").fill("https://bank.example")
        await page.getByLabel("User name").fill("ada@bank.example")
        await page.getByLabel("Password").fill("battery-staple")
        await page.getByLabel("Encryption key of the workspace").fill(owner.encryptionKey)
        await page.getByRole("button", { name: "Seal and store" }).press("Enter")
        await page.getByRole("cell", { name: "ada", exact: true }).waitFor()
        assert.isTrue(bodies.some((body) => body.includes("permissioned_user_id")))
        for (const secret of ["battery-staple", owner.encryptionKey, "ada@bank.example"]) {
          assert.isFalse(bodies.some((body) => body.includes(secret)))
        }
      })
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Change the password of ada of https://bank.example" }).press("Enter")
        const dialog = page.getByRole("dialog")
        await dialog.getByLabel("Encryption key of the workspace").fill(owner.encryptionKey)
        await dialog.getByRole("button", { name: "Seal and change" }).press("Enter")
        await dialog.getByText("Type the new password, or a new user name").waitFor()
        await dialog.getByLabel("New password").fill("tide-and-timber")
        await dialog.getByRole("button", { name: "Seal and change" }).press("Enter")
        await page.getByText("The credential was changed").waitFor()
        assert.isFalse(bodies.some((body) => /tide-and-timber/.test(body) || body.includes(owner.encryptionKey)))
      })
      const username = { id: "username", purpose: "USERNAME", value: hostile }
      const items = [{ id: providedId("login"), title: `Bank ${hostile}`, fields: [username] }]
      const connect = yield* connectServer([{ id: providedId("robots"), name: "Robots", items }])
      yield* Effect.promise(async () => {
        await page.getByText("No secret provider yet").waitFor()
        await page.getByRole("button", { name: "Connect one…" }).press("Enter")
        const dialog = page.getByRole("dialog")
        await dialog.getByLabel("Name").fill("Safe")
        await dialog.getByLabel("Address").fill(connect.url)
        await dialog.getByLabel("Encryption key of the workspace").fill(owner.encryptionKey)
        await dialog.getByRole("button", { name: "Seal, test and connect" }).press("Enter")
        await dialog.getByText("Type the access token of the Connect server").waitFor()
        await dialog.getByLabel("Access token").fill(connect.token)
        await dialog.getByLabel("Reuse a secret for").fill("60")
      })
      yield* looked("provider")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Seal, test and connect" }).press("Enter")
        await page.getByText("The secret provider was tested and connected").waitFor()
        await page.getByRole("button", { name: "Test Safe" }).press("Enter")
        await page.getByText("Safe answers, and accepts the access").waitFor()
        assert.isFalse(bodies.some((body) => body.includes(connect.token)))
        // It is changed in place: what stays empty stays as it is, and another address needs the access again.
        await page.getByRole("button", { name: "Change Safe" }).press("Enter")
        const change = page.getByRole("dialog", { name: "Change Safe" })
        assert.strictEqual(await change.getByLabel("Name").inputValue(), "Safe")
        assert.strictEqual(await change.getByLabel("Reuse a secret for").inputValue(), "60")
        await change.getByLabel("Address").fill("http://127.0.0.1:1")
        await change.getByLabel("Name").fill(`Safer ${hostile}`)
        await change.getByRole("button", { name: "Test and change" }).click()
        await change.getByText("Expected the value again, because config.url changes").waitFor()
        await change.locator('input[aria-invalid="true"][type="password"]').waitFor()
        await change.getByLabel("Address").fill("")
        await change.getByLabel("Access token").fill("no-longer-valid")
        await change.getByRole("button", { name: "Test and change" }).press("Enter")
        await change.getByText("Expected 64 hexadecimal digits").waitFor()
        await change.getByLabel("Encryption key of the workspace").fill(owner.encryptionKey)
        await change.getByRole("button", { name: "Test and change" }).press("Enter")
        await change.getByText(/Cannot get secrets from the secret provider/).waitFor()
        await change.getByLabel("Access token").fill("")
        await change.getByLabel("Name").fill("Safe")
        await change.getByLabel("Reuse a secret for").fill("")
      })
      yield* looked("provider-change", /4\d\d/)
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Test and change" }).press("Enter")
        await page.getByText("The secret provider was changed").waitFor()
        assert.isFalse(bodies.some((body) => body.includes("no-longer-valid")))
        await page.getByRole("button", { name: "Add a credential" }).press("Enter")
        const dialog = page.getByRole("dialog")
        await dialog.getByLabel("User id").fill("eve")
        await dialog.getByLabel("Site").fill(bank)
        await dialog.getByLabel("Its secrets").selectOption({ label: "Read from Safe" })
        await dialog.getByText("Choose one, or type its reference").waitFor()
        await dialog.getByLabel("Item").fill(`op://${providedId("robots")}/${providedId("login")}`)
        await dialog.getByRole("button", { name: "Store" }).press("Enter")
        await page.getByRole("link", { name: `Runs with eve of ${bank}` }).waitFor()
      })
      yield* looked("vault")
      yield* Effect.promise(async () => {
        // No run has signed in with it yet, so no workflow is known that could.
        await page.getByRole("button", { name: "Check now: ada of https://bank.example" }).press("Enter")
        await page.locator(".notice.problem").filter({ hasText: "no run has used this credential yet" }).waitFor()
        await page.getByRole("button", { name: "Dismiss" }).last().press("Enter")
        // A provider that a credential reads from stays, and the page says why.
        await page.getByRole("button", { name: "Remove Safe" }).press("Enter")
        await page.getByRole("button", { name: "Remove it" }).press("Enter")
        await page.locator(".notice.problem").waitFor()
        await page.getByRole("button", { name: `Remove eve of ${bank}` }).press("Enter")
        await page.getByRole("button", { name: "Remove it" }).press("Enter")
        await page.getByRole("link", { name: `Runs with eve of ${bank}` }).waitFor({ state: "detached" })
      })
      // The refusals are written to the console of the browser.
      assert.lengthOf((yield* Console).complaints(), 2)
    }).pipe(Effect.scoped)
  )

  it.effect("registers, changes and removes a destination of files, and sends a file again", () =>
    Effect.gen(function* () {
      const { ids, owner, page, send } = yield* Console
      const listed = yield* send({ method: "GET", path: `/runs?workflow_id=${ids.orders}&limit=1`, key: owner.key })
      const ran = String((listed.body as unknown as ReadonlyArray<Record<string, unknown>>)[0]?.session_id)
      yield* at("#/files")
      yield* Effect.promise(async () => {
        await page.getByText("No destination yet").waitFor()
        await page.getByRole("button", { name: "New destination" }).press("Enter")
        await page.getByLabel("Name", { exact: true }).fill("Bank")
        await page.getByLabel("Kind").selectOption({ label: "SFTP server" })
        await page.getByLabel("Address").fill(" https://files.example.com/in")
        await page.getByLabel("Host key").fill(`SHA256:${"A".repeat(43)}`)
        await page.getByLabel("Access").selectOption({ label: "User name and password" })
        await page.getByRole("button", { name: "Register" }).press("Enter")
        await page.getByText("Type the user name and the password").waitFor()
        await page.getByLabel("User name", { exact: true }).fill("robot")
        await page.getByLabel("Password", { exact: true }).fill("p4ss-of-the-robot")
        // The service says what does not fit the kind.
        await page.getByRole("button", { name: "Register" }).press("Enter")
        await page.getByText("Expected an sftp URL for the type sftp").waitFor()
        await page.getByLabel("Address").fill("sftp://files.example.com/~/in")
      })
      yield* looked("destination-form", /status of 400/)
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Register" }).press("Enter")
        await page.getByText("sftp · its access is sealed").waitFor()
        await page.getByRole("button", { name: "Edit Bank" }).press("Enter")
        await page.getByLabel("When a file of this name is there").selectOption("fail")
        await page.getByRole("button", { name: "Save" }).press("Enter")
        await page.getByText("files of a name that is there are not delivered").waitFor()
        await page.getByText("sftp · its access is sealed").waitFor()
      })
      const { body } = yield* send({ method: "GET", path: "/file-destinations", key: owner.key })
      const [stored] = body as unknown as ReadonlyArray<Record<string, unknown>>
      assert.deepInclude(stored, { name: "Bank", url: "sftp://files.example.com/~/in", on_conflict: "fail" })
      assert.isTrue(stored?.has_access)
      yield* Effect.promise(async () => {
        // No file was sent here: the list has one as it would be.
        await page.route(/\/file-deliveries/, async (route) => {
          const delivery = {
            ...{ id: crypto.randomUUID(), workflow_id: ids.orders, session_id: ran, destination: "Bank" },
            ...{ file_id: crypto.randomUUID(), file_name: "orders.csv", path: `Orders/${hostile}.csv`, bytes: 12 },
            ...{ sha256: "0".repeat(64), status: "failed", attempts: 12, next_attempt_at: null, delivered_at: null },
            ...{ created_at: new Date().toISOString(), delivery_errors: [`It answered 503 ${hostile}`] }
          }
          const isList = route.request().method() === "GET"
          await route.fulfill({ json: isList ? { deliveries: [delivery], next_cursor: null } : delivery })
        })
        await page.getByRole("button", { name: "Reload" }).press("Enter")
        await page.getByRole("button", { name: "Send again: orders.csv" }).press("Enter")
        await page.getByText("The file is sent again").waitFor()
        await page.unrouteAll({ behavior: "wait" })
      })
      yield* looked("files")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Remove Bank" }).press("Enter")
        await page.getByRole("button", { name: "Remove it" }).press("Enter")
        await page.getByText("No destination yet").waitFor()
      })
    }).pipe(Effect.scoped)
  )

  it.effect("makes, changes, pauses, overrides and removes named limits, and a waiting run leads to them", () =>
    Effect.gen(function* () {
      const { ids, page, url } = yield* Console
      const button = (name: string) => page.getByRole("button", { name, exact: true })
      yield* asked("/vault", { permissioned_user_id: "clerk", domain: bank })
      yield* at("#/limits")
      yield* Effect.promise(async () => {
        await page.getByText("No limit yet").waitFor()
        await button("New limit").press("Enter")
        await page.getByLabel("Name", { exact: true }).fill("portal.example")
        await button("Create").press("Enter")
        await page.getByText("Type a number here").waitFor()
        await page.getByLabel("Running at once").fill("3")
        await page.getByLabel("Starts a minute").fill("20")
        await page.getByLabel("Workflows", { exact: true }).selectOption(ids.nightly)
        await page.getByLabel("Workflows", { exact: true }).selectOption(ids.orders)
        await page.getByLabel("Credentials", { exact: true }).selectOption({ label: `clerk at ${bank}` })
        await page.getByLabel("Tags").fill(`portal\n${"x".repeat(300)}`)
        // The service says which tag is too long.
        await button("Create").press("Enter")
        await page.getByLabel("Tags").and(page.locator('[aria-invalid="true"]')).waitFor()
        await page.getByLabel("Tags").fill("portal")
      })
      yield* looked("limit-form")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Leave out Orders" }).press("Enter")
        await button("Create").press("Enter")
        await page.getByText("3 at once, 20 starts a minute").waitFor()
        await page.getByText(`workflow Nightly statements; credential clerk at ${bank}; tag portal`).waitFor()
        await button("Edit portal.example").press("Enter")
        await page.getByLabel("Starts a minute").fill("")
        await button("Save").press("Enter")
        await page.getByText("0 of 3 run now").waitFor()
        await page.getByText("20 starts a minute").waitFor({ state: "detached" })
        await button("Pause portal.example").press("Enter")
        await page.getByLabel("Reason (optional)").fill(`Being maintained ${hostile}`)
        await button("Pause").press("Enter")
        await page.getByText(/^Paused .* by you/).waitFor()
        await button("Override portal.example").press("Enter")
        await page.getByLabel("Running at once").fill("1")
        await button("Override").press("Enter")
        await page.getByText("Type the date and the time at which it ends").waitFor()
        await page.getByLabel("Until", { exact: true }).fill("2001-01-01T08:00")
        await button("Override").press("Enter")
        await page.getByText("Expected an instant in the future").waitFor()
        await page.getByLabel("Until", { exact: true }).fill("2126-11-01T06:00")
      })
      yield* looked("limit-override", /status of 4\d\d/)
      yield* Effect.promise(async () => {
        await button("Override").press("Enter")
        await page.getByText("0 of 1 run now").waitFor()
      })
      yield* looked("limits")
      const made = yield* asked("/workflows", { name: "Limited", ...graphOf(`${shop}/`, []) })
      const [limit] = (yield* readAs("/limits")) as unknown as ReadonlyArray<Record<string, unknown>>
      yield* asked(`/limits/${limit?.id}`, { workflow_ids: [made.id] }, "PATCH")
      const { session_id } = yield* asked("/run", { workflow_id: made.id })
      yield* Effect.promise(async () => {
        await page.goto(`${url}/#/runs/${session_id}`)
        await page.getByRole("link", { name: "Open the limits" }).press("Enter")
        await page.getByText("Draw on it: workflow Limited;").waitFor()
        await button("Resume portal.example").press("Enter")
        await page.getByText(/^Paused .* by you/).waitFor({ state: "detached" })
        await button("End override: portal.example").press("Enter")
        await page.getByText("of 3 run now").waitFor()
        await button("Remove portal.example").press("Enter")
        await button("Remove it").press("Enter")
        await page.getByText("No limit yet").waitFor()
      })
      yield* asked(`/workflows/${made.id}`, undefined, "DELETE")
    })
  )

  it.effect("registers, changes, tests and removes a receiver of alerts, and lists what it was told", () =>
    Effect.gen(function* () {
      const { ids, page } = yield* Console
      const [run] = (yield* readAs(`/runs?workflow_id=${ids.orders}&limit=1`)) as unknown as ReadonlyArray<
        Record<string, unknown>
      >
      const stored = Effect.map(
        readAs("/alert-receivers"),
        (all) => all as unknown as ReadonlyArray<Record<string, unknown>>
      )
      const field = (label: string) => page.getByLabel(label, { exact: true })
      yield* at("#/alerts")
      yield* Effect.promise(async () => {
        await page.getByText("No receiver yet").waitFor()
        await page.getByRole("button", { name: "New receiver" }).press("Enter")
        await field("Name").fill(" Bookkeeping ")
        await field("Host of the mail server").fill("smtp.example.com")
        await field("Security").selectOption("none")
        await field("User of the mail server").selectOption("password")
        await field("From").fill("sluice@example.com")
        await page.getByRole("button", { name: "Register" }).press("Enter")
        await page.getByText("Type the user name and the password").waitFor()
        await page.getByText("Type at least one mail address").waitFor()
        await field("User name").fill("robot")
        await field("Password").fill("p4ss-of-the-robot")
        await field("To").fill("books@example.com, ops@example.com")
        await page.getByRole("group", { name: "Events" }).getByLabel("Not started in time").uncheck()
        await field("Workflows").selectOption("some")
        await field("Nightly statements").check()
        await field("Quiet hours").selectOption("daily")
        await field("Time zone").fill("Asia/Tokyo")
        await page.getByRole("group", { name: "Urgent" }).getByLabel("Waits for a person").check()
        // The service says what does not fit together.
        await page.getByRole("button", { name: "Register" }).press("Enter")
        await page.getByText("a password is not sent in clear").waitFor()
        assert.strictEqual(await field("Security").getAttribute("aria-invalid"), "true")
        await field("Name").scrollIntoViewIfNeeded()
      })
      yield* looked("alert-form", /status of 400/)
      yield* Effect.promise(async () => {
        await field("Security").selectOption("starttls")
        await field("Quiet from").scrollIntoViewIfNeeded()
      })
      yield* looked("alert-form-below")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Register" }).press("Enter")
        await page.getByText("quiet from 22:00 to 07:00 (Asia/Tokyo)").waitFor()
        await page.getByRole("button", { name: "Edit Bookkeeping" }).press("Enter")
        await field("To").fill("books@example.com")
        await page.getByRole("button", { name: "Save" }).press("Enter")
        await page.getByText("The receiver was changed").waitFor()
      })
      const [mail] = yield* stored
      assert.deepInclude(mail, {
        ...{ name: "Bookkeeping", to: ["books@example.com"], workflow_ids: [ids.nightly], urgent: ["person_needed"] },
        smtp: { host: "smtp.example.com", port: 587, security: "starttls", has_user: true },
        quiet_hours: { time_zone: "Asia/Tokyo", from: "22:00", to: "07:00" },
        events: ["failed", "person_needed"]
      })
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "New receiver" }).press("Enter")
        await field("Name").fill("Operations")
        await field("By").selectOption({ label: "Slack" })
        await field("Address of the incoming web hook").fill(" https://hooks.example.com/services/1")
        await page.getByRole("button", { name: "Register" }).press("Enter")
        // Nothing listens there.
        await page.getByRole("button", { name: "Send a test to Operations" }).press("Enter")
        await page.getByText("The test was not sent: ").waitFor()
        await page.route(/\/test$/, (route) => route.fulfill({ json: { sent: true, reason: null } }))
        await page.getByRole("button", { name: "Send a test to Operations" }).press("Enter")
        await page.getByText("The test was sent to Operations").waitFor()
        await page.getByRole("button", { name: "Edit Operations" }).press("Enter")
        await field("Quiet hours").selectOption("daily")
        await page.getByRole("button", { name: "Save" }).press("Enter")
        await page.getByText("Slack · ").getByText("quiet from 22:00").waitFor()
        // Nobody was told anything here: the list has a message as it would be.
        await page.route(/\/alerts\?/, (route) => {
          const alert = {
            ...{ id: crypto.randomUUID(), receiver_id: mail?.id, event: "failed", workflow_id: ids.orders },
            ...{ session_ids: [run?.session_id], count: 3, status: "failed", attempts: 12, next_attempt_at: null },
            ...{ errors: [`It answered 554 ${hostile}`], settled_at: null },
            ...{ first_at: new Date().toISOString(), last_at: new Date().toISOString() }
          }
          return route.fulfill({ json: { alerts: [alert], next_cursor: null } })
        })
        await page.getByRole("button", { name: "Reload" }).press("Enter")
        await page.getByRole("cell", { name: "Given up It answered 554" }).waitFor()
        await page.getByRole("cell", { name: "Bookkeeping" }).waitFor()
      })
      yield* looked("alerts")
      yield* Effect.promise(async () => {
        await page.unrouteAll({ behavior: "wait" })
        for (const name of ["Bookkeeping", "Operations"]) {
          await page.getByRole("button", { name: `Remove ${name}` }).press("Enter")
          await page.getByRole("button", { name: "Remove it" }).press("Enter")
          await page.getByRole("button", { name: `Remove ${name}` }).waitFor({ state: "detached" })
        }
        await page.getByText("No receiver yet").waitFor()
      })
      assert.deepStrictEqual(yield* stored, [])
    }).pipe(Effect.scoped)
  )

  it.effect("registers a webhook, makes and revokes a key, and finds places by a few letters", () =>
    Effect.gen(function* () {
      const { ids, owner, page, send } = yield* Console
      const listed = yield* send({ method: "GET", path: `/runs?workflow_id=${ids.orders}&limit=1`, key: owner.key })
      const ran = String((listed.body as unknown as ReadonlyArray<Record<string, unknown>>)[0]?.session_id)
      yield* at("#/webhooks")
      yield* Effect.promise(async () => {
        await page.getByText("No webhook yet").waitFor()
        await page.getByRole("button", { name: "New webhook" }).click()
        await page.getByLabel("Address").fill("  https://hooks.example.com/first ")
        await page.getByLabel("Events", { exact: true }).selectOption("some")
        await page.keyboard.press("Enter")
        await page.getByRole("button", { name: "Register" }).click()
        await page.getByText("Choose at least one event").waitFor()
        await page.getByLabel("execution.failed").check()
        await page.getByLabel("execution.stopped").check()
      })
      yield* looked("webhook-form")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Register" }).click()
        await page.getByText("The webhook was registered").waitFor()
        await page.keyboard.press("Escape")
        await page.getByText("execution.failed, execution.stopped of every workflow").waitFor()
        await page.getByRole("button", { name: "Edit https://hooks.example.com/first" }).press("Enter")
        await page.getByLabel("execution.stopped").uncheck()
        await page.getByLabel("Address").fill(" https://hooks.example.com/sluice")
        await page.keyboard.press("Enter")
        await page.getByText("The webhook was changed").waitFor()
        await page.getByText("execution.failed of every workflow").waitFor()
        // Nothing listens there. The test stands among the deliveries, to this receiver too.
        await page.getByRole("button", { name: "Send a test to https://hooks.example.com/sluice" }).press("Enter")
        await page.getByRole("cell", { name: "Test", exact: true }).waitFor()
        await page.getByLabel("Receiver", { exact: true }).selectOption({ label: "https://hooks.example.com/sluice" })
        await page.getByRole("cell", { name: "Test", exact: true }).waitFor()
      })
      yield* looked("webhook-test")
      yield* Effect.promise(async () => {
        await page.getByLabel("Receiver", { exact: true }).selectOption("")
        // Nothing sends events here: the log has one of a run as it would be.
        await page.route(/\/webhook-deliveries/, async (route) => {
          const answer = await route.fetch()
          const delivery = {
            ...{ id: crypto.randomUUID(), workflow_id: ids.orders, session_id: ran, event: "run.success" },
            ...{ webhook_id: null, url: `https://hooks.example.com/${hostile}`, response_status: 503, status: "dead" },
            ...{ created_at: new Date().toISOString(), next_attempt_at: null, duration: 12, attempts: 8 },
            delivery_errors: [`It answered 503 ${hostile}`]
          }
          await route.fulfill({ response: answer, json: { deliveries: [delivery], next_cursor: null } })
        })
        await page.getByRole("button", { name: "Reload" }).press("Enter")
        await page.getByRole("button", { name: `Replay the run ${ran.slice(-8)}` }).press("Enter")
        await page.getByText(/^\d+ of \d+ events of the run arrived$/).waitFor()
        await page.unrouteAll({ behavior: "wait" })
      })
      yield* looked("webhooks")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Remove https://hooks.example.com/sluice" }).press("Enter")
        await page.getByRole("button", { name: "Remove it" }).press("Enter")
        await page.getByText("No webhook yet").waitFor()
      })
      yield* Effect.promise(async () => {
        await page.keyboard.press("Control+k")
        await page.getByRole("combobox").fill("key")
        await page.getByRole("option", { name: "Keys" }).waitFor()
      })
      yield* looked("palette")
      yield* Effect.promise(async () => {
        await page.keyboard.press("Enter")
        await page.getByRole("button", { name: "New key" }).click()
        await page.getByLabel("Name").waitFor()
        // The focus is back as soon as the dialog is gone: later it would take the next key from another button.
        const focused = page.evaluate(`new Promise((done) => {
          new MutationObserver((_, observer) => {
            if (document.querySelector("dialog") !== null) return
            observer.disconnect()
            done(document.activeElement.innerText)
          }).observe(document.body, { childList: true, subtree: true })
          document.querySelector('dialog [aria-label="Close"]').click()
        })`)
        assert.strictEqual(await focused, "New key")
        await page.getByRole("button", { name: "New key" }).press("Enter")
        await page.getByLabel("Name").fill("Robot")
        await page.getByRole("button", { name: "Create" }).click()
        await page.getByText("it is shown this once").waitFor()
        await page.getByRole("dialog").getByRole("button", { name: "Done" }).click()
        await page.getByRole("dialog").waitFor({ state: "detached" })
        await page.getByRole("button", { name: "Rotate Robot" }).press("Enter")
        await page.getByLabel("The current key stays valid for").selectOption("Not at all")
        await page.getByRole("button", { name: "Rotate", exact: true }).press("Enter")
        await page.getByText("it is shown this once").waitFor()
        await page.getByRole("dialog").getByRole("button", { name: "Done" }).click()
        await page.getByRole("dialog").waitFor({ state: "detached" })
        await page.getByRole("button", { name: "Rotate Robot" }).first().waitFor()
        await page.getByRole("button", { name: "Revoke Robot" }).first().press("Enter")
        await page.getByRole("button", { name: "Revoke it" }).click()
        await page.getByText("Revoked").first().waitFor()
      })
      yield* looked("keys")
    })
  )

  it.effect("names a failure and says what follows, changes settings, and removes a member with its keys", () =>
    Effect.gen(function* () {
      const { owner, page } = yield* Console
      const leaving = yield* (yield* Service).member("Viewer", owner)
      const remove = page.getByRole("button", { name: `Remove user ${leaving.caller.userId.slice(-8)}` })
      yield* at("#/error-codes")
      yield* Effect.promise(async () => {
        await page.getByText("No error code yet").waitFor()
        await page.getByRole("button", { name: "New error code" }).press("Enter")
        const dialog = page.getByRole("dialog")
        await dialog.getByRole("button", { name: "Create" }).click()
        await dialog.getByText("This input is needed").waitFor()
        await dialog.getByLabel("Name").fill(`BOOKED ${hostile}`)
        await dialog.getByLabel("When a run fails with it").selectOption("retry")
        await dialog.getByLabel("Retries (optional)").fill("400")
        await dialog.getByRole("button", { name: "Create" }).press("Enter")
        await dialog.locator('[aria-invalid="true"][inputmode="decimal"]').waitFor()
        assert.strictEqual(await dialog.getByLabel("Retries (optional)").inputValue(), "400")
        await dialog.getByLabel("Retries (optional)").fill("2")
        await dialog.getByLabel("Seconds before a retry (optional)").fill("90")
        await dialog.getByRole("button", { name: "Create" }).press("Enter")
        await page.getByText("tried again 2 times, each after 1 min 30 s").waitFor()
      })
      yield* looked("error-codes")
      yield* at("#/settings")
      yield* Effect.promise(async () => {
        const waits = page.getByLabel("A run waits for corrected inputs for")
        await waits.fill("soon")
        await page.getByRole("button", { name: "Save the settings" }).press("Enter")
        await page.getByText('"soon" is no span of time: expected one such as 90 seconds or 2 days').waitFor()
        await waits.fill("45 s")
        await page.getByLabel("A waiting run is stopped after").fill("2 days, 12 hours")
        await page.getByRole("button", { name: "Save the settings" }).press("Enter")
        await page.getByText("The settings were saved").waitFor()
      })
      yield* looked("settings")
      yield* at("#/members")
      yield* Effect.promise(async () => {
        await page.getByRole("cell", { name: "you" }).waitFor()
        await remove.waitFor()
      })
      yield* looked("members")
      yield* Effect.promise(async () => {
        await remove.press("Enter")
        await page.getByRole("button", { name: "Revoke the key" }).press("Enter")
        await remove.waitFor({ state: "detached" })
        // A person is invited by a link, and comes in with a key that only they see.
        await page.getByText("No invitation yet").waitFor()
        await page.getByRole("button", { name: "Invite…" }).press("Enter")
        await page.getByLabel("Name (optional)").fill(`Ada ${hostile}`)
        await page.getByLabel("Role").selectOption("Viewer")
        await page.getByRole("button", { name: "Make the link" }).press("Enter")
        await page.getByText("Send this link to the person").waitFor()
      })
      yield* looked("invitation")
      const { complaints, url } = yield* Console
      const { link: signInLink } = yield* asked("/sign-in-links", undefined)
      yield* Effect.promise(async () => {
        const link = await page.locator(".secret").innerText()
        assert.match(link, new RegExp(`^${url}/#invitation=inv_[\\w-]+$`))
        await page.getByRole("dialog").getByRole("button", { name: "Done" }).click()
        const context = await page.context().browser()?.newContext()
        context?.setDefaultTimeout(hangMillis)
        const theirs = await context?.newPage()
        if (theirs === undefined) return assert.fail("No page")
        await theirs.goto(link)
        await theirs.getByRole("button", { name: "Accept the invitation" }).press("Enter")
        assert.match(await theirs.locator(".secret").innerText(), /^sk_/)
        assert.strictEqual(await theirs.evaluate("location.hash"), "#/")
        if (pictures !== undefined) await theirs.screenshot({ path: join(pictures, "accepted.png") })
        await theirs.getByRole("button", { name: "Sign in with it" }).press("Enter")
        await theirs.getByRole("heading", { name: "Home" }).waitFor()
        await theirs.getByText("Viewer").first().waitFor()
        // The link works once, also in a page of the console that is open already.
        await theirs.evaluate(`location.href = ${JSON.stringify(link)}`)
        await theirs.getByRole("button", { name: "Accept the invitation" }).press("Enter")
        await theirs.getByText("This invitation cannot be accepted").waitFor()
        assert.strictEqual(await theirs.evaluate("location.hash"), "#/")
        await theirs.getByRole("button", { name: "Not now" }).press("Enter")
        await theirs.getByRole("heading", { name: "Home" }).waitFor()
        // So does a sign-in link, which brings another user in.
        await theirs.evaluate(`location.href = ${JSON.stringify(`${url}/#sign-in=${signInLink}`)}`)
        await theirs.getByRole("button", { name: "Sign in with the link" }).press("Enter")
        await theirs.getByText("Owner").first().waitFor()
        await theirs.evaluate(`location.href = ${JSON.stringify(`${url}/#sign-in=${signInLink}`)}`)
        await theirs.getByRole("button", { name: "Sign in with the link" }).press("Enter")
        await theirs.getByText("This link was used already").waitFor()
        assert.strictEqual(await theirs.evaluate("location.hash"), "#/")
        await context?.close()
        await page.getByRole("button", { name: "Invite…" }).press("Enter")
        await page.getByRole("button", { name: "Make the link" }).press("Enter")
        await page.getByRole("dialog").getByRole("button", { name: "Done" }).click()
        await page.getByRole("button", { name: /^Revoke… / }).press("Enter")
        await page.getByRole("button", { name: "Revoke it" }).press("Enter")
        await page.getByText("The invitation was revoked").waitFor()
        await page.getByText("Accepted").waitFor()
      })
      assert.deepStrictEqual(complaints(), [])
    })
  )

  it.effect("makes a schedule after showing when it fires, pauses and resumes it, runs it now and deletes it", () =>
    Effect.gen(function* () {
      const { complaints, ids, page } = yield* Console
      yield* at("#/schedules")
      yield* Effect.promise(async () => {
        await page.getByText("No schedule yet").waitFor()
        await page.getByRole("button", { name: "New schedule" }).press("Enter")
        const dialog = page.getByRole("dialog")
        await dialog.getByLabel("Name (optional)").fill("Morning")
        await dialog.getByText("Choose the workflow that it runs").waitFor()
        await dialog.getByLabel("Workflow").selectOption(ids.orders)
        await dialog.getByLabel("pages (optional)").fill("many")
        await dialog.getByText("Expected a whole number, such as 3").waitFor()
        await dialog.getByText("This input is needed").waitFor()
        await dialog.getByLabel("status", { exact: true }).selectOption("open")
        await dialog.getByText("This input is needed").waitFor({ state: "detached" })
        await dialog.getByLabel("pages (optional)").fill("3")
        await dialog.locator(".coming li").nth(9).waitFor()
      })
      yield* looked("schedule-inputs")
      yield* Effect.promise(async () => {
        const dialog = page.getByRole("dialog")
        await dialog.getByLabel("Workflow").selectOption(ids.nightly)
        await dialog.getByLabel("When", { exact: true }).selectOption("cron")
        await dialog.getByLabel("Cron expression").fill("61 7 * * *")
        await dialog.locator(".wrong").waitFor()
        assert.lengthOf(complaints(), 1)
        await dialog.getByLabel("When", { exact: true }).selectOption("days")
        await dialog.getByLabel("Saturday").press("Space")
        await dialog.locator(".coming li").nth(9).waitFor()
      })
      yield* looked("schedule")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Save the schedule" }).press("Enter")
        await page.getByText("at 07:30").waitFor()
        await page.getByRole("button", { name: "Pause Morning" }).press("Enter")
        await page.getByText("paused by you").waitFor()
      })
      yield* looked("schedules")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Resume Morning" }).press("Enter")
        await page.getByRole("button", { name: "Submit a run: Morning" }).press("Enter")
        await page.getByRole("heading", { name: "Its run window is closed" }).waitFor()
        await page.goBack()
        await page.getByRole("button", { name: "Delete Morning" }).press("Enter")
        await page.getByRole("button", { name: "Delete it" }).press("Enter")
        await page.getByText("No schedule yet").waitFor()
      })
    })
  )

  it.effect("says in every form what is wrong at its field, by mouse and by keyboard, and keeps what is typed", () =>
    Effect.gen(function* () {
      const { complaints, ids, owner, page, send } = yield* Console
      const listed = yield* send({ method: "GET", path: `/runs?workflow_id=${ids.orders}&limit=1`, key: owner.key })
      const [ran] = listed.body as unknown as ReadonlyArray<Readonly<Record<string, unknown>>>
      const long = "x".repeat(5_000)
      const workflow = `#/workflows/${ids.orders}`
      /** The last text that is typed is wrong, by the page or by the service. */
      const forms: ReadonlyArray<{
        readonly at: string
        readonly open: string | null
        readonly chosen?: Readonly<Record<string, string>>
        readonly typed: Readonly<Record<string, string>>
        readonly send: string
      }> = [
        { at: "#/runs?since=day", open: "Save this view…", typed: { Name: "x".repeat(61) }, send: "Save" },
        { at: "#/workflows", open: "New workflow", typed: { "First page": shop, Name: long }, send: "Create" },
        { at: "#/workflows", open: "New workflow", typed: { Name: "Shop", "First page": "ftp://a" }, send: "Create" },
        { at: workflow, open: "Run…", chosen: { status: "open" }, typed: { "pages (optional)": "0" }, send: "Run" },
        {
          at: workflow,
          open: "Test run…",
          chosen: { status: "open" },
          typed: { "pages (optional)": "0" },
          send: "Test"
        },
        { at: `#/runs/${ran?.session_id}`, open: "Run again…", typed: { "pages (optional)": "0" }, send: "Run" },
        { at: `${workflow}/window`, open: "Pause…", typed: { "Reason (optional)": long }, send: "Pause" },
        {
          at: `#/workflows/${ids.nightly}/window`,
          open: null,
          typed: { "Running at once (optional)": "9", "Starts a minute (optional)": "0" },
          send: "Save the pace"
        },
        {
          at: "#/schedules",
          open: "New schedule",
          chosen: { Workflow: ids.nightly },
          typed: { "Name (optional)": long },
          send: "Save the schedule"
        },
        {
          at: "#/vault",
          open: "Add a credential",
          typed: {
            ...{ "User id": "ada", Site: bank, "User name": "a", Password: "b" },
            "Encryption key of the workspace": "0"
          },
          send: "Seal and store"
        },
        { at: "#/webhooks", open: "New webhook", typed: { Address: "hooks.example.com" }, send: "Register" },
        {
          at: "#/alerts",
          open: "New receiver",
          typed: {
            Name: "Ops",
            "Host of the mail server": "smtp.example.com",
            From: "sluice@example.com",
            To: "nobody"
          },
          send: "Register"
        },
        { at: "#/files", open: "New destination", typed: { Name: "Accounting", Address: "ftp://a" }, send: "Register" },
        {
          at: "#/limits",
          open: "New limit",
          typed: { Name: "Portal", "Running at once (optional)": "0" },
          send: "Create"
        },
        { at: "#/error-codes", open: "New error code", typed: { Name: long }, send: "Create" },
        { at: "#/members", open: "Invite…", typed: { "Name (optional)": long }, send: "Make the link" },
        { at: "#/keys", open: "New key", typed: { "Name (optional)": long }, send: "Create" },
        { at: "#/settings", open: null, typed: { "Telephone number (optional)": "0" }, send: "Save the settings" },
        { at: "#/author", open: null, typed: { "First page": shop, Name: " " }, send: "Start recording" },
        { at: "#/author", open: null, typed: { Name: "Shop", "First page": "nowhere" }, send: "Start recording" }
      ]
      const filled = async (
        by: "mouse" | "keyboard",
        { at, chosen = {}, open, send, typed }: (typeof forms)[number]
      ) => {
        const name = `${at} ${open} by ${by}`
        const noticed = await page.locator(".notice.problem").count()
        const press = async (button: ReturnType<Page["getByRole"]>) =>
          by === "mouse" ? button.click() : button.press("Enter")
        await page.evaluate(`location.hash = ${JSON.stringify(at)}`)
        if (open !== null) await press(page.getByRole("button", { name: open, exact: true }))
        const form = open === null ? page.locator("#content") : page.getByRole("dialog")
        const field = (label: string) => form.getByLabel(label, { exact: true })
        for (const [label, value] of Object.entries(chosen)) await field(label).selectOption(value)
        for (const [label, text] of Object.entries(typed)) await field(label).fill(text)
        const last = Object.keys(typed).at(-1) ?? ""
        if (by === "mouse") await form.getByRole("button", { name: send, exact: true }).click()
        else await field(last).press("Enter")
        await field(last)
          .and(form.locator('[aria-invalid="true"]'))
          .waitFor()
          .catch(() => assert.fail(`${name}: nothing stands at ${last}`))
        assert.strictEqual(await form.locator('[aria-invalid="true"]').count(), 1, name)
        for (const [label, text] of Object.entries(typed)) {
          assert.isTrue((await field(label).inputValue()) === text, `${name}: ${label} has changed`)
        }
        assert.isAtMost(await page.locator(".notice.problem").count(), noticed, name)
        if (open !== null) {
          await page.keyboard.press("Escape")
          return form.waitFor({ state: "detached" })
        }
        // The next form of the view begins empty.
        await page.evaluate("location.hash = '#/audit'")
        await page.getByRole("heading", { name: "Audit" }).waitFor()
      }
      yield* at("#/audit")
      yield* Effect.promise(async () => {
        // Each form by one of the two, in turn; by both each night.
        for (const [at, form] of forms.entries()) {
          if (isAll || at % 2 === 0) await filled("mouse", form)
          if (isAll || at % 2 === 1) await filled("keyboard", form)
        }
        await page.evaluate("location.hash = '#/author'")
        for (const input of [1, 2]) {
          await page.getByRole("button", { name: "Add an input" }).click()
          await page.getByLabel(`Name of input ${input}`).fill(input === 1 ? "Order number" : "order_number")
        }
        await page.getByLabel("First page").fill(shop)
        await page.getByLabel("Name", { exact: true }).fill("Shop")
        await page.getByRole("button", { name: "Start recording" }).click()
        await page.getByText("Input 1 already has the name order_number").waitFor()
        await page.evaluate(`location.hash = ${JSON.stringify(`#/workflows/${ids.nightly}/window`)}`)
        await page.getByRole("button", { name: "Add a recurrence" }).click()
        await page.getByLabel("Rule (RFC 5545)").fill("FREQ=NEVER")
        await page.getByLabel("Rule (RFC 5545)").and(page.locator('[aria-invalid="true"]')).waitFor()
      })
      yield* looked("window-rule", / 4\d\d /)
      assert.deepStrictEqual(complaints(), [])
    })
  )

  it.effect("keeps what is typed while a save is under way, and shows what was saved before it is read again", () =>
    Effect.gen(function* () {
      const { owner, page, send } = yield* Console
      const graph = graphOf(`${shop}/`, [])
      const id = String((yield* asked("/workflows", { name: "Typed into", description: "none", ...graph })).id)
      yield* asked(`/workflows/${id}/run-window`, closedNow(), "PUT")
      const editors: ReadonlyArray<Editor> = [
        {
          view: `#/workflows/${id}/window`,
          field: page.getByLabel("Sunday, range 1: from"),
          texts: ["01:00", "02:00", "03:00"],
          save: "Save the window",
          done: "The window was saved",
          path: /\/run-window$/
        },
        {
          view: `#/workflows/${id}/window`,
          field: page.getByLabel("Running at once (optional)"),
          texts: ["11", "12", "13"],
          save: "Save the pace",
          done: "The pace was saved",
          path: /\/pace$/
        },
        {
          view: `#/workflows/${id}/json`,
          field: page.getByLabel("The workflow as JSON"),
          texts: ['"one"', '"two"', '"three"'],
          written: (text: string) =>
            JSON.stringify({ name: "Typed into", description: "", ...graph }).replace('""', text),
          save: "Save the next version",
          done: /Saved as version/,
          path: /\/workflows\/[0-9a-f-]+$/
        },
        {
          view: "#/settings",
          field: page.getByLabel("A run waits for corrected inputs for"),
          texts: ["51 seconds", "52 seconds", "53 seconds"],
          save: "Save the settings",
          done: "The settings were saved",
          path: /\/settings$/
        }
      ]
      for (const { done, field, path, save, texts, view, written = (text: string) => text } of sampled(editors, 3)) {
        const [first, second, third] = texts
        yield* at(view)
        yield* Effect.promise(async () => {
          const button = page.getByRole("button", { name: save, exact: true })
          const notice = page.locator(".notice", { hasText: done })
          const saved = async () => {
            await notice.waitFor()
            await notice.getByRole("button").click()
            await notice.waitFor({ state: "detached" })
          }
          await field.fill(written(first))
          const read = await withheld(page, path)
          const answer = await withheld(page, path, ["PUT", "PATCH"])
          await button.click()
          await field.fill(written(second))
          await answer()
          await saved()
          assert.strictEqual(await field.inputValue(), written(second), `${save}: typed meanwhile`)
          await button.click()
          await saved()
          assert.include(await field.inputValue(), second, `${save}: saved, and not read again`)
          await field.fill(written(third))
          await read()
          await button.click()
          await saved()
          assert.strictEqual(await page.getByText("Another person").count(), 0, save)
        })
      }
      // What was typed and saved before does not replace what another person saves later.
      const { workspaceId } = owner.caller
      const changed = yield* send({
        method: "PATCH",
        path: `/workspaces/${workspaceId}/settings`,
        key: owner.key,
        json: { input_required_timeout_seconds: 77 }
      })
      assert.strictEqual(changed.status, 200)
      yield* Effect.promise(() =>
        page.evaluate(`new Promise((resolve) => {
          const look = () =>
            [...document.querySelectorAll("input")].some(({ value }) => value === "1 minute 17 seconds") ? resolve() : requestAnimationFrame(look)
          look()
        })`)
      )
    })
  )

  it.effect("shows what another person does, and keeps what is typed and its session while the server restarts", () =>
    Effect.gen(function* () {
      const { complaints, ids, owner, page, send } = yield* Console
      const server = yield* furtherServer
      const opened = Effect.acquireRelease(
        Effect.promise(() => page.context().newPage()),
        (one) => Effect.promise(() => one.close())
      )
      const [listing, typing] = [yield* opened, yield* opened]
      const signIn = async (one: Page) => {
        await one.getByLabel("API key").fill(owner.key)
        await one.keyboard.press("Enter")
      }
      const counted = listing.getByText(/^\d+ runs, newest first/)
      yield* Effect.promise(async () => {
        await listing.goto(`${server.url}/#/runs?workflow=${ids.orders}`)
        await signIn(listing)
        await counted.waitFor()
        await typing.goto(`${server.url}/#/workflows/${ids.orders}/window`)
        await typing.getByText("Open", { exact: true }).waitFor()
      })
      const before = yield* Effect.promise(async () => Number.parseInt(await counted.innerText(), 10))
      // One person pauses a workflow and submits a run, another one sees both.
      yield* at(`#/workflows/${ids.orders}/window`)
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Pause…" }).press("Enter")
        await page.getByLabel("Until (optional)").fill("2020-01-01T00:00")
        await page.getByLabel("Reason (optional)").fill(hostile)
        await page.getByRole("button", { name: "Pause", exact: true }).press("Enter")
        await page.getByText("Expected an instant in the future").waitFor()
        assert.strictEqual(await page.getByLabel("Reason (optional)").inputValue(), hostile)
        await page.getByLabel("Until (optional)").fill("")
        await page.getByRole("button", { name: "Pause", exact: true }).press("Enter")
        await page.getByRole("button", { name: "Unpause All" }).waitFor()
        await typing.getByText("Paused", { exact: true }).waitFor()
      })
      const json = { workflow_id: ids.orders, run_input_variables: { status: "open" } }
      const submit = send({ method: "POST", path: "/run", key: owner.key, json })
      const text = listing.getByLabel("Text in inputs, output or errors")
      yield* Effect.promise(async () => {
        await text.fill("half of a te")
        // It is searched as it is typed.
        await listing.getByText("No run matches these filters").waitFor()
      })
      assert.strictEqual((yield* submit).status, 201)
      yield* Effect.promise(async () => {
        assert.strictEqual(await text.inputValue(), "half of a te")
        await text.fill("")
        await listing.getByText(`${before + 1} runs, newest first`).waitFor()
        await page.getByRole("button", { name: "Unpause All" }).press("Enter")
        // The runs are counted first.
        await page.getByRole("dialog").getByRole("button", { name: "Unpause All", exact: true }).click()
        await typing.getByText("Open", { exact: true }).waitFor()
        await listing.getByRole("row").nth(1).getByText("Succeeded").waitFor()
        // What both do when the service is away.
        await typing.getByRole("button", { name: "Begin with nights" }).click()
        await typing.getByLabel("Monday, range 1: from").fill("21:15")
      })
      yield* server.stop
      yield* Effect.promise(async () => {
        for (const one of [listing, typing])
          await one.getByText("This page continues automatically when it can").waitFor()
        await typing.getByLabel("Monday, range 1: to").fill("05:45")
      })
      assert.strictEqual((yield* submit).status, 201)
      // Each page continues its stream after the last event that it has seen.
      const continued = Promise.all(
        [listing, typing].map((one) =>
          one.waitForRequest((request) => /\/events\?/.test(request.url()) && "last-event-id" in request.headers())
        )
      )
      yield* server.start
      yield* Effect.promise(async () => {
        await continued
        for (const one of [listing, typing]) await one.locator(".lost").waitFor({ state: "detached" })
        await listing.getByText(`${before + 2} runs, newest first`).waitFor()
        // The session ends, and begins again in the page as it is.
        await typing.evaluate(
          "fetch('console/session', { method: 'DELETE', headers: { 'x-sluice-session': localStorage.getItem('sluice_session') } })"
        )
        await typing.getByText("Your session has ended").waitFor()
        // There is no way around the key: Escape does not close it, even pressed twice.
        await typing.keyboard.press("Escape")
        await typing.keyboard.press("Escape")
        await typing.getByText("Your session has ended").waitFor()
        await signIn(typing)
        await typing.getByText("Your session has ended").waitFor({ state: "detached" })
        assert.strictEqual(await typing.getByLabel("Monday, range 1: from").inputValue(), "21:15")
        // The dialog that is gone gives its focus back, which may take a key that comes at that moment.
        await typing.getByRole("button", { name: "Save the window" }).click()
        await typing.getByText("The window was saved").waitFor()
        await typing.getByRole("button", { name: "Remove the window…" }).press("Enter")
        await typing.getByRole("button", { name: "Remove it" }).press("Enter")
        await typing.getByText("The window was removed").waitFor()
      })
      // The refusal of the instant is written to the console of the browser.
      assert.lengthOf(complaints(), 1)
    }).pipe(Effect.scoped)
  )

  it.effect("asks before a link of a foreign page signs in, and before any link takes the place of a session", () =>
    Effect.gen(function* () {
      const { complaints, page, send, url } = yield* Console
      const service = yield* Service
      const attacker = yield* service.member("Owner")
      const link = Effect.map(
        send({ method: "POST", path: "/sign-in-links", key: attacker.key }),
        ({ body }) => `${url}/#sign-in=${body.link}`
      )
      const operator = yield* service.member("Owner")
      const [first, second, third] = [yield* link, yield* link, yield* link]
      let shown = ""
      const port = yield* listening(
        createServer((_request, response) => {
          response.writeHead(200, { "content-type": "text/html" }).end(shown)
        })
      )
      const context = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const browser = page.context().browser()
          assert(browser !== null)
          return browser.newContext()
        }),
        (one) => Effect.promise(() => one.close())
      )
      yield* Effect.promise(async () => {
        const theirs = await context.newPage()
        theirs.setDefaultTimeout(hangMillis)
        const who = () =>
          theirs.evaluate<string>(
            "fetch('console/session', { headers: { 'x-sluice-session': localStorage.getItem('sluice_session') ?? '' } }).then((answer) => answer.json()).then((one) => one.user_id ?? '')"
          )
        const follow = async (address: string) => {
          shown = `<a href="${address}" rel="noreferrer">Orders</a>`
          await theirs.goto(`http://localhost:${port}/`)
          await theirs.getByText("Orders").click()
          await theirs.getByRole("button", { name: "Sign in with the link" }).waitFor()
          assert.strictEqual(await theirs.evaluate("location.hash"), "#/")
        }
        // Nobody is signed in.
        await follow(first)
        assert.strictEqual(await who(), "")
        await theirs.getByRole("button", { name: "Do not sign in" }).press("Enter")
        await theirs.getByLabel("API key").fill(operator.key)
        await theirs.getByRole("button", { name: "Sign in" }).press("Enter")
        await theirs.getByRole("heading", { name: "Home" }).waitFor()
        // The operator is.
        await follow(second)
        assert.strictEqual(await who(), operator.caller.userId)
        await theirs.getByRole("button", { name: "Stay signed in" }).press("Enter")
        await theirs.getByRole("heading", { name: "Home" }).waitFor()
        assert.strictEqual(await who(), operator.caller.userId)
        // Also by an address that was typed.
        await theirs.goto("about:blank")
        await theirs.goto(third)
        await theirs.getByRole("button", { name: "Sign in with the link" }).press("Enter")
        await theirs.getByRole("heading", { name: "Home" }).waitFor()
        assert.strictEqual(await who(), attacker.caller.userId)
      })
      assert.deepStrictEqual(complaints(), [])
    }).pipe(Effect.scoped)
  )

  it.effect("tells a newcomer where to begin, and to record their own beside the first workflow", () =>
    Effect.gen(function* () {
      const { page, send, url } = yield* Console
      const { key } = yield* (yield* Service).member("Owner")
      const { body } = yield* send({ method: "POST", path: "/sign-in-links", key })
      const context = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const browser = page.context().browser()
          assert(browser !== null)
          return browser.newContext()
        }),
        (one) => Effect.promise(() => one.close())
      )
      const theirs = yield* Effect.promise(() => context.newPage())
      theirs.setDefaultTimeout(hangMillis)
      yield* Effect.promise(async () => {
        await theirs.goto(`${url}/#sign-in=${body.link}`)
        await theirs.getByText("This workspace has no workflow yet").waitFor()
        for (const name of ["Record it on its page", "Bring a file"]) await theirs.getByRole("link", { name }).waitFor()
        await theirs.getByRole("region", { name: "Describe it" }).getByText("SLUICE_MODEL_URL").waitFor()
      })
      const json = { name: "First", ...graphOf(`${shop}/`, []) }
      assert.strictEqual((yield* send({ method: "POST", path: "/workflows", key, json })).status, 201)
      yield* Effect.promise(async () => {
        await theirs.reload()
        await theirs.getByText("Do a task once on its page").waitFor()
        await theirs.getByRole("link", { name: "Start a recording" }).press("Enter")
        await theirs.getByRole("heading", { name: "Author" }).waitFor()
      })
    }).pipe(Effect.scoped)
  )

  it.effect("shows in each list what another person makes there", () =>
    Effect.gen(function* () {
      const { ids, page } = yield* Console
      yield* at("#/audit")
      for (const [address, path, body, text] of [
        ["workflows", "/workflows", { name: "Made by another", ...graphOf(`${shop}/`, []) }, "Made by another"],
        ["keys", "/api-keys", { role: "Viewer", name: "Key of another" }, "Key of another"],
        ["webhooks", "/webhook-endpoints", { url: "https://another.example/hook" }, "https://another.example/hook"],
        [
          "schedules",
          "/schedules",
          { workflow_id: ids.nightly, name: "Of another", cron: "30 7 * * *", time_zone: "UTC" },
          "Of another"
        ],
        ["vault", "/vault", { permissioned_user_id: "anothers", domain: bank }, "anothers"]
      ] as const) {
        yield* Effect.promise(async () => {
          await page.evaluate(`location.hash = ${JSON.stringify(`#/${address}`)}`)
          await page.locator(".section").first().waitFor()
          await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" })
        })
        yield* asked(path, body)
        yield* Effect.promise(() => page.getByText(text).first().waitFor())
      }
    })
  )

  it.nightly("shows on Home, at a workflow, at a run and in the audit trail what another person changes at once", () =>
    Effect.gen(function* () {
      const { page, url } = yield* Console
      const theirs = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const one = await page.context().newPage()
          // What is read every ten seconds shows nothing here: the news of the stream must.
          await one.addInitScript(
            "{ const every = setInterval; setInterval = (call, ms) => every(call, ms < 5000 ? ms : 1e9) }"
          )
          return one
        }),
        (one) => Effect.promise(() => one.close())
      )
      const section = (title: string) =>
        theirs.locator(".section", { has: theirs.getByRole("heading", { name: title }) })
      const entry = (title: string, text: string) => section(title).getByRole("listitem").filter({ hasText: text })
      const seen = (shown: Locator, state: "visible" | "detached" = "visible") =>
        Effect.promise(() => shown.first().waitFor({ state }))
      yield* Effect.promise(async () => {
        await theirs.goto(`${url}/#/`)
        await section("Due schedules").getByRole("status").waitFor({ state: "detached" })
        await section("Next openings").getByRole("status").waitFor({ state: "detached" })
      })
      const steps = graphOf(`${shop}/`, [])
      const made = yield* asked("/workflows", { name: "Seen at once", ...steps })
      const id = String(made.id)
      const window = `/workflows/${id}/run-window`
      const unpaused = (pause_resource: string) => asked("/runs/unpause", { pause_resource, resource_ids: [id] })
      yield* asked(window, closedNow(), "PUT")
      yield* seen(entry("Next openings", "Seen at once").getByText(/^opens /))
      yield* asked(`/workflows/${id}/pause`, {})
      yield* seen(entry("Next openings", "Seen at once").getByText("paused"))
      const terms = { workflow_id: id, name: "Fires at once", cron: "30 7 * * *", time_zone: "UTC" }
      const { id: schedule } = yield* asked("/schedules", terms)
      yield* seen(entry("Due schedules", "Fires at once"))
      yield* asked(`/schedules/${schedule}/pause`, {})
      yield* seen(entry("Due schedules", "Fires at once"), "detached")
      yield* unpaused("workflow")
      yield* seen(entry("Next openings", "Seen at once").getByText(/^opens /))
      const { session_id } = yield* asked("/run", { workflow_id: id })
      yield* Effect.promise(async () => {
        await theirs.goto(`${url}/#/runs/${session_id}`)
        await theirs.getByRole("button", { name: "Run now" }).waitFor()
      })
      yield* asked(`/workflows/${id}/pause`, { reason: "Being maintained" })
      yield* seen(theirs.getByText("Being maintained"))
      yield* unpaused("workflow")
      yield* seen(theirs.getByText("Being maintained"), "detached")
      yield* Effect.promise(async () => {
        await theirs.goto(`${url}/#/workflows/${id}`)
        await theirs.getByText(/^Version 1 .* window closed$/).waitFor()
      })
      yield* asked(`/workflows/${id}`, { name: "Seen at once, too", ...steps, description: "New" }, "PUT")
      yield* seen(theirs.getByRole("heading", { name: "Seen at once, too" }))
      yield* asked(window, undefined, "DELETE")
      yield* seen(theirs.getByText(/window closed$/), "detached")
      yield* Effect.promise(async () => {
        await theirs.goto(`${url}/#/audit?of=${id}`)
        await theirs.getByRole("button", { name: "Run window removed" }).waitFor()
        assert.strictEqual(await theirs.getByRole("button", { name: "Workflow deleted" }).count(), 0)
      })
      yield* asked(`/workflows/${id}`, undefined, "DELETE")
      yield* seen(theirs.getByRole("button", { name: "Workflow deleted" }))
    }).pipe(Effect.scoped)
  )

  it.effect("shows an Owner who changed what, and what it was before", () =>
    Effect.gen(function* () {
      const { page } = yield* Console
      yield* at("#/audit")
      yield* Effect.promise(() => page.getByRole("button", { name: "Key revoked" }).first().waitFor())
      yield* looked("audit")
      yield* Effect.promise(async () => {
        await page.getByLabel("What was changed", { exact: true }).selectOption("run_window")
        await page.getByRole("button", { name: "Key revoked" }).first().waitFor({ state: "detached" })
        await page.getByRole("button", { name: "Run window set" }).first().press("Enter")
        await page.locator(".changes pre").first().waitFor()
      })
      yield* looked("audit-entry")
      yield* Effect.promise(() => page.keyboard.press("Escape"))
    })
  )

  it.effect("builds a workflow on its page without a selector or JSON, and runs it, in at most 40 actions", () =>
    onDemoSite((address) =>
      Effect.gen(function* () {
        const { page } = yield* Console
        let actions = 0
        const count = async (action: Promise<unknown>) => {
          actions++
          await action
        }
        const button = (name: string | RegExp) => page.getByRole("button", { name, exact: typeof name === "string" })
        const click = (name: string | RegExp) => count(button(name).click())
        const fill = (label: string, text: string) => count(page.getByLabel(label, { exact: true }).fill(text))
        const point = (name: string | RegExp) => click(name)
        const stepButton = (name: RegExp) =>
          page.getByRole("list", { name: "The steps of the workflow" }).getByRole("button", { name })
        yield* at("#/author")
        yield* Effect.promise(async () => {
          await page.getByText("Nothing is being recorded").waitFor()
          await fill("Name", "Open orders")
          await fill("First page", `${address}/login`)
          await click("Add an input")
          await fill("Name of input 1", "User name")
          await fill("Example of input 1", demoUsers.clerk.user)
          await click("Add an input")
          await fill("Name of input 2", "Password")
          await fill("Example of input 2", demoUsers.clerk.password)
        })
        yield* looked("author")
        yield* Effect.promise(async () => {
          await click("Start recording")
          await point("Type into: textbox “User name”")
          await page.getByLabel("What to type").waitFor()
        })
        yield* looked("author-field")
        yield* Effect.promise(async () => {
          await click("Type it")
          await page.getByText("Done: Type into User name").waitFor()
          await point(/^Type into: .*“Password”$/)
          await count(page.getByRole("button", { name: "Type it" }).press("Enter"))
          await page.getByText("Done: Type into Password").waitFor()
          // By keyboard: an element of the page is a button.
          await count(button("Click: button “Sign in”").press("Enter"))
          await page.getByText("Done: Click Sign in").waitFor()
          await button(/^Expect that it leads to \//).click()
          await page.getByText('The step "Click Sign in" expects this now').waitFor()
          await stepButton(/Click Sign in.*1 expectation/).press("Enter")
          await page.locator("summary", { hasText: "What it expects" }).press("Enter")
          await page.getByLabel("Expectation 1", { exact: true }).waitFor()
        })
        yield* looked("author-expect")
        yield* Effect.promise(async () => {
          await button("Add an expectation").click()
          await page.getByLabel("Expectation 2", { exact: true }).selectOption("An element is there")
          await button("Expect this").click()
          await page.getByText("Name the element, such as //h1").waitFor()
          await page.getByLabel("Element 2", { exact: true }).fill("//select")
          await button("Expect this").click()
          await page.getByText("2 expectations").waitFor()
          await point(/^Choose in: .*“Status”$/)
          await count(page.getByLabel("Option").selectOption("open"))
          await click("Choose it")
          await page.getByText("Done: Choose in Status").waitFor()
          await point("Click: button “Show”")
          await page.getByText("Done: Click Show").waitFor()
          await click("Read data")
          // Two cells of a column are the whole list, with what each column is read as.
          await point("Read: link “A-1034”")
          await point("Read: link “A-1031”")
          await page.getByText("From all 6 rows").waitFor()
          await page.getByText("The first of 6 rows, as they would be read").waitFor()
          const typeOf = (name: string) => page.getByLabel(`Type of ${name}`, { exact: true })
          assert.deepStrictEqual(
            await Promise.all(
              ["order", "date", "customer", "status", "total"].map((name) => typeOf(name).inputValue())
            ),
            ["text", "date", "text", "text", "number"]
          )
          assert.strictEqual(await page.getByLabel("Format of date", { exact: true }).inputValue(), "yyyy-MM-dd")
          const first = page.getByRole("region", { name: "The first rows" })
          await first.getByRole("cell", { name: "18.9", exact: true }).waitFor()
          // A link is its address, which a preview shows at once.
          await typeOf("order").selectOption("link")
          await first.getByRole("cell", { name: /\/orders\/A-1034$/ }).waitFor()
          await typeOf("order").selectOption("text")
          const format = page.getByLabel("Format of date", { exact: true })
          await format.fill("MM")
          await format.blur()
          await page.getByText("Expected one day, one month and one year").waitFor()
          await format.fill("yyyy-MM-dd")
          await fill("Name of the list", "orders")
          await page.getByText("The first of 6 rows, as they would be read").waitFor()
          await button("Do not read status").click()
          await page.getByLabel("Type of status", { exact: true }).waitFor({ state: "detached" })
          await page.getByText("The first of 6 rows, as they would be read").waitFor()
        })
        yield* looked("author-read")
        yield* Effect.promise(async () => {
          await button("Read").press("Enter")
          await page.getByRole("region", { name: "What was read as JSON" }).getByText('"customer": "Cicala').waitFor()
          // The step waits for a row and expects one, which the answer says, and the steps show.
          await page.getByText(/^From now on it expects at least one \//).waitFor()
          await button("Do not expect it").waitFor()
          await stepButton(/Read orders.*1 expectation/).waitFor()
        })
        yield* looked("author-data")
        yield* Effect.promise(async () => {
          await click("Point")
          await point("Choose: link “Next”")
          await page.getByText("Found by").waitFor()
        })
        yield* looked("author-point")
        yield* Effect.promise(async () => {
          await click("Repeat the last step on every page")
          await stepButton(/Go to the next page/).waitFor()
          // The loop over the pages is done again as a whole, up to the last page.
          await stepButton(/Is there a further page/).click()
          await button("Do the whole loop").click()
          await page.getByText(/^Done again: Is there a further page\?, 8 steps\./).waitFor()
          await click("Save the workflow")
          await page.locator(".outline").getByText("Read orders").first().waitFor()
          await page.locator(".graph-name", { hasText: "Read orders" }).waitFor()
          await click("Run…")
          await fill("user_name", demoUsers.clerk.user)
          await fill("password", demoUsers.clerk.password)
          await count(page.getByRole("dialog").getByRole("button", { name: "Run", exact: true }).click())
          await page.getByText("Succeeded").first().waitFor()
          const output = await page.getByRole("region", { name: "Output as JSON" }).innerText()
          assert.include(output, '"order": "A-1034"')
          assert.include(output, '"total": 18.9')
          // From the first of three pages, and from the last.
          assert.isAbove(output.split('"customer"').length, 13)
          assert.isAtMost(actions, 40)
        })
      })
    )
  )

  it.effect("mends a failed run on its page by pointing anew, and retries the runs that failed by the same step", () =>
    onDemoSite((address) =>
      Effect.gen(function* () {
        const { page } = yield* Console
        const gone = "//button[@id='sign-in-of-last-year']"
        const { id } = yield* asked("/workflows", {
          name: "Orders of a site that has changed",
          ...graphOf(`${address}/login`, [
            { action: "INPUT_TEXT", parameters: { selector: "//input[@name='user']", text: demoUsers.clerk.user } },
            {
              action: "INPUT_TEXT",
              parameters: { selector: "//input[@type='password']", text: demoUsers.clerk.password }
            },
            { action: "CLICK", parameters: { selector: gone, wait_time: 0 } },
            {
              action: "EXTRACT_DATAMODEL",
              parameters: {
                extract_data_model: { type: "object", properties: { title: { type: "string", path: "//h1" } } }
              }
            }
          ]),
          max_retries: 0
        })
        yield* asked("/runs/batch", { runs: [{ workflow_id: id }, { workflow_id: id }] })
        const button = (name: string | RegExp) => page.getByRole("button", { name, exact: typeof name === "string" })
        const steps = page.getByRole("list", { name: "The steps of the workflow" })
        yield* at(`#/runs?workflow=${id}&status=execution.failed`)
        yield* Effect.promise(async () => {
          await page.getByText("2 runs, newest first").waitFor()
          await page.getByRole("row").nth(1).getByRole("link").first().click()
          await button("Repair on the page").click()
          // The page is as it was before the step that failed, which is selected with its error.
          await page.getByRole("heading", { name: "Step 4", exact: true }).waitFor()
          await steps.getByText("The next step goes here; the page is as after step 3").waitFor()
          await page.getByText("SELECTOR-E0001").waitFor()
          await page.getByText(`Node "CLICK 3": Cannot click ${gone}`).first().waitFor()
        })
        yield* looked("repair")
        yield* Effect.promise(async () => {
          await button("Choose another element").click()
          // By keyboard: an element of the page is a button.
          await button("Choose: button “Sign in”").press("Enter")
          await page.getByText("Its selectors, the best first").waitFor()
        })
        yield* looked("repair-pointing")
        yield* Effect.promise(async () => {
          await button(/^Use this one/)
            .first()
            .click()
          await page.getByText('Changed "CLICK 3". Nothing was carried out').waitFor()
          assert.strictEqual(await steps.getByRole("button", { name: /^4 CLICK 3$/ }).count(), 1)
          await button("Try this step").click()
          await steps.getByRole("button", { name: "4 CLICK 3 done" }).waitFor()
          await button("Run to the end").click()
          await steps.getByRole("button", { name: "5 EXTRACT_DATAMODEL 4 done" }).waitFor()
          await page.getByText("5, 5 done on this page").waitFor()
        })
        yield* looked("repair-done")
        yield* Effect.promise(async () => {
          await button("Save the workflow").click()
          await page.getByText("2 runs will be submitted again").waitFor()
        })
        yield* looked("repair-retry")
        yield* Effect.promise(async () => {
          await button("Retry 2 runs").click()
          await page.getByText("2 of 2 were submitted again.").waitFor()
          await page.getByRole("link", { name: "New run" }).first().click()
          await page.getByText("Succeeded").first().waitFor()
          assert.include(await page.getByRole("region", { name: "Output as JSON" }).innerText(), '"title": "Orders"')
        })
        const { body } = yield* (yield* Console).send({
          method: "GET",
          path: `/workflows/${id}`,
          key: (yield* Console).owner.key
        })
        assert.match(String(body.version_note), /^Mends run [0-9a-f-]{36}: CLICK 3$/)
      })
    )
  )

  it.effect(
    "edits the steps of a workflow in their column by keyboard and form, and asks before unsaved ones are left",
    () =>
      onDemoSite((address) =>
        Effect.gen(function* () {
          const { page } = yield* Console
          const extract_data_model = { type: "object", properties: { title: { type: "string", path: "//h1" } } }
          const { id } = yield* asked("/workflows", {
            name: "Titles",
            ...graphOf(`${address}/login`, [
              { action: "INPUT_TEXT", parameters: { selector: "css=#user", text: demoUsers.clerk.user } },
              { action: "INPUT_TEXT", parameters: { selector: "css=#password", text: demoUsers.clerk.password } },
              { action: "CLICK", parameters: { selector: "//button" } },
              { action: "EXTRACT_DATAMODEL", parameters: { extract_data_model } }
            ])
          })
          const button = (name: string | RegExp) => page.getByRole("button", { name, exact: typeof name === "string" })
          const steps = page.getByRole("list", { name: "The steps of the workflow" })
          const step = (name: string | RegExp) => steps.getByRole("button", { name, exact: typeof name === "string" })
          const lines = async () =>
            (await steps.getByRole("listitem").allInnerTexts()).map((line) => line.replace(/\s+/g, " "))
          yield* at(`#/workflows/${id}`)
          yield* Effect.promise(async () => {
            await button("Edit on the page").click()
            await steps.getByText("The next step goes here; the page is as after step 1").waitFor()
            // Nothing but the opening of the first page was done.
            assert.deepStrictEqual(await lines(), [
              "1 START 0 done",
              "The next step goes here; the page is as after step 1",
              "2 INPUT_TEXT 1",
              "3 INPUT_TEXT 2",
              "4 CLICK 3",
              "5 EXTRACT_DATAMODEL 4",
              "End: END 5"
            ])
            await button("Run to the end").click()
            await step("5 EXTRACT_DATAMODEL 4 done").waitFor()
            await step("3 INPUT_TEXT 2 done").click()
            await button("Run to here").click()
            await step("3 INPUT_TEXT 2").waitFor()
            await steps.getByText("The next step goes here; the page is as after step 2").waitFor()
            assert.strictEqual(await step(/done$/).count(), 2)
            // By keyboard: down to the next step, and that one further down and back.
            await step("3 INPUT_TEXT 2").press("ArrowDown")
            await step("4 CLICK 3").press("Alt+ArrowDown")
            await step("5 CLICK 3").waitFor()
            await button("Undo").click()
            await step("4 CLICK 3").waitFor()
            await button("Redo").click()
            await step("5 CLICK 3").waitFor()
            await button("Undo").click()
            await step("5 EXTRACT_DATAMODEL 4").press("Delete")
            await step("5 EXTRACT_DATAMODEL 4").waitFor({ state: "detached" })
            await button("Undo").click()
            await step("5 EXTRACT_DATAMODEL 4").click()
            await button("Put it in a loop").click()
            await page.getByRole("heading", { name: "Step 5", exact: true }).waitFor()
            await page.locator("summary", { hasText: "What it does" }).press("Enter")
            await page.getByLabel("variable_over").fill("2")
          })
          yield* looked("column-loop", /409/)
          yield* Effect.promise(async () => {
            await button("Change the step").click()
            await page.getByText('Changed "Three times". Nothing was carried out').waitFor()
            assert.deepStrictEqual((await lines()).slice(5), [
              "5 Three times",
              "each time",
              "6 EXTRACT_DATAMODEL 4",
              "End: END 5"
            ])
            await step("6 EXTRACT_DATAMODEL 4").click()
            await button("Put it in a condition").click()
            await steps.getByText("nothing; goes on below").waitFor()
            await step(/Is it there/).click()
            await button("Take its steps out").click()
            await step("6 EXTRACT_DATAMODEL 4").waitFor()
            await button("Run to the end").click()
            await page.getByText(/^Did 7 steps\. The end of the workflow comes next/).waitFor()
            await steps.getByText("The next step goes here; the page is as after step 5").waitFor()
          })
          yield* looked("column-done", /409/)
          yield* Effect.promise(async () => {
            await page.getByRole("link", { name: "Schedules" }).click()
            await page.getByRole("dialog", { name: "Leave unsaved steps?" }).waitFor()
          })
          yield* looked("column-leave", /409/)
          yield* Effect.promise(async () => {
            await button("Stay").click()
            await step("5 Three times done").waitFor()
            await button("End").click()
            await page.getByRole("dialog", { name: "End without saving?" }).waitFor()
            await button("Cancel").click()
            await page.getByRole("link", { name: "Schedules" }).click()
            await button("Save and leave").click()
            await page.getByText("Saved as version 2").last().waitFor()
            await page.getByRole("heading", { name: "Schedules", exact: true }).first().waitFor()
          })
        })
      )
  )

  it.nightly("records a loop over a list, an input and a credential by one press each, and runs them", () =>
    onDemoSite((address) =>
      Effect.gen(function* () {
        const { owner, page } = yield* Console
        yield* asked("/vault", {
          permissioned_user_id: "clerk",
          domain: address,
          user_name: seal(owner.encryptionKey, demoUsers.clerk.user),
          password: seal(owner.encryptionKey, demoUsers.clerk.password)
        })
        const press = (name: string | RegExp) =>
          page
            .getByRole("button", { name, exact: typeof name === "string" })
            .first()
            .click()
        const said = (text: string | RegExp) => page.getByRole("status").getByText(text).waitFor()
        yield* at("#/author")
        yield* Effect.promise(async () => {
          await page.getByLabel("Name", { exact: true }).fill("Cancelled orders")
          await page.getByLabel("First page").fill(`${address}/login`)
          await press("Start recording")
          await press("Type into: textbox “User name”")
          await page.getByLabel("What to type").selectOption({ label: "User name of clerk in the vault" })
          await press("Type it")
          await said("Done: Type into User name")
          await press(/^Type into: .*“Password”$/)
          await press("Type it")
          await said("Done: Type into Password")
          await press("Click: button “Sign in”")
          await said("Done: Click Sign in")
          await press(/^Choose in: .*“Status”$/)
          await page.getByLabel("Option").selectOption("cancelled")
        })
        yield* looked("author-input")
        yield* Effect.promise(async () => {
          await press("Choose it as input “status”")
          await said("Done: Choose in Status")
          await press("Click: button “Show”")
          await said("Done: Click Show")
          await press("Point")
          await press(/^Choose: link “A-/)
          await page.getByRole("button", { name: /^For each of the \d+ rows$/ }).waitFor()
        })
        yield* looked("author-list")
        yield* Effect.promise(async () => {
          await press(/^For each of the/)
          await page.getByRole("heading", { name: "For each row" }).waitFor()
          await press(/^Click: link “A-/)
          await said("Done: Click the order of each row")
          await press("Read data")
          await press(/^Read: heading “A-/)
          await page.getByLabel(/^Name of heading/).fill("number")
          await page.getByLabel("Name of the list").fill("details")
        })
        yield* looked("author-loop")
        yield* Effect.promise(async () => {
          await press("Read")
          await page.getByRole("region", { name: "What was read as JSON" }).getByText('"number": "A-').waitFor()
          await page.getByLabel("Action").selectOption({ label: "Go back" })
          await press("Do it")
          await said("Done: Go back")
          await press("End the loop")
          await said(/^Did \d+ steps\. The end of the workflow comes next/)
          await page.getByRole("heading", { name: "For each row" }).waitFor({ state: "detached" })
        })
        yield* looked("author-looped")
        yield* Effect.promise(async () => {
          await press("Save the workflow")
          await page.locator(".graph-name", { hasText: "For each row" }).waitFor()
        })
        yield* looked("workflow-loop")
        const path = new URL(page.url()).hash.slice(1)
        const { body } = yield* (yield* Console).send({ method: "GET", path, key: owner.key })
        const { description, edges, input_schema, name, nodes, vault_schema } = body
        const version = { description, edges, input_schema, name, nodes, vault_schema, video_record_session: true }
        yield* asked(path, version, "PUT")
        yield* Effect.promise(async () => {
          await press("Run…")
          const dialog = page.getByRole("dialog")
          await dialog.getByLabel("status").fill("cancelled")
          await dialog.getByLabel("CLERK").fill("clerk")
          await dialog.getByRole("button", { name: "Run", exact: true }).click()
          await page.getByText("Succeeded").first().waitFor()
          const { details, rows } = JSON.parse(
            await page.getByRole("region", { name: "Output as JSON" }).innerText()
          ) as Readonly<Record<string, ReadonlyArray<Readonly<Record<string, string>>>>>
          assert.isAbove(rows?.length ?? 0, 1)
          assert.deepStrictEqual(
            details?.map(({ number }) => number),
            rows?.map(({ order }) => order)
          )
        })
        yield* Effect.promise(async () => {
          const film = page.locator("video")
          await film.waitFor()
          // A row seeks, and the row that the film is at lights up.
          await page.locator(".steps button", { hasText: "Read details" }).last().click()
          await page.locator(".steps li.lit", { hasText: "Read details" }).waitFor()
          assert.isAbove(await film.evaluate((video) => Reflect.get(video, "currentTime")), 0)
          await page.locator(".steps button", { hasText: "Click Sign in" }).press("Enter")
          await page.locator(".steps li.lit", { hasText: "Click Sign in" }).waitFor()
        })
        yield* looked("run-loop")
      })
    )
  )

  it.nightly(
    "story: held runs are understood, 5 released, those of a branch interrupted, the failed ones retried",
    () =>
      Effect.gen(function* () {
        const { page } = yield* Console
        const { id } = yield* asked("/workflows", {
          name: "Branch statements",
          // Its page has changed: what it clicks is gone.
          ...graphOf(`${shop}/`, [{ action: "CLICK", parameters: { selector: "//button", wait_time: 0 } }]),
          input_schema: { type: "object", properties: { branch: { type: "string" } } },
          max_retries: 0
        })
        yield* asked(`/workflows/${id}/run-window`, closedNow(), "PUT")
        const submitted = Effect.fnUntraced(function* (branch: string, count: number) {
          const one = { workflow_id: id, run_input_variables: { branch } }
          for (let done = 0; done < count; done += 1_000) {
            yield* asked("/runs/batch", { runs: Array.from({ length: Math.min(1_000, count - done) }, () => one) })
          }
        })
        yield* submitted("north", runsOfBranch)
        yield* submitted("south", heldRuns - runsOfBranch)
        const number = (count: number) => count.toLocaleString("en")
        const listed = (count: number) => page.getByText(`${number(count)} runs, newest first`).waitFor()
        const button = (name: string) => page.getByRole("button", { name, exact: true })
        yield* at("#/")
        yield* Effect.promise(async () => {
          const line = page.locator(".held-line", { hasText: "Branch statements" })
          await line.getByText("Its run window opens").waitFor()
          assert.strictEqual(await line.locator(".held-count").innerText(), number(heldRuns))
        })
        yield* looked("story-held")
        yield* Effect.promise(async () => {
          await page.getByRole("link", { name: "Branch statements", exact: true }).first().click()
          await listed(heldRuns)
          await page.getByRole("checkbox").nth(1).click()
          await page
            .getByRole("checkbox")
            .nth(5)
            .click({ modifiers: ["Shift"] })
          await button("Start…").click()
          await page.getByText("5 runs will start now").waitFor()
          await button("Start 5 runs").click()
          await page.getByText("5 of 5 were released.").waitFor()
          await button("Done").click()
          await listed(heldRuns - 5)
          await page.getByLabel("Text in inputs, output or errors").fill("north")
          await page.keyboard.press("Enter")
          await listed(runsOfBranch)
          await page.getByLabel("Select all runs in the list").click()
          // A search that has come to its end lists all that match.
          if (heldRuns < 2_000) await button(`Select all ${number(runsOfBranch)} that match`).click()
          await button("Interrupt…").click()
          await page.getByText(`${number(runsOfBranch)} runs will be stopped`).waitFor()
        })
        yield* looked("story-interrupt")
        yield* Effect.promise(async () => {
          await button(`Interrupt ${number(runsOfBranch)} runs`).click()
          await page.getByText(`${number(runsOfBranch)} of ${number(runsOfBranch)} were interrupted.`).waitFor()
          await button("Done").click()
          await page.getByText("No run matches these filters").waitFor()
        })
        yield* at(`#/runs?workflow=${id}`)
        yield* Effect.promise(async () => {
          await button("Failed").click()
          await listed(5)
          await page.getByText("SELECTOR-E0001").first().waitFor()
        })
        yield* looked("story-failed")
        yield* Effect.promise(async () => {
          await page.getByLabel("Select all runs in the list").click()
          await button("Retry…").click()
          await page.getByText("5 runs will be submitted again").waitFor()
          await button("Retry 5 runs").click()
          await page.getByText("5 of 5 were submitted again.").waitFor()
          // A new run waits for the window as each other one does.
          await page.getByRole("link", { name: "New run" }).first().click()
          await page.getByRole("heading", { name: "Its run window is closed" }).waitFor()
        })
        yield* at(`#/runs?workflow=${id}&status=execution.paused`)
        yield* Effect.promise(() => listed(heldRuns - runsOfBranch))
      })
  )

  it.effect("story: a password is changed, and the runs that it failed or stopped are retried", () =>
    Effect.gen(function* () {
      const { owner, page } = yield* Console
      yield* asked("/vault", {
        permissioned_user_id: "teller",
        domain: bank,
        user_name: seal(owner.encryptionKey, "teller@bank.example"),
        password: seal(owner.encryptionKey, "no longer valid")
      })
      const { id } = yield* asked("/workflows", {
        name: "Bank statements",
        ...graphOf(`${bank}/`, signIn),
        vault_schema: { BANK: { type: "credential", domain: bank } },
        max_retries: 0
      })
      const one = { workflow_id: id, run_input_variables: { BANK: "teller" } }
      yield* asked("/runs/batch", { runs: [one, one, one] })
      const button = (name: string) => page.getByRole("button", { name, exact: true })
      yield* at("#/vault")
      const bodies: Array<string> = []
      page.on("request", (request) => bodies.push(request.postData() ?? ""))
      yield* Effect.promise(async () => {
        await button(`Change the password of teller of ${bank}`).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByLabel("Encryption key of the workspace").fill(owner.encryptionKey)
        await dialog.getByLabel("New password").fill("tide-and-timber")
        await dialog.getByRole("button", { name: "Seal and change" }).click()
        await page.getByText("The credential was changed").waitFor()
        await dialog.waitFor({ state: "detached" })
        assert.isTrue(bodies.some((body) => body.includes('"password"')))
        assert.isFalse(bodies.some((body) => /tide-and-timber/.test(body) || body.includes(owner.encryptionKey)))
        await page.getByRole("link", { name: `Runs with teller of ${bank}` }).click()
        // The first of them could not sign in; the others were stopped, so that the account is not locked.
        await button("Failed").click()
        await button("Stopped").click({ modifiers: ["ControlOrMeta"] })
        await page.getByText("3 runs, newest first").waitFor()
        await page.getByText("INTERRUPTED-E0002").first().waitFor()
      })
      yield* looked("story-password")
      yield* Effect.promise(async () => {
        await page.getByLabel("Select all runs in the list").click()
        await button("Retry…").click()
        await page.getByText("3 runs will be submitted again").waitFor()
        await button("Retry 3 runs").click()
        await page.getByText("3 of 3 were submitted again.").waitFor()
        await button("Done").click()
        await button("Succeeded").click()
        await page.getByText("3 runs, newest first").waitFor()
        await page.getByRole("cell", { name: "Succeeded" }).nth(2).waitFor()
      })
      yield* at("#/vault")
      yield* Effect.promise(async () => {
        await button(`Check now: teller of ${bank}`).press("Enter")
        const begun = page.locator(".notice").filter({ hasText: "The check of teller has begun." })
        await begun.getByRole("link", { name: "Follow its run" }).press("Enter")
        await page.getByRole("heading", { name: "Bank statements" }).waitFor()
        await page.getByText("Succeeded").first().waitFor()
      })
    })
  )

  it.nightly("story: a window is edited over a change of the clocks, its impact is read, and it is undone", () =>
    Effect.gen(function* () {
      const { owner, page: first, send, url } = yield* Console
      const { id } = yield* asked("/workflows", { name: "Night orders", ...graphOf(`${shop}/`, []) })
      const path = `/workflows/${id}/run-window`
      yield* asked(path, closedNow(), "PUT")
      yield* asked("/runs/batch", { runs: [{ workflow_id: id }, { workflow_id: id }] })
      const stored = async () =>
        (await Effect.runPromise(send({ method: "GET", path, key: owner.key }))).body.run_window
      const before = yield* Effect.promise(stored)
      const change = nextChangeOfClocks("Europe/Berlin")
      // The clock is that of all pages of a context.
      const context = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const storageState = await first.context().storageState()
          const browser = first.context().browser()
          assert(browser !== null)
          return browser.newContext({ storageState, viewport: { width: 1280, height: 800 } })
        }),
        (one) => Effect.promise(() => one.close())
      )
      yield* Effect.promise(async () => {
        const page = await context.newPage()
        page.setDefaultTimeout(hangMillis)
        // The page is opened three days before the clocks change. The service lives in the present.
        await page.clock.setFixedTime(change.at - 3 * 86_400_000)
        await page.goto(`${url}/#/workflows/${id}/window`)
        await page.getByText("There are no changes").waitFor()
        const button = (name: string | RegExp) => page.getByRole("button", { name })
        const day = page.getByRole("img", { name: new RegExp(`^${change.date}:.*a day of ${change.hours} hours$`) })
        await day.waitFor()
        await page.getByLabel("Monday, range 1: from").fill("00:00")
        await page.getByLabel("Monday, range 1: to").fill("00:00")
        await button("Copy to all: Monday").click()
        await page.getByText("Saving releases 2 waiting runs now").waitFor()
        await button("Undo changes").click()
        await page.getByText("There are no changes").waitFor()
        await page.getByLabel("Saturday, range 1: from").fill("23:00")
        await page.getByLabel("Saturday, range 1: to").fill("04:00")
        await page.getByText("Saving holds or releases no waiting run now").waitFor()
        assert.include(await day.getAttribute("aria-label"), "open 00:00 to 04:00")
        const night = `${5 + change.hours - 24} h, as the clocks change`
        await page.getByText(night).waitFor()
        if (pictures !== undefined) await page.screenshot({ path: join(pictures, "story-clocks.png"), fullPage: true })
        assert.deepStrictEqual(await stored(), before)
        await button("Save the window").click()
        await page.getByText("There are no changes").waitFor()
        assert.notDeepEqual(await stored(), before)
        await page.locator("summary", { hasText: "History" }).click()
        await button(/^Restore the one before/)
          .first()
          .click()
        await page.getByText("Saving holds or releases no waiting run now").waitFor()
        await button("Save the window").click()
        await page.getByText("There are no changes").waitFor()
        assert.deepStrictEqual(await stored(), before)
      })
    }).pipe(Effect.scoped)
  )

  it.nightly("shows a megabyte of hostile names, outputs and page texts as text, on a narrow screen too", () =>
    Effect.gen(function* () {
      const { ids, page } = yield* Console
      yield* Effect.promise(() => page.setViewportSize({ width: 320, height: 640 }))
      yield* Effect.promise(async () => {
        // What a page, a workflow or a run may be called and say: a megabyte of it.
        const much = hostile.repeat(11_000)
        const rewrite = (path: RegExp, change: (body: Hostile) => void) =>
          page.route(path, async (route) => {
            const answer = await route.fetch()
            const body = await answer.json()
            change(body)
            await route.fulfill({ response: answer, json: body })
          })
        await rewrite(/\/elements$/, (body) => {
          body.title = much
          for (const element of body.elements ?? []) Object.assign(element, { name: hostile, heading: hostile })
          Object.assign(body.elements?.[0] ?? {}, { name: much })
        })
        await rewrite(/\/run\/[\w-]{36}$/, (body) => {
          body.output_data = { [hostile]: much }
          for (const error of body.errors ?? []) {
            Object.assign(error, { error_code: hostile, message: much, full_url: `javascript:${hostile}` })
          }
          for (const { payload } of body.events ?? []) {
            Object.assign(payload, { current_step: `${payload.current_step} ${hostile}`, message: much })
          }
        })
        await rewrite(/\/workflows\/[\w-]{36}$/, (body) => {
          body.description = much
          for (const node of body.nodes ?? []) Object.assign(node, { name: `${node.name} ${hostile}`, parameters: {} })
        })
      })
      yield* at("#/author")
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Open orders" }).click()
        await page.getByRole("button", { name: "Point", exact: true }).click()
        await page
          .getByRole("button", { name: /^Choose: .*onerror/ })
          .nth(1)
          .press("Enter")
        await page.getByText("Found by").waitFor()
        assert.isAtMost(Number(await page.evaluate("document.documentElement.scrollWidth")), 320)
      })
      yield* looked("recording-hostile")
      yield* at(`#/workflows/${ids.orders}`)
      yield* Effect.promise(async () => {
        await page.locator(".outline").getByText("onerror").first().waitFor()
        assert.isAtMost(Number(await page.evaluate("document.documentElement.scrollWidth")), 320)
      })
      yield* looked("workflow-hostile")
      yield* at("#/runs?status=execution.failed")
      yield* Effect.promise(async () => {
        await page.getByRole("row").nth(1).getByRole("link").click()
        await page.getByRole("region", { name: "Output as JSON" }).getByText("onerror").waitFor()
        await page.locator(".steps").getByText("onerror").first().waitFor()
        await page.getByRole("button", { name: /^Show all 1,\d{3},\d{3} characters$/ }).waitFor()
        assert.isAtMost(Number(await page.evaluate("document.documentElement.scrollWidth")), 320)
      })
      yield* looked("run-hostile")
      yield* Effect.promise(() => page.unrouteAll({ behavior: "wait" }))
    })
  )

  it.effect("shows hostile names in every view as text", () =>
    Effect.gen(function* () {
      const { complaints, ids, page } = yield* Console
      const named =
        /^(name|title|description|reason|label|message|error_code|event|tags|domain|permissioned_user_id|secret_ref|workspace_name|workflow_name|resource_name|version_note|config_hint|user_agent|key_name|url)$/
      /** A body in which every name and sentence is hostile, and the first one a hundred thousand characters of it. */
      const turned = (body: unknown) => {
        let isFirst = true
        const changed = (value: unknown, isNamed: boolean): unknown => {
          if (Array.isArray(value)) return value.map((one) => changed(one, isNamed))
          if (typeof value === "object" && value !== null) {
            return Object.fromEntries(
              Object.entries(value).map(([name, one]) => [name, changed(one, isNamed || named.test(name))])
            )
          }
          if (!isNamed || typeof value !== "string" || value === "") return value
          const text = `${value} ${isFirst ? hostile.repeat(1_000) : hostile}`
          isFirst = false
          return text
        }
        return changed(body, false)
      }
      yield* at("#/audit")
      yield* Effect.promise(async () => {
        await page.setViewportSize({ width: 320, height: 640 })
        // What was read before has no hostile texts.
        await page.reload()
        await page.getByRole("heading", { name: "Audit" }).waitFor()
      })
      complaints()
      yield* Effect.promise(() =>
        page.route(
          ({ pathname }) => pathname !== "/" && !/^\/console|\/(events|stream)$/.test(pathname),
          async (route) => {
            const answer = await route.fetch()
            const isJson = answer.headers()["content-type"]?.includes("json") === true
            if (route.request().method() !== "GET" || !isJson) return route.fulfill({ response: answer })
            await route.fulfill({ response: answer, json: turned(await answer.json()) })
          }
        )
      )
      const addresses = [
        ...["", "runs", "workflows", "author", "schedules", "vault", "webhooks", "error-codes", "members", "keys"],
        ...["audit", `workflows/${ids.nightly}/window`, `workflows/${ids.orders}/versions`]
      ]
      for (const address of sampled(addresses, 3)) {
        yield* Effect.promise(async () => {
          // The former view has hostile texts, too: it is marked, and waited for until it is gone.
          await page.evaluate("document.querySelector('#content').firstElementChild.dataset.former = ''")
          await page.evaluate(`location.hash = ${JSON.stringify(`#/${address}`)}`)
          await page.locator("[data-former]").waitFor({ state: "detached" })
          await page
            .getByText("onerror")
            .filter({ visible: true })
            .first()
            .waitFor()
            .catch(() => assert.fail(`No hostile text is shown at ${address}`))
          assert.isAtMost(Number(await page.evaluate("document.documentElement.scrollWidth")), 320, address)
          assert.isUndefined(await page.evaluate("window.harmed"))
        })
        assert.deepStrictEqual(complaints(), [], address)
      }
      yield* Effect.promise(async () => {
        await page.evaluate("location.hash = '#/settings'")
        assert.include(await page.getByLabel("Name of the workspace").inputValue(), "onerror")
        await page.unrouteAll({ behavior: "wait" })
      })
    })
  )

  it.effect("fits a screen of 320 pixels and the dark, and forgets everything when it is signed out", () =>
    Effect.gen(function* () {
      const { ids, page } = yield* Console
      yield* Effect.promise(async () => {
        await page.emulateMedia({ colorScheme: "dark" })
        await page.setViewportSize({ width: 320, height: 640 })
      })
      const views = [
        ["home", "#/"],
        ["runs", "#/runs"],
        ["keys", "#/keys"],
        ["author", "#/author"],
        ["workflow", `#/workflows/${ids.orders}`],
        ["audit", "#/audit"],
        ["error-codes", "#/error-codes"],
        ["members", "#/members"],
        ["settings", "#/settings"],
        ["window", `#/workflows/${ids.nightly}/window`]
      ] as const
      for (const [name, address] of sampled(views, 3)) {
        yield* at(address)
        yield* Effect.promise(async () => {
          await page.locator(".section, .list").first().waitFor()
          const wide = await page.evaluate("document.documentElement.scrollWidth")
          assert.isAtMost(Number(wide), 320, name)
        })
        yield* looked(`${name}-small`)
      }
      yield* at("#/author")
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Open orders" }).click()
        await page.getByRole("group", { name: "The page" }).waitFor()
        assert.isAtMost(Number(await page.evaluate("document.documentElement.scrollWidth")), 320)
      })
      yield* looked("recording-small")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Sign out", exact: true }).click()
        await page.getByLabel("API key").waitFor()
        const answer = await page.evaluate("fetch('/me').then(({ status }) => status)")
        assert.strictEqual(answer, 401)
      })
    })
  )
})
