import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ElementMemory from "../../../core/agent/recovery/ElementMemory.ts"
import { Browser } from "../../../core/browser/Browser.ts"
import * as Session from "../../../core/browser/Session.ts"
import { graphOf, type Step, walk } from "../../support/browser.ts"
import { inBrowser } from "../../support/realBrowser.ts"
import { isAll, sampled } from "../../support/scale.ts"
import { type Answer, html, serve } from "../../support/site.ts"

const done = `<h1>Done</h1>`

/** Later than a wait for an element, also where that begins late on a busy machine; a late page is waited for for 20 s. */
const lateMillis = 8_000

/** A form is hidden by fields with the names of what it has as an element. */
const hiding = ["id", "children", "attributes"].map((name) => `<input type="hidden" name="${name}" value="7">`).join("")

const order = (id: string, more = "") => `
  <section><h2>Advertisement</h2><button type="button" onclick="document.title='decoy'">Place your orders here</button></section>
  <form action="/done">${hiding}<fieldset><legend>Your order</legend><p>Total 12.50</p>${more}
  <button type="submit" id="${id}">Place order</button></fieldset></form>`

const banner = (inner: string) => `
  <a id="go" href="/done" style="position:absolute;bottom:20px;left:20px">Go</a>
  <div id="wall" style="position:fixed;inset:auto 0 0 0;height:200px;background:#eee;z-index:99">${inner}</div>`

const gone = `document.getElementById('wall').remove()`

/** A page that is busy at first, and then has what it was busy with; or the other way round. */
const changing = (from: string, to: string) => `<p id="place">${from}</p>
  <script>setTimeout(() => { document.getElementById('place').innerHTML = '${to}' }, 150)</script>`

const spinner = '<i class="spinner">.</i>'

const link = '<a id="go" href="/done">Go</a>'

const address = `
  <form novalidate onsubmit="event.preventDefault()
    const root = this.getRootNode()
    const zip = root.getElementById('zip')
    if (/^[0-9]{5}$/.test(zip.value)) location = '/done'
    else { zip.setAttribute('aria-invalid', 'true'); root.getElementById('why').hidden = false }">
    <label for="name">Name</label><input id="name">
    <label for="zip">ZIP</label><input id="zip" aria-describedby="why">
    <span id="why" class="field-error" hidden>The ZIP code has 5 digits</span>
    <button id="send">Send</button></form>`

/** The same form, which is sent by a script that takes longer than the wait for what follows. */
const slowly = address.replace("location = '/done'", "fetch('/slow').then(() => { location = '/done' })")

/** The same form, whose next page takes longer than the wait for what is on it. */
const towardsSlow = address.replace("location = '/done'", "location = '/late/done'")

const coupon = (id: string) => `
  <form action="/done"><div><label for="email1">Email</label><input id="email1"></div>
  <div><label for="coupon1">Coupon code</label><input id="${id}"></div><button>Send</button></form>`

const contact = (id: string) => `
  <form action="/done"><h2>Properties</h2>
  <div class="row"><label for="ff_firstname">First Name</label><div><input id="ff_firstname" name="_firstname"></div></div>
  <div class="row"><label for="ff_surname">Last Name</label><div><input id="${id}" name="_surname" required></div></div>
  <button>Save</button></form>`

const signIn = (buttons: string) => `
  <form action="/done"><label>User <input name="user"></label><label>Password <input type="password" name="pass"></label>
  ${buttons}</form>`

const pages: Record<string, Answer> = {
  "/done": html(done),
  "/coupon": html(coupon("coupon1")),
  "/coupon/renamed": html(coupon("q7x")),
  "/contact": html(contact("ff_surname")),
  "/contact/renamed": html(contact("ff_surname-4711")),
  "/signin": html(signIn(`<button id="in">Log in</button>`)),
  "/signin/reworded": html(
    signIn(
      `<button type="button" onclick="location='/bought'">Log in help</button><button id="q7x">Log in now</button>`
    )
  ),
  "/cookies": html(
    banner(`<p>We use cookies</p><button onclick="location='/bought'">Buy now</button>
      <button onclick="${gone}">Alle akzeptieren</button>`)
  ),
  "/modal": html(`
    <button id="go" onclick="location='/done'">Go</button>
    <div style="position:fixed;inset:0;background:#0008;z-index:50" id="wall">
      <div role="dialog" aria-modal="true" style="position:fixed;top:100px;left:100px;background:#fff">
        <p>Get 10% off</p><button onclick="location='/bought'">Subscribe</button>
        <button class="modal-close" onclick="${gone}"><svg width="10" height="10"></svg></button>
      </div>
    </div>`),
  "/native": html(`
    <button id="go" onclick="location='/done'">Go</button>
    <dialog id="wall"><p>Something new</p><button onclick="location='/bought'">Continue</button></dialog>
    <script>document.getElementById('wall').showModal()</script>`),
  "/shadow": html(`
    <a id="go" href="/done" style="position:absolute;bottom:20px;left:20px">Go</a><div id="host"></div>
    <script>
      const root = document.getElementById('host').attachShadow({ mode: 'open' })
      root.innerHTML = '<div style="position:fixed;inset:auto 0 0 0;height:200px;background:#eee;z-index:99">Cookies <button>Reject all</button></div>'
      root.querySelector('button').onclick = () => document.getElementById('host').remove()
    </script>`),
  "/framed": html(`
    <a id="go" href="/done" style="position:absolute;bottom:20px;left:20px">Go</a>
    <iframe id="wall" title="Consent" sandbox="allow-scripts" style="position:fixed;inset:auto 0 0 0;height:300px;width:100%;background:#eee"
      srcdoc="<p>Cookies</p><button onclick='parent.postMessage(1, &quot;*&quot;)'>Reject all</button>"></iframe>
    <script>onmessage = () => { ${gone} }</script>`),
  // The notice is there before what it says and offers.
  "/framed/late": html(`
    <a id="go" href="/done" style="position:absolute;bottom:20px;left:20px">Go</a><script>
      onmessage = () => { ${gone} }
      onload = () => document.body.insertAdjacentHTML("beforeend",
        '<iframe id="wall" title="Consent" src="/consent" style="position:fixed;inset:auto 0 0 0;height:300px;width:100%;background:#eee"></iframe>')
    </script>`),
  "/consent": (_request, response) =>
    void setTimeout(
      () =>
        response
          .writeHead(200, { "content-type": "text/html" })
          .end(`<p>Cookies</p><button onclick='parent.postMessage(1, "*")'>Reject all</button>`),
      5_000
    ),
  "/within": html(`<iframe src="/cookies" style="width:90%;height:500px"></iframe>
    <div id="wall" style="position:fixed;inset:0;background:#eee;z-index:99">News <button onclick="${gone}">Close</button></div>`),
  // A bar above each page, a folder and files with names like complaints, a message of success, and a dialog of the task itself.
  "/own": html(`
    <div id="adminbar" style="position:fixed;inset:0 0 auto 0;height:32px;background:#222"><a href="#site">My site</a></div>
    <ul style="margin-top:60px"><li id="errors">errors</li><li><a class="error-folder" href="#errors">errors</a></li></ul>
    <p role="alert">1 row deleted.</p>
    <p class="dangerousLink"><a href="#file">Sheaf of rye.txt</a></p><p class="error-log">harvest.csv</p>
    <button id="add" onclick="document.getElementById('task').show()">Add</button>
    <dialog id="task"><label>Name <input id="name"></label><button onclick="document.getElementById('task').close()">Close</button></dialog>`),
  "/wall": html(banner(`<p>Choose an account</p><button onclick="${gone}">Private</button><button>Business</button>`)),
  "/order": html(order("order-1")),
  "/moved": html(`<main><aside>News</aside>${order("buy-now-4711", "<p>Thank you</p>")}</main>`),
  "/twice": html(order("a") + order("b")),
  "/late": html(`
    <div class="loading-spinner" id="spin" style="width:20px;height:20px">.</div>
    <script>setTimeout(() => { document.getElementById('spin').remove()
      document.body.insertAdjacentHTML('beforeend', '<a id="go" href="/done">Go</a>') }, ${lateMillis})</script>`),
  "/busy": html(`<div class="loading-spinner" style="width:20px;height:20px">.</div>`),
  "/fetching": html(`
    <p>Orders</p><script>fetch('/slow').then(() =>
      document.body.insertAdjacentHTML('beforeend', '<a id="go" href="/done">Go</a>'))</script>`),
  "/slow": (_request, response) => void setTimeout(() => response.writeHead(200).end("{}"), lateMillis),
  "/form": html(address),
  "/form/framed": html(`<h2>Shop</h2><iframe src="/form"></iframe>`),
  "/form/shadowed": html(`<h2>Shop</h2><div id="host"></div>
    <script>document.getElementById('host').attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(address)}</script>`),
  "/form/slow": html(slowly),
  "/form/late": html(towardsSlow),
  "/form/polling": html(`${address}<script>(async () => { for (;;) await fetch('/news') })()</script>`),
  "/news": (_request, response) => void setTimeout(() => response.writeHead(200).end("{}"), 2_000),
  "/late/done": (_request, response) =>
    void setTimeout(() => response.writeHead(200, { "content-type": "text/html" }).end(done), lateMillis),
  "/password": html(`<h1>Your password has expired</h1><p>Choose a new password</p>
    <input type="password" name="new"><input type="password" name="confirm">`),
  "/maintenance": html(`<h1>We will be back soon</h1><p>The shop is under maintenance.</p>`)
}

type Options = Parameters<typeof walk>[2]

const click = (selector: string, more = {}): Step => ({
  action: "CLICK",
  parameters: { selector, wait_time: 20_000, ...more }
})

const type = (selector: string, text: string): Step => ({ action: "INPUT_TEXT", parameters: { selector, text } })

const read: Step = {
  action: "EXTRACT_DATAMODEL",
  parameters: {
    selector: "//h1",
    wait_time: 20_000,
    extract_data_model: { type: "object", properties: { title: { type: "string", path: "//h1" } } }
  }
}

/** Walks graphs on the pages, and on a server that answers 503 at first. */
const onPages = <A, E>(
  test: (
    run: (
      path: string,
      steps: ReadonlyArray<Step>,
      options?: Options,
      inputs?: Record<string, string>
    ) => ReturnType<typeof walk>
  ) => Effect.Effect<A, E, Browser>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      let refusals = 2
      const flaky: Answer = (_request, response) =>
        void (refusals-- > 0
          ? response.writeHead(503).end()
          : response.writeHead(200, { "content-type": "text/html" }).end(done))
      const site = yield* serve({ ...pages, "/flaky": flaky })
      return yield* test((path, steps, options, inputs) => walk(graphOf(`${site}${path}`, steps), inputs, options))
    })
  ).pipe(inBrowser)

const succeeded = (seen: Effect.Success<ReturnType<typeof walk>>) => {
  if (seen.outcome._tag === "Failed")
    assert.fail(`${seen.outcome.failure.message} after ${JSON.stringify(seen.analyses)}`)
  assert.deepStrictEqual(seen.outcome.data, { title: "Done" })
  return seen
}

describe.concurrent("recovery in a real browser", () => {
  it.live("pop-ups of every make are dismissed, and never by what commits to something", () =>
    onPages((run) =>
      Effect.gen(function* () {
        const recovery = { popups: true }
        // Something lies over it.
        const soon = click("//*[@id='go']", { wait_time: 3_000 })
        const paths = sampled(["/cookies", "/modal", "/native", "/shadow", "/framed", "/framed/late", "/within"], 3)
        const walked = yield* Effect.forEach(
          paths,
          (path) => Effect.map(run(path, [soon, read], { recovery }), (seen) => ({ path, seen })),
          { concurrency: 2 }
        )
        for (const { path, seen } of walked) {
          const { analyses, offers } = succeeded(seen)
          assert.deepStrictEqual(
            analyses.map(({ kind, outcome }) => [kind, outcome]),
            // One lies over the page, and another in its frame.
            path === "/within"
              ? [
                  ["popup", "failure"],
                  ["popup", "success"]
                ]
              : [["popup", "success"]],
            path
          )
          const offered = offers.map(({ after }) => after)
          if (path === "/cookies") assert.deepStrictEqual(offered, ['//button[normalize-space()="Alle akzeptieren"]'])
          if (path === "/framed") {
            assert.deepStrictEqual(offered, ['//iframe[@id="wall"]//button[normalize-space()="Reject all"]'])
          }
        }
        const foreseen = {
          popups: true,
          popupXpaths: ["//div[@id='wall']//button[lower-case(.)='alle akzeptieren']", "//button[.='Alle akzeptieren']"]
        }
        const person = {
          ask: () => Effect.succeed(null),
          correct: () => Effect.succeed({ _tag: "action", action: "action_1" } as const)
        }
        const steps = [soon, read]
        const [known, blocked, helped] = yield* Effect.all(
          [
            run("/cookies", steps, { recovery: foreseen }),
            run("/wall", steps, { recovery }),
            run("/wall", steps, { recovery, person, correctable: true })
          ],
          { concurrency: 2 }
        )
        assert.deepStrictEqual(
          succeeded(known).analyses.map(({ kind }) => kind),
          ["popup_xpaths"]
        )
        succeeded(helped)
        if (blocked.outcome._tag === "Success") return assert.fail("nothing should have been pressed")
        assert.deepInclude(blocked.outcome.failure, { category: "UNEXPECTED_UI_STATE", subType: "DECISION_REQUIRED" })
      })
    )
  )

  it.live(
    "a bar, a folder, files, good news and the workflow's own dialog are neither dismissed nor given as a cause",
    () =>
      onPages((run) =>
        Effect.gen(function* () {
          const steps = [
            click("//button[@id='add']"),
            type("//input[@id='name']", "Ada"),
            click("//button[@id='gone']", { wait_time: 3_000 })
          ]
          const { analyses, outcome } = yield* run("/own", steps, { recovery: { popups: true } })
          if (outcome._tag === "Success") return assert.fail("there is no such button")
          assert.strictEqual(outcome.failure.category, "XPATH_INCORRECT")
          assert.deepStrictEqual(
            analyses.filter(({ kind }) => kind === "popup"),
            []
          )
          for (const word of ["My site", "errors", "row deleted", "Sheaf", "harvest", "pop-up", "dialog"]) {
            assert.notInclude(analyses.map(({ classification }) => classification.description).join(), word)
          }
        })
      )
  )

  it.live(
    "a field with a label for its old id, and the only button of a sign-in form under another id and text, are found",
    () =>
      onPages((run) =>
        Effect.gen(function* () {
          const recovery = { selectors: true }
          const fill = (id: string): Step => ({
            action: "INPUT_TEXT",
            parameters: { selector: `//input[@id='${id}']`, text: "HALF", wait_time: 5_000 }
          })
          const changes = [
            ["/coupon", "/coupon/renamed", [fill("coupon1"), click("//button"), read]],
            // The form is not sent without this field.
            ["/contact", "/contact/renamed", [fill("ff_surname"), click("//button"), read]],
            ["/signin", "/signin/reworded", [click("//button[@id='in']", { wait_time: 5_000 }), read]]
          ] as const
          for (const [before, after, steps] of sampled(changes, 3)) {
            const first = yield* ElementMemory.of(Effect.succeed([]))
            succeeded(yield* run(before, steps, { recovery, memories: first.memories }))
            const { memories } = yield* ElementMemory.of(Effect.succeed(first.learned()))
            const { analyses } = succeeded(yield* run(after, steps, { recovery, memories }))
            assert.deepStrictEqual(
              analyses.map(({ kind, outcome }) => [kind, outcome]),
              [["selector", "success"]],
              after
            )
          }
        })
      )
  )

  it.live("an element that was renamed and moved is found by what it looked like, and no decoy is taken for it", () =>
    onPages((run) =>
      Effect.gen(function* () {
        const recovery = { selectors: true }
        const step = click("//button[@id='order-1']", { wait_time: 5_000 })
        const first = yield* ElementMemory.of(Effect.succeed([]))
        succeeded(yield* run("/order", [step, read], { recovery, memories: first.memories }))
        assert.deepInclude(first.learned()[0]?.appearance, {
          tag: "button",
          text: "Place order",
          section: "Your order",
          before: "Total 12.50"
        })
        const later = yield* ElementMemory.of(Effect.succeed(first.learned()))
        const { analyses, offers } = succeeded(
          yield* run("/moved", [step, read], { recovery, memories: later.memories })
        )
        assert.deepStrictEqual(
          analyses.map(({ kind, outcome }) => [kind, outcome]),
          [["selector", "success"]]
        )
        assert.deepInclude(offers[0], { parameter: "selector", before: "//button[@id='order-1']" })
        // The patch alone leads to the element.
        succeeded(yield* run("/moved", [click(String(offers[0]?.after)), read]))
        const unsure = yield* run("/twice", [step, read], { recovery, memories: later.memories })
        assert.strictEqual(unsure.outcome._tag, "Failed")
        if (unsure.outcome._tag === "Failed") assert.strictEqual(unsure.outcome.failure.category, "XPATH_INCORRECT")
      })
    )
  )

  it.live("a page is never seen both at rest and without the element that ends its wait", () =>
    onPages(() =>
      Effect.gen(function* () {
        const site = yield* serve({
          "/coming": html(changing(spinner, link)),
          "/going": html(changing(link, spinner))
        })
        const { elements, navigation } = yield* (yield* Browser).open(Session.empty)
        for (let round = 0; round < (isAll ? 12 : 4); round++) {
          for (const [path, last] of [
            ["/coming", "at rest, 1"],
            ["/going", "busy, 0"]
          ] as const) {
            yield* navigation.goto(`${site}${path}`)
            for (let seen = ""; seen !== last; ) {
              const { busy, matched } = yield* elements.survey({ target: "//a[@id='go']", fields: [] })
              seen = `${busy ? "busy" : "at rest"}, ${matched}`
              assert.include(["busy, 0", "at rest, 1"], seen, path)
            }
          }
        }
      }).pipe(Effect.scoped)
    )
  )

  it.live("a page that is late is waited for, and one that its server does not serve at first is opened again", () =>
    onPages((run) =>
      Effect.gen(function* () {
        const options = { recovery: { timing: true } }
        const soon = click("//a[@id='go']", { wait_time: 1_500 })
        const walked = yield* Effect.forEach(
          sampled(["/late", "/fetching"], 2),
          (path) => Effect.map(run(path, [soon, read], options), (seen) => ({ path, seen })),
          { concurrency: 2 }
        )
        for (const { path, seen } of walked) {
          const { analyses, offers } = succeeded(seen)
          assert.deepStrictEqual(
            analyses.map(({ kind }) => kind),
            ["timing"],
            path
          )
          assert.deepInclude(offers[0], { kind: "wait_time", before: 1_500 })
          assert.isAbove(Number(offers[0]?.after), 1_500)
        }
        const early = yield* run("/busy", [soon])
        if (early.outcome._tag === "Success") return assert.fail("there was nothing to click")
        assert.strictEqual(early.outcome.failure.category, "ACTION_PERFORMED_TOO_EARLY")
        const { analyses } = succeeded(yield* run("/flaky", [read], { recovery: { unavailable: true } }))
        assert.deepStrictEqual(
          analyses.map(({ kind, outcome }) => [kind, outcome]),
          [
            ["unavailable", "failure"],
            ["unavailable", "success"]
          ]
        )
      })
    )
  )

  it.live(
    "a form that complains is filled in again with what a person corrects, and sent again, in frames and shadow roots too",
    () =>
      onPages((run) =>
        Effect.gen(function* () {
          const correcting = (asked: Array<string>, zips = ["12345"]) => ({
            ask: () => Effect.succeed(null),
            correct: ({ inputs, message }: { readonly inputs: object; readonly message: string }) =>
              Effect.sync(() => {
                asked.push(message)
                return { _tag: "inputs", inputs: { ...inputs, zip: zips[asked.length - 1] ?? "" } } as const
              })
          })
          const steps = [
            type("//input[@id='name']", "{{context.inputs.name}}"),
            type("//input[@id='zip']", "{{context.inputs.zip}}"),
            click("//button[@id='send']"),
            // It also has to suffice for the page after the corrected form, on a busy machine.
            { ...read, parameters: { ...read.parameters, wait_time: 8_000 } },
            click("//h1[.='Done']", { wait_time: 10_000 })
          ]
          const inputs = { name: "Ada", zip: "1234" }
          const recovery = { inputs: true }
          // The old complaint is no reason to ask again while the form is still being sent.
          const slow = new Set(["/form/slow", "/form/late"])
          const soon = { ...read, parameters: { ...read.parameters, wait_time: 1_500 } }
          const soonRead = steps.map((step) => (step.action === read.action ? soon : step))
          const walked = yield* Effect.forEach(
            sampled(["/form", "/form/framed", "/form/shadowed", ...slow], 3),
            (path) => {
              const asked: Array<string> = []
              const options = { recovery, person: correcting(asked), correctable: true }
              const seen = run(path, slow.has(path) ? soonRead : steps, options, inputs)
              return Effect.map(seen, (seen) => ({ asked, path, seen }))
            },
            { concurrency: 3 }
          )
          for (const { asked, path, seen } of walked) {
            const { analyses } = succeeded(seen)
            assert.lengthOf(asked, 1, path)
            const told = analyses.map(({ classification, kind, outcome }) => [kind, outcome, classification.category])
            assert.deepStrictEqual(told.at(-1), ["form", "success", "INCORRECT_FORM_INPUTS"], path)
            if (!slow.has(path)) assert.lengthOf(told, 1, path)
            assert.include(asked[0] ?? "", "The ZIP code has 5 digits", path)
            assert.include(asked[0] ?? "", "zip", path)
            assert.notInclude(asked[0] ?? "", "name", path)
          }
          // A page that always has a request in progress is not waited for in place of asking about a second mistake.
          const asked: Array<string> = []
          const person = correcting(asked, ["123", "12345"])
          succeeded(yield* run("/form/polling", soonRead, { recovery, person, correctable: true }, inputs))
          assert.lengthOf(asked, 2)
          const alone = yield* run("/form", soonRead, { recovery, correctable: true }, inputs)
          if (alone.outcome._tag === "Failed") {
            assert.strictEqual(alone.outcome.failure.category, "INCORRECT_FORM_INPUTS")
          } else assert.fail("nobody corrected the input")
        })
      )
  )

  it.live("a failure is of the class that the page shows", () =>
    onPages((run) =>
      Effect.gen(function* () {
        const classes: Array<unknown> = []
        const walked = yield* Effect.forEach(
          ["/password", "/maintenance", "/done"],
          (path) => run(path, [click("//button[@id='none']", { wait_time: 500 })], { recovery: { errorCodes: true } }),
          { concurrency: 2 }
        )
        for (const { outcome } of walked) {
          if (outcome._tag === "Failed") {
            const { category, code, passing, suggestedErrorCode } = outcome.failure
            classes.push([code, category, passing, suggestedErrorCode])
          }
        }
        assert.deepStrictEqual(classes, [
          ["ACCOUNT-E0001", "PASSWORD_UPDATE_REQUIRED", false, "CLICK_1_PASSWORD_UPDATE_REQUIRED"],
          ["SELECTOR-E0001", "SERVICE_UNAVAILABLE", true, "CLICK_1_SERVICE_UNAVAILABLE"],
          ["SELECTOR-E0001", "XPATH_INCORRECT", false, "CLICK_1_XPATH_INCORRECT"]
        ])
      })
    )
  )
})
