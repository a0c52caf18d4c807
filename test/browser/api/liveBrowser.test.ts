/** Live views of runs that a worker carries out in a real browser. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { type Browser, type Page, chromium as playwright } from "playwright-core"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Attempt from "../../../core/run/Attempt.ts"
import { graphOf, type Step } from "../../support/browser.ts"
import { hangMillis } from "../../support/limits.ts"
import { claim, connect, enter, start, watch } from "../../support/live.ts"
import { executablePath, sharedBrowser } from "../../support/realBrowser.ts"
import { layerInMemory, type Member, Service } from "../../support/service.ts"
import { type Answer, html, serve } from "../../support/site.ts"
import { until } from "../../support/waiting.ts"

/** A run that a worker with a real browser carries out. */
const running = Effect.fnUntraced(function* (pages: Readonly<Record<string, Answer>>, steps: ReadonlyArray<Step>) {
  const { member } = yield* Service
  const site = yield* serve(pages)
  const me = yield* member("Member")
  const session = yield* start(me, { ...graphOf(`${site}/`, steps), video_record_session: true })
  const [claimed] = yield* claim
  if (claimed === undefined) throw new Error("The run was not claimed")
  const worker = AgentExecutor.layer.pipe(Layer.provide(sharedBrowser))
  const fiber = yield* Effect.forkScoped(Attempt.carryOut(claimed).pipe(Effect.provide(worker)))
  return { fiber, me, session, site }
})

/** A browser to watch runs with. */
const watcher = Effect.acquireRelease(
  Effect.promise(() => playwright.launch({ executablePath })),
  (browser) => Effect.promise(() => browser.close())
)

const recordOf = (me: Member, session: string) =>
  Effect.flatMap(Service, ({ send }) => send({ method: "GET", path: `/run/${session}`, key: me.key }))

/** Answers once it is opened. */
const gated = Effect.map(Deferred.make<void>(), (gate) => ({
  answer: ((_request, response) =>
    void Effect.runPromise(Deferred.await(gate)).then(() => response.writeHead(200).end())) satisfies Answer,
  open: Deferred.succeed(gate, undefined)
}))

const eventually = <E, R>(what: string, is: Effect.Effect<boolean, E, R>) => until(what, is, (yes) => yes)

/** A page that waits as long as a test does. */
const newPage = async (browser: Browser) => {
  const page = await browser.newPage()
  page.setDefaultTimeout(hangMillis)
  return page
}

/** The errors of a page, the network included. */
const complaints = (page: Page) => {
  const errors: Array<string> = []
  page.on("pageerror", (error) => errors.push(error.message))
  page.on("console", (message) => void (message.type() === "error" && errors.push(message.text())))
  return errors
}

it.live(
  "the page in a real browser shows the steps and the page of the run as it changes, to several at once, and its end",
  () =>
    Effect.gen(function* () {
      const released = yield* Deferred.make<void>()
      const watching = yield* watcher
      const { fiber, me, session } = yield* running(
        {
          "/": html(`<h1 id=n>0</h1><script>setInterval(() => { n.textContent++ }, 100)</script>`),
          "/gate": (_request, response) =>
            void Effect.runPromise(Deferred.await(released)).then(() => response.writeHead(200).end("<p>done"))
        },
        [{ action: "NAVIGATE", parameters: { url: "/gate" } }]
      )
      const stepped = Effect.map(recordOf(me, session), ({ text }) => text.includes('"current_step":"NAVIGATE 1"'))
      yield* eventually("the second step", stepped)
      const ticket = (yield* enter(session, (yield* connect(me, session)).body.authToken)).body.ticket
      const addresses = [(yield* connect(me, session)).body.url, (yield* connect(me, session)).body.url]
      yield* Effect.promise(async () => {
        const pages = await Promise.all(addresses.map(() => newPage(watching)))
        const errors = pages.map(complaints)
        for (const [index, page] of pages.entries()) {
          await page.goto(String(addresses[index]))
          assert.notInclude(page.url(), "token")
        }
        for (const page of pages) {
          await page.getByText("Running").waitFor()
          await page.getByText("NAVIGATE 1").waitFor()
          await page.locator("#picture").waitFor({ state: "visible" })
          await page.waitForFunction(
            () => Number((document.getElementById("picture") as HTMLElement).dataset.frames) > 5
          )
          await page.waitForFunction(
            () => (document.getElementById("picture") as HTMLImageElement).naturalWidth === 1280
          )
          assert.isTrue(await page.locator("#control").isHidden())
        }
        await Effect.runPromise(Deferred.succeed(released, undefined))
        for (const page of pages) await page.getByText("Succeeded").waitFor()
        assert.deepStrictEqual(errors, [[], []])
      })
      yield* Fiber.join(fiber)
      const { body } = yield* recordOf(me, session)
      assert.strictEqual(body.status, "execution.success")
      // The run was recorded throughout, and its video was announced before its end.
      const names = (body.events as ReadonlyArray<{ event: string }>).map(({ event }) => event)
      assert.deepStrictEqual(names.slice(-2), ["video.uploaded", "execution.success"])
      const [video, ...others] = body.video_urls as ReadonlyArray<{ signed_screen_recording_url: string }>
      assert.lengthOf(others, 0)
      const answer = yield* Effect.promise(() => fetch(video?.signed_screen_recording_url ?? ""))
      assert.deepStrictEqual([answer.status, answer.headers.get("content-type")], [200, "video/webm"])
      const content = Buffer.from(yield* Effect.promise(() => answer.arrayBuffer()))
      assert.strictEqual(content.toString("hex", 0, 4), "1a45dfa3")
      const last = yield* watch(session, ticket, () => false)
      assert.deepInclude(last.told.at(-1), { ended: true, status: "execution.success" })
      assert.lengthOf(last.pictures, 0)
    }).pipe(Effect.scoped, Effect.provide(layerInMemory))
)

it.live(
  "a person takes the run into their own hands from a frame of another site, does a step, and gives it back",
  () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const gate = yield* gated
      const saw: Array<string> = []
      const watching = yield* watcher
      const { fiber, me, session } = yield* running(
        {
          "/": html(`<body style="margin: 0"><input id=word style="position: absolute; left: 100px; top: 100px; width: 400px">
            <button id=go style="position: absolute; left: 100px; top: 300px; width: 200px; height: 80px">Go</button>
            <script>
              const tell = (what) => fetch("/saw?" + encodeURIComponent(what))
              const link = (id) => {
                const made = document.createElement("a")
                made.id = made.textContent = id
                made.onclick = () => tell(id)
                document.body.append(made)
              }
              addEventListener("dblclick", ({ clientX, clientY }) => tell("twice at " + clientX + ", " + clientY))
              go.onclick = () => {
                if (word.value === "Open, Sesamé! 報") link("next")
                tell(word.value)
              }
              fetch("/gate").then(() => link("first"))
            </script>`),
          "/gate": gate.answer,
          "/saw": ({ url = "" }, response) => {
            saw.push(decodeURIComponent(url.split("?")[1] ?? ""))
            response.end()
          }
        },
        [
          { action: "CLICK", parameters: { execution: "STATIC", selector: "//a[@id='first']", wait_time: 90_000 } },
          { action: "CLICK", parameters: { execution: "STATIC", selector: "//a[@id='next']", wait_time: 300 } }
        ]
      )
      const connecting = send({
        method: "GET",
        path: `/live/sessions/${session}/connection?control=true`,
        key: me.key
      })
      const address = String((yield* until("a view of the run", connecting, ({ status }) => status === 200)).body.url)
      const embedding = yield* serve({ "/": html(`<iframe src="${address}" width=1000 height=800></iframe>`) })
      const page = yield* Effect.promise(() => newPage(watching))
      const view = page.frameLocator("iframe")
      yield* Effect.promise(async () => {
        await page.goto(`${embedding.replace("127.0.0.1", "localhost")}/`)
        await view.getByText("CLICK 1").waitFor()
        await view.getByRole("button", { name: "Take control" }).click()
        await view.getByRole("button", { name: "Give back control" }).waitFor()
        await view.locator("#picture").waitFor({ state: "visible" })
        const picture = view.locator("#picture")
        const at = async (left: number, top: number) => {
          const { height, width } = await picture.evaluate((image) => image.getBoundingClientRect())
          return { position: { x: (left / 1280) * width, y: (top / 800) * height } }
        }
        await picture.click(await at(200, 108))
        await page.keyboard.type("Open, Sesam")
        await page.keyboard.type("xy")
        await page.keyboard.press("Backspace")
        await page.keyboard.press("Backspace")
        await picture.evaluate((image) => {
          const data = new DataTransfer()
          data.setData("text", "é! 報")
          image.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }))
        })
        await picture.dblclick(await at(1000, 600))
        await picture.click(await at(200, 340))
      })
      yield* eventually(
        "what was typed",
        Effect.sync(() => saw.length >= 2)
      )
      const [place, ...words] = saw
      const [x = 0, y = 0] = (place ?? "").match(/\d+/g)?.map(Number) ?? []
      assert.closeTo(x, 1000, 2)
      assert.closeTo(y, 600, 2)
      assert.deepStrictEqual(words, ["Open, Sesamé! 報"])
      // The present step ends, and the next does not begin while the person has control.
      yield* gate.open
      yield* eventually(
        "the first click",
        Effect.sync(() => saw.includes("first"))
      )
      for (let look = 0; look < 10; look++) {
        const { text } = yield* recordOf(me, session)
        assert.notInclude(text, '"current_step":"CLICK 2"')
      }
      yield* Effect.promise(() => view.getByRole("button", { name: "Give back control" }).click())
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(saw.slice(2), ["first", "next"])
      yield* Effect.promise(() => view.getByText("Succeeded").waitFor())
      const { body, text } = yield* recordOf(me, session)
      assert.strictEqual(body.status, "execution.success")
      const events = body.events as ReadonlyArray<{ event: string; payload: Record<string, unknown> }>
      assert.deepStrictEqual(
        events.flatMap(({ event, payload }) =>
          event.startsWith("control.") ? [[event, payload.user_id, payload.reason]] : []
        ),
        [
          ["control.taken", me.caller.userId, undefined],
          ["control.returned", me.caller.userId, "released"]
        ]
      )
      assert.notInclude(text, "Sesam")
    }).pipe(Effect.scoped, Effect.provide(layerInMemory))
)

it.live(
  "what a person sets off, dialogs and file choosers, does not get in their way, and no key stays down when they are gone",
  () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const saw: Array<string> = []
      const gate = yield* gated
      const button = (id: string, left: number, script: string) =>
        `<button id=${id} style="position: absolute; left: ${left}px; top: 100px; width: 80px; height: 40px"
          onclick="${script}; tell('${id}')">${id}</button>`
      const { fiber, me, session } = yield* running(
        {
          "/": html(`<body style="margin: 0">${button("alert", 100, "alert(1)")}${button("confirm", 200, "confirm(1)")}
            ${button("prompt", 300, "prompt(1, 2)")}${button("chooser", 400, "file.click()")}
            ${button("print", 500, "print()")}<input type=file id=file style="position: absolute; top: 300px">
            <button id=go style="position: absolute; left: 100px; top: 400px; width: 200px"
              onclick="tell('shift=' + event.shiftKey)">go</button>
            <script>
              let told = Promise.resolve()
              const tell = (what) => { told = told.then(() => fetch("/saw?" + what)) }
              addEventListener("keydown", () => tell("down"))
              addEventListener("keyup", () => tell("up"))
              fetch("/gate").then(() => document.body.append(Object.assign(document.createElement("p"), { id: "over" })))
            </script>`),
          "/gate": gate.answer,
          "/saw": ({ url = "" }, response) => {
            saw.push(url.split("?")[1] ?? "")
            response.end()
          }
        },
        [
          {
            action: "SCROLL",
            parameters: { execution: "STATIC", scroll_mode: "to-element", xpath: "//p[@id='over']", wait_time: 60_000 }
          },
          { action: "CLICK", parameters: { execution: "STATIC", selector: "css=#go", wait_time: 10_000 } }
        ]
      )
      yield* eventually(
        "the first step",
        Effect.map(recordOf(me, session), ({ text }) => text.includes('"current_step":"SCROLL 1"'))
      )
      const connected = yield* send({
        method: "GET",
        path: `/live/sessions/${session}/connection?control=true`,
        key: me.key
      })
      const { ticket } = (yield* enter(session, connected.body.authToken)).body
      const holder = "h".repeat(20)
      const post = (what: string, json: unknown) =>
        send({ method: "POST", path: `/live/${session}/${what}`, headers: { authorization: `Bearer ${ticket}` }, json })
      /** Acts until the page has seen it: on a busy machine a gesture may be given up as one that a page does not answer. */
      const act = (seen: string, gestures: ReadonlyArray<object>) =>
        eventually(
          seen,
          Effect.gen(function* () {
            assert.strictEqual((yield* post("control", { action: "take", holder })).status, 200)
            assert.strictEqual((yield* post("gestures", { holder, gestures })).status, 200)
            const sees = eventually(
              seen,
              Effect.sync(() => saw.includes(seen))
            )
            return Option.isSome(yield* Effect.timeoutOption(sees, "5 seconds"))
          })
        )
      const names = ["alert", "confirm", "prompt", "chooser", "print"]
      for (const [index, name] of names.entries()) {
        const at = { x: (140 + 100 * index) / 1_280, y: 120 / 800, button: "left", clicks: 1 }
        yield* act(name, [
          { kind: "press", ...at },
          { kind: "release", ...at }
        ])
      }
      yield* act("down", [{ kind: "key_down", key: "Shift" }])
      yield* post("control", { action: "release", holder })
      yield* gate.open
      yield* Fiber.join(fiber)
      yield* eventually(
        "the last click",
        Effect.sync(() => saw.includes("shift=false"))
      )
      assert.strictEqual((yield* recordOf(me, session)).body.status, "execution.success")
      assert.deepStrictEqual(saw.slice(-3), ["down", "up", "shift=false"])
    }).pipe(Effect.scoped, Effect.provide(layerInMemory))
)

it.live("the video of an attempt that is interrupted is kept and told of", () =>
  Effect.gen(function* () {
    const { fiber, me, session } = yield* running(
      { "/": html(`<h1 id=n>0</h1><script>setInterval(() => { n.textContent++ }, 100)</script>`) },
      [{ action: "DELAY", parameters: { delay_time: 60 } }]
    )
    const steps = Effect.map(recordOf(me, session), ({ text }) => text.includes('"current_step":"DELAY 1"'))
    yield* eventually("the first step", steps)
    const { ticket } = (yield* enter(session, (yield* connect(me, session)).body.authToken)).body
    yield* watch(session, ticket, (_told, pictures) => pictures > 5)
    yield* Fiber.interrupt(fiber)
    const { body } = yield* recordOf(me, session)
    assert.include(
      (body.events as ReadonlyArray<{ event: string }>).map(({ event }) => event),
      "video.uploaded"
    )
    const [video] = body.video_urls as ReadonlyArray<{ signed_screen_recording_url: string }>
    const answer = yield* Effect.promise(() => fetch(video?.signed_screen_recording_url ?? ""))
    assert.strictEqual(Buffer.from(yield* Effect.promise(() => answer.arrayBuffer())).toString("hex", 0, 4), "1a45dfa3")
  }).pipe(Effect.scoped, Effect.provide(layerInMemory))
)
