/** Runs one after the other on the same browser, and browsers one after the other. */

import { spawn } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { hostname, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import * as Confinement from "../../../adapters/playwright/Confinement.ts"
import * as LocalChromium from "../../../adapters/playwright/LocalChromium.ts"
import * as PlaywrightBrowser from "../../../adapters/playwright/PlaywrightBrowser.ts"
import * as Processes from "../../../adapters/playwright/Processes.ts"
import type { Outcome } from "../../../core/agent/Outcome.ts"
import * as Session from "../../../core/browser/Session.ts"
import * as Json from "../../../core/workspace/Json.ts"
import { graphOf, type Step, walk } from "../../support/browser.ts"
import { chromiumsOf } from "../../support/chromiums.ts"
import { chromiumPath, executablePath } from "../../support/realBrowser.ts"
import { html, serve } from "../../support/site.ts"
import { until } from "../../support/waiting.ts"

const confinements = Confinement.plans(executablePath, null)

const browser = (allowedOrigins: ReadonlyArray<string>, options: Partial<PlaywrightBrowser.Options> = {}) =>
  Layer.fresh(PlaywrightBrowser.layer({ ...PlaywrightBrowser.defaults, executablePath, allowedOrigins, ...options }))

const click: Step = { action: "CLICK", parameters: { selector: "css=#leave" } }
const text: Step = {
  action: "EXTRACT_DATAMODEL",
  parameters: {
    execution: "STATIC",
    extract_data_model: {
      type: "object",
      properties: { left: { type: "string", path: "//p[@id='left']" } }
    }
  }
}
const settled: Step = { action: "CLICK", parameters: { selector: "css=#settled", wait_time: 10_000 } }

/** Leaves something of every kind that browsers keep, and shows what of them is there. */
const keeping = html(`<button id=leave>leave</button><p id=left></p><script>
  const show = async () => {
    const left = []
    if (document.cookie !== "") left.push("cookie")
    if (localStorage.length > 0) left.push("localStorage")
    if (sessionStorage.length > 0) left.push("sessionStorage")
    if ((await indexedDB.databases()).length > 0) left.push("indexedDB")
    if ((await caches.keys()).length > 0) left.push("cache")
    if ((await navigator.serviceWorker.getRegistrations()).length > 0) left.push("service worker")
    if (navigator.serviceWorker.controller !== null) left.push("controller")
    if (window.name !== "") left.push("name")
    if (history.length > 2) left.push("history")
    if ((await navigator.permissions.query({ name: "geolocation" })).state !== "prompt") left.push("permission")
    if (await navigator.storage.getDirectory().then((root) => root.getFileHandle("f")).then(() => true, () => false)) left.push("file")
    const stored = await fetch("/stored").then((answer) => answer.text())
    if (stored !== await fetch("/now").then((answer) => answer.text())) left.push("HTTP cache")
    if ((await fetch("/door")).status === 200) left.push("HTTP password")
    document.querySelector("#left").textContent = left.join(", ") || "nothing"
    const settled = document.createElement("button")
    settled.id = "settled"
    settled.textContent = "settled"
    document.body.append(settled)
  }
  document.querySelector("#leave").onclick = async () => {
    document.querySelector("#settled")?.remove()
    document.cookie = "a=1; max-age=1000"
    localStorage.a = 1
    sessionStorage.a = 1
    window.name = "named"
    indexedDB.open("a")
    await caches.open("a")
    await navigator.serviceWorker.register("/worker.js")
    const root = await navigator.storage.getDirectory()
    await root.getFileHandle("f", { create: true })
    await show()
  }
  show()
</script>`)

const site = Effect.gen(function* () {
  let count = 0
  return yield* serve({
    "/": keeping,
    "/worker.js": (_request, response) => void response.writeHead(200, { "content-type": "text/javascript" }).end(""),
    "/stored": (_request, response) =>
      void response.writeHead(200, { "cache-control": "max-age=1000" }).end(String(++count)),
    "/now": (_request, response) => void response.end(String(count)),
    "/door": (_request, response) => void response.writeHead(403).end()
  })
})

const leftOf = (outcome: Outcome) =>
  outcome._tag === "Success" ? Json.objectOf(outcome.data).left : outcome.failure.message

describe("runs one after the other", () => {
  it.live("find nothing of each other in the browser", () =>
    Effect.gen(function* () {
      const origin = yield* site
      yield* Effect.gen(function* () {
        const first = yield* walk(graphOf(`${origin}/`, [settled, click, settled, text]))
        assert.strictEqual(
          leftOf(first.outcome),
          "cookie, localStorage, sessionStorage, indexedDB, cache, service worker, name, file"
        )
        const second = yield* walk(graphOf(`${origin}/`, [settled, text]))
        assert.strictEqual(leftOf(second.outcome), "nothing")
      }).pipe(Effect.provide(browser([origin])))
    }).pipe(Effect.scoped)
  )

  it.live("get another browser after a number of runs, while those that run keep theirs", () =>
    Effect.gen(function* () {
      const origin = yield* serve({ "/": html("<p id=left>x</p>") })
      const before = chromiumsOf(process.pid)
      yield* Effect.gen(function* () {
        const long = yield* Effect.forkChild(
          walk(graphOf(`${origin}/`, [{ action: "DELAY", parameters: { delay_time: 3 } }, text]))
        )
        for (let run = 0; run < 6; run++) {
          assert.strictEqual(leftOf((yield* walk(graphOf(`${origin}/`, [text]))).outcome), "x")
        }
        assert.strictEqual(leftOf((yield* Fiber.join(long)).outcome), "x")
        // Those that were replaced have closed.
        yield* until(
          "the end of all browsers but one",
          Effect.sync(() => chromiumsOf(process.pid)),
          ({ length }) => length <= before.length + 1
        )
      }).pipe(Effect.provide(browser([origin], { runsPerBrowser: 2 })))
      assert.deepStrictEqual(chromiumsOf(process.pid), before)
    }).pipe(Effect.scoped)
  )

  it.live("leave no browser behind for the page that was prepared in it", () =>
    Effect.gen(function* () {
      const origin = yield* serve({ "/": html("<p id=left>x</p>") })
      const before = chromiumsOf(process.pid)
      yield* Effect.gen(function* () {
        const session = { ...Session.empty, userAgent: "Another" }
        yield* walk(graphOf(`${origin}/`, [text]))
        // Its context is none of the prepared ones, and the browser has had its runs.
        assert.strictEqual(leftOf((yield* walk(graphOf(`${origin}/`, [text]), {}, { session })).outcome), "x")
        yield* until(
          "the end of the first browser",
          Effect.sync(() => chromiumsOf(process.pid)),
          ({ length }) => length <= before.length + 1
        )
      }).pipe(Effect.provide(browser([origin], { runsPerBrowser: 2 })))
    }).pipe(Effect.scoped)
  )

  it.live("get another browser when that one takes too much memory", () =>
    Effect.gen(function* () {
      const origin = yield* serve({ "/": html("<p id=left>x</p>") })
      const before = chromiumsOf(process.pid)
      yield* Effect.gen(function* () {
        const [first = 0] = chromiumsOf(process.pid).filter((pid) => !before.includes(pid))
        // Every browser takes more than this.
        const run = Effect.map(walk(graphOf(`${origin}/`, [text])), ({ outcome }) => {
          assert.strictEqual(leftOf(outcome), "x")
          return chromiumsOf(process.pid)
        })
        yield* until("the end of the first browser", run, (pids) => !pids.includes(first))
      }).pipe(Effect.provide(browser([origin], { memoryPerBrowser: 1 })))
    }).pipe(Effect.scoped)
  )

  it.live("end when their browser is killed, and the next one has another", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const origin = yield* serve({
        "/": html("<p id=left>x</p><script src=/arrived></script>"),
        "/arrived": (_request, response) => {
          Effect.runSync(Deferred.succeed(arrived, undefined))
          response.end()
        }
      })
      const before = chromiumsOf(process.pid)
      yield* Effect.gen(function* () {
        const running = yield* Effect.forkChild(
          walk(
            graphOf(`${origin}/`, [{ action: "CLICK", parameters: { selector: "css=#nothing", wait_time: 30_000 } }])
          )
        )
        yield* Deferred.await(arrived)
        // Not that of other tests, which would then start another one among these.
        for (const pid of chromiumsOf(process.pid)) if (!before.includes(pid)) process.kill(pid, "SIGKILL")
        const { outcome } = yield* Fiber.join(running)
        assert.strictEqual(outcome._tag === "Failed" ? outcome.failure.code : "none", "BROWSER-E0001")
        assert.strictEqual(leftOf((yield* walk(graphOf(`${origin}/`, [text]))).outcome), "x")
      }).pipe(Effect.provide(browser([origin])))
    }).pipe(Effect.scoped)
  )
})

/** The processes that have a folder in their arguments or their environment. */
const processesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync("/proc").filter((name) => {
    try {
      const of = (file: string) => readFileSync(`/proc/${name}/${file}`, "utf8").includes(folder)
      return /^\d+$/.test(name) && (of("cmdline") || of("environ"))
    } catch {
      return false
    }
  })

describe("the folders of browsers", () => {
  it.live("go with them", () =>
    Effect.gen(function* () {
      const local = yield* Effect.promise(() => LocalChromium.start(executablePath, [], confinements))
      const folder = dirname(local.downloads)
      const { pid, profile } = JSON.parse(readFileSync(join(folder, "owner.json"), "utf8"))
      assert.strictEqual(pid, process.pid)
      assert.isTrue(existsSync(profile))
      yield* Effect.promise(() => local.close())
      assert.isFalse(existsSync(profile))
      assert.isFalse(existsSync(folder))
    })
  )

  it.live.skipIf(process.platform !== "linux")(
    "have all that it writes, and no process is left when it is killed",
    () =>
      Effect.gen(function* () {
        const usual = process.env.TMPDIR
        const place = yield* Effect.acquireRelease(
          // A socket of the browser stands in there, whose path may not be long.
          Effect.sync(() => mkdtempSync("/tmp/s-")),
          (path) =>
            Effect.sync(() => {
              if (usual === undefined) delete process.env.TMPDIR
              else process.env.TMPDIR = usual
              rmSync(path, { recursive: true })
            })
        )
        chmodSync(place, 0o711)
        process.env.TMPDIR = place
        const local = yield* Effect.acquireRelease(
          Effect.promise(() => LocalChromium.start(chromiumPath, [], confinements)),
          ({ close }) => Effect.promise(close)
        )
        const origin = yield* serve({ "/": html("<p>x</p>") })
        const page = yield* Effect.promise(async () => (await local.chromium.newContext()).newPage())
        const answer = yield* Effect.promise(() => page.goto(`${origin}/`))
        assert.strictEqual(answer?.status(), 200)
        const folder = dirname(local.downloads)
        assert.isNotEmpty(readdirSync(join(folder, "tmp")))
        const beside = readdirSync(place).map((name) => name.replace(/-[^-]*$/, ""))
        assert.deepStrictEqual(beside.sort(), ["playwright_chromiumdev_profile", "sluice-browser"])
        const alive = () => processesOf(folder)
        assert.isAtLeast(alive().length, 3)
        process.kill(-local.pid, "SIGKILL")
        yield* Effect.promise(() => local.close())
        yield* until("the end of all its processes", Effect.sync(alive), ({ length }) => length === 0)
      }).pipe(Effect.scoped)
  )

  it.live("that a killed process left behind are removed at the next start, and no others", () =>
    Effect.gen(function* () {
      const made = ["dead", "alive", "elsewhere", "unknown"].map((name) => {
        const folder = join(tmpdir(), `sluice-browser-test-${process.pid}-${name}`)
        const profile = join(tmpdir(), `playwright_chromiumdev_profile-test-${process.pid}-${name}`)
        for (const path of [folder, profile]) mkdirSync(path, { recursive: true })
        return { name, folder, profile }
      })
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          for (const { folder, profile } of made) {
            for (const path of [folder, profile]) rmSync(path, { recursive: true, force: true })
          }
        })
      )
      const birth = readFileSync("/proc/self/stat", "utf8").replace(/^.*\)/s, "").split(" ")[20] ?? ""
      const own = (host: string, pid: number, born: string, index: number) =>
        writeFileSync(
          join(made[index]?.folder ?? "", "owner.json"),
          JSON.stringify({ host, pid, birth: born, profile: made[index]?.profile })
        )
      own(hostname(), process.pid, "1", 0)
      own(hostname(), process.pid, birth, 1)
      own("another-machine", process.pid, "1", 2)
      LocalChromium.sweep()
      const left = made.filter(({ folder, profile }) => existsSync(folder) && existsSync(profile))
      assert.deepStrictEqual(
        left.map(({ name }) => name),
        ["alive", "elsewhere", "unknown"]
      )
      assert.isFalse(existsSync(made[0]?.profile ?? ""))
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(process.platform !== "linux")("have their processes ended with them, and no others", () =>
    Effect.gen(function* () {
      const started = (birth: string) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const folder = mkdtempSync(join(tmpdir(), "sluice-browser-"))
            const owner = { host: hostname(), pid: process.pid, birth, profile: null }
            writeFileSync(join(folder, "owner.json"), JSON.stringify(owner))
            // As the crash handlers of a browser: no others are in its group.
            const child = spawn("sleep", ["600"], {
              detached: true,
              env: { ...process.env, TMPDIR: join(folder, "tmp") }
            })
            return { child, folder }
          }),
          ({ child, folder }) =>
            Effect.sync(() => {
              child.kill("SIGKILL")
              rmSync(folder, { recursive: true, force: true })
            })
        )
      const dead = yield* started("1")
      const alive = yield* started(Processes.birthOf(process.pid) ?? "")
      LocalChromium.sweep()
      yield* until(
        "its end",
        Effect.sync(() => dead.child.signalCode),
        (signal) => signal === "SIGKILL"
      )
      assert.isFalse(existsSync(dead.folder))
      assert.isTrue(existsSync(alive.folder))
      assert.isNull(alive.child.signalCode)
    }).pipe(Effect.scoped)
  )
})

describe("a browser of this machine", () => {
  it("gets nothing of the settings of the service, and a locale in which names of files can be written", () => {
    const own = {
      PATH: "/bin",
      SLUICE_MASTER_KEY: "secret",
      DATABASE_URL: "postgres://u:p@h/d",
      AWS_SECRET_ACCESS_KEY: "x",
      NPM_TOKEN: "x",
      DBUS_SESSION_BUS_ADDRESS: "unix:path=/run/bus",
      LC_TOKEN_1: "x"
    }
    assert.deepStrictEqual(LocalChromium.environmentOf(own), { PATH: "/bin", LC_ALL: "C.UTF-8" })
    const german = { LANG: "de_DE.UTF-8", LC_ALL: "" }
    assert.deepStrictEqual(LocalChromium.environmentOf(german), german)
    assert.strictEqual(LocalChromium.environmentOf({ LANG: "de_DE.UTF-8", LC_ALL: "C" }).LC_ALL, "C.UTF-8")
  })

  it.live("does without all that Playwright names, and opens no page beside one that is asked for", () =>
    Effect.gen(function* () {
      const local = yield* Effect.acquireRelease(
        Effect.promise(() => LocalChromium.start(executablePath, [], confinements)),
        ({ close }) => Effect.promise(close)
      )
      const named = Processes.wordsOf(local.pid).flatMap((word) => {
        const [name, features = ""] = word.split("=")
        return name === "--disable-features" ? [features.split(",")] : []
      })
      // The last switch of a name is the one that counts.
      assert.includeMembers(named.at(-1) ?? [], named.flat())
      assert.isAtLeast(named.length, 2)
      yield* Effect.promise(async () => {
        await (await local.chromium.newContext()).newPage()
        await (await local.chromium.newContext()).newPage()
        const { targetInfos } = await (await local.chromium.newBrowserCDPSession()).send("Target.getTargets")
        assert.deepStrictEqual(
          targetInfos.map(({ type, url }) => [type, url]),
          [
            ["page", "about:blank"],
            ["page", "about:blank"]
          ]
        )
      })
    }).pipe(Effect.scoped)
  )
})
