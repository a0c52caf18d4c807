import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ApprovalRequest, Person } from "../../../core/agent/Person.ts"
import { Browser } from "../../../core/browser/Browser.ts"
import { graphOf, walk } from "../../support/browser.ts"
import { body, Pages, pages } from "../../support/pages.ts"
import { isAll } from "../../support/scale.ts"
import { failureOf } from "../../support/shop.ts"
import { html } from "../../support/site.ts"

/** What the bank got: each transfer as the body of its form. */
const transfers: Array<string> = []

const form = (script: string, button = "<button id=pay name=pay value=1>Pay</button>") =>
  body(`<form action=/transfers method=post><input id=payee name=payee value=Ada><input id=amount name=amount value=100>
    <input type=hidden name=token value=t0>${button}</form><script>${script}</script>`)

/** A page that changes by a delay that its address names, and again. */
const restless = `const after = Number(new URLSearchParams(location.search).get("after"))
  const kind = Number(new URLSearchParams(location.search).get("kind"))
  let round = 0
  const change = () => {
    round++
    if (kind === 0) amount.value = String(100 + round)
    if (kind === 1) payee.value = "Eve " + round
    if (kind === 2) document.forms[0].token.value = "t" + round
    if (kind === 3) pay.value = "1" + round
    if (kind === 4) pay.outerHTML = "<button id=pay name=pay value=2" + round + ">Pay</button>"
    if (round < 3) setTimeout(change, after)
  }
  setTimeout(change, after)`

const site = pages({
  "/transfers": (request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk) => void chunks.push(chunk))
    request.on("end", () => {
      transfers.push(Buffer.concat(chunks).toString())
      html(body("<h1>Paid</h1>"))(request, response)
    })
  },
  "/plain": form(""),
  "/label": form("", "<button id=pay><span id=words>Pay</span> now</button>"),
  "/tooltip": form(
    `pay.onmouseenter = () => { pay.title = "Pays"; pay.className = "over"; pay.setAttribute("aria-describedby", "t") }`
  ),
  "/pressed": form(`pay.onpointerdown = () => { amount.value = "900" }`),
  "/hover": form(`let over = 0; pay.onmouseenter = () => { if (over++ === 0) amount.value = "900" }`),
  "/restless": form(restless)
})

/** Runs one approved click, and tells what was asked and what the bank got. */
const run = (path: string, selector = "//*[@id='pay']", wait = 0) =>
  Effect.gen(function* () {
    const { browser, site } = yield* Pages
    const asked: Array<ApprovalRequest> = []
    const person: Person = {
      ask: () => Effect.succeed(null),
      correct: () => Effect.succeed(null),
      approve: (request) =>
        Effect.as(
          Effect.andThen(
            Effect.sync(() => void asked.push(request)),
            wait === 0 ? Effect.void : Effect.sleep(wait)
          ),
          { _tag: "Approved" } as const
        )
    }
    const click = { action: "CLICK", parameters: { selector, approval: { by: "Owner" } } }
    const done = {
      action: "EXTRACT_DATAMODEL",
      parameters: { extract_data_model: { type: "object", properties: { title: { type: "string", path: "//h1" } } } }
    }
    transfers.length = 0
    const seen = yield* walk(graphOf(`${site}${path}`, [click, done]), {}, { person }).pipe(
      Effect.provideService(Browser, browser)
    )
    return { ...seen, asked, transfers: [...transfers] }
  })

const first = "payee=Ada&amount=100&token=t0"

it.layer(site, { excludeTestServices: true })("an approved click on a real page", (it) => {
  it.effect("sends what was approved, once", () =>
    Effect.gen(function* () {
      const { asked, outcome, transfers } = yield* run("/plain")
      assert.deepInclude(outcome.data, { title: "Paid" }, JSON.stringify(outcome))
      assert.deepStrictEqual(transfers, [`${first}&pay=1`])
      assert.lengthOf(asked, 1)
      const [request = assert.fail("nothing was asked")] = asked
      assert.deepStrictEqual(request.told.element, { tag: "button", text: "Pay", name: "pay" })
      assert.match(request.told.target.address ?? "", /\/transfers$/)
      assert.strictEqual(request.told.target.method, "post")
      assert.deepStrictEqual(request.told.fields, [
        { name: "payee", value: "Ada" },
        { name: "amount", value: "100" }
      ])
      assert.isAbove(request.shot?.bytes.length ?? 0, 1_000)
      assert.isAbove(request.box?.width ?? 0, 0)
    })
  )

  it.effect.each<readonly [string, string]>([
    ["/label", "//*[@id='words']"],
    ["/tooltip", "//*[@id='pay']"]
  ])("takes what the pointer alone changes for the same, on %s", ([path, selector]) =>
    Effect.gen(function* () {
      const { asked, outcome, transfers } = yield* run(path, selector)
      assert.deepInclude(outcome.data, { title: "Paid" }, JSON.stringify(outcome))
      assert.lengthOf(transfers, 1)
      assert.lengthOf(asked, 1)
    })
  )

  it.effect("sends nothing where the page changes under the press, and is not repeated", () =>
    Effect.gen(function* () {
      const seen = yield* run("/pressed")
      assert.strictEqual(failureOf(seen).code, "APPROVAL-E0003")
      assert.include(failureOf(seen).message, "the field amount of the form has changed while it was clicked")
      assert.deepStrictEqual(seen.transfers, [])
      assert.lengthOf(seen.asked, 1)
    })
  )

  it.effect("asks again where the page changes when the pointer comes, and then sends what was approved", () =>
    Effect.gen(function* () {
      const { asked, outcome, transfers } = yield* run("/hover")
      assert.deepInclude(outcome.data, { title: "Paid" }, JSON.stringify(outcome))
      assert.deepStrictEqual(transfers, ["payee=Ada&amount=900&token=t0&pay=1"])
      assert.deepStrictEqual(
        asked.map(({ change }) => change),
        [null, "the field amount of the form"]
      )
    })
  )

  it.effect("never sends what was not approved, whenever the page changes", () =>
    Effect.gen(function* () {
      const count = isAll ? 300 : 15
      for (let seed = 0; seed < count; seed++) {
        const { asked, transfers } = yield* run(`/restless?kind=${seed % 5}&after=${(seed * 37) % 400}`)
        assert.isAtMost(transfers.length, 1)
        const last = asked.at(-1)?.told.fields.map(({ name, value }) => `${name}=${value.replace(" ", "+")}`)
        for (const transfer of transfers)
          assert.isTrue(transfer.startsWith(last?.join("&") ?? "-"), `${seed}: ${transfer}`)
      }
    })
  )
})
