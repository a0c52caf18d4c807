import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { account } from "../../support/accounts.ts"
import { graphOf, type Step, walk } from "../../support/browser.ts"
import { dataOf, failureOf } from "../../support/shop.ts"

const home = "https://shop.example/"
const orders = "https://shop.example/orders"

const site: ScriptedBrowser.ScriptedSite = {
  [home]: [
    { selector: "//h1", text: "Shop" },
    { selector: "#go", leadsTo: orders },
    { selector: "#stay" },
    { selector: "#user", value: "" },
    { selector: "#save", saves: [["orders.csv", "a;b"]] },
    { selector: "#hidden", text: "no", hidden: true }
  ],
  [orders]: [
    { selector: "//h1", text: "Orders" },
    { selector: "//li", text: "one" },
    { selector: "//li", text: "two" },
    { selector: "#late", text: "ready", appearsAfter: 3_000 }
  ]
}
const network: ScriptedBrowser.ScriptedNetwork = {
  asked: {
    [orders]: [{ url: `${home}api/orders`, method: "POST", status: 201 }],
    [home]: [{ url: `${home}api/home`, status: 500 }]
  }
}

const run = (steps: ReadonlyArray<Step>, inputs = {}, options: Parameters<typeof walk>[2] = {}, end: object = {}) => {
  const { edges, nodes } = graphOf(home, steps)
  const all = nodes.map((node) => (node.action === "END" ? { ...node, parameters: end } : node))
  return walk({ nodes: all, edges }, inputs, options).pipe(Effect.provide(ScriptedBrowser.layer(site, network)))
}

/** What holds at once, or never. */
const now = (...conditions: ReadonlyArray<object>) => ({ expect: { wait_time: 0, conditions } })
const click = (selector: string, more: object = {}): Step => ({ action: "CLICK", parameters: { selector, ...more } })
const message = (seen: Parameters<typeof failureOf>[0]) => failureOf(seen).message

describe("a step counts only when what it expects holds", () => {
  it.effect.each<readonly [string, Step, string | null]>([
    ["the address", click("#go", now({ type: "address", equals: orders })), null],
    ["the address", click("#stay", now({ type: "address", contains: "/orders" })), `found ${home}`],
    ["a text", click("#go", now({ type: "text", selector: "//h1", equals: "Orders" })), null],
    ["a text", click("#go", now({ type: "text", selector: "//h1", equals: "Order" })), 'found "Orders"'],
    ["a text of the page", click("#go", now({ type: "text", contains: "one two" })), null],
    ["elements", click("#go", now({ type: "element", selector: "//li", exactly: 2 })), null],
    [
      "elements",
      click("#go", now({ type: "element", selector: "//li", at_least: 3 })),
      "at least 3 of //li, visible; found 2"
    ],
    [
      "hidden elements",
      click("#stay", now({ type: "element", selector: "#hidden" })),
      "found 0 (and 1 that cannot be seen)"
    ],
    ["hidden elements", click("#stay", now({ type: "element", selector: "#hidden", state: "present" })), null],
    ["no element", click("#stay", now({ type: "element", selector: "//li", state: "absent" })), null],
    [
      "no element",
      click("#go", now({ type: "element", selector: "//li", state: "absent" })),
      "none of //li, visible; found 2"
    ],
    ["a request", click("#go", now({ type: "request", url: "/api/orders", method: "POST", status: "2xx" })), null],
    // The first page asked for it, before the step began.
    ["a request", click("#stay", now({ type: "request", url: "/api/home", status: 500 })), "found no such request"],
    [
      "an input",
      click("#stay", now({ type: "variable", field: "context.inputs.name", operator: "EQUAL", value: "Ada" })),
      null
    ],
    [
      "an expression",
      click("#stay", now({ type: "text", contains: "{{context.inputs.name}}" })),
      'the text of the page contains "Ada"; found "Shop"'
    ],
    [
      "one of several",
      click("#stay", {
        expect: {
          wait_time: 0,
          match: "any",
          conditions: [
            { type: "address", contains: "/orders" },
            { type: "text", contains: "Shop" }
          ]
        }
      }),
      null
    ],
    [
      "none of several",
      click("#stay", {
        expect: {
          wait_time: 0,
          match: "any",
          conditions: [
            { type: "address", contains: "/orders" },
            { type: "text", contains: "Cart" }
          ]
        }
      }),
      "one of these holds"
    ]
  ])("%s", ([, step, saying]) =>
    Effect.gen(function* () {
      const seen = yield* run([step], { name: "Ada" })
      if (saying === null) return assert.strictEqual(seen.outcome._tag, "Success", JSON.stringify(seen.outcome))
      const { code, node } = failureOf(seen)
      assert.deepStrictEqual({ code, node: node?.name }, { code: "EXPECT-E0001", node: "CLICK 1" })
      assert.include(message(seen), saying)
      assert.include(message(seen), "the action may have taken effect, so it was not tried again")
    })
  )

  it.effect("a value of a field, as typed", () =>
    Effect.gen(function* () {
      const type = (text: string): Step => ({
        action: "INPUT_TEXT",
        parameters: { selector: "#user", text, ...now({ type: "value", selector: "#user", equals: "ada" }) }
      })
      assert.strictEqual((yield* run([type("ada")])).outcome._tag, "Success")
      assert.include(message(yield* run([type("adda")])), 'the value of #user equals "ada"; found "adda"')
    })
  )

  it.effect("a variable that the step itself has set", () =>
    Effect.gen(function* () {
      const extract = (path: string): Step => ({
        action: "EXTRACT_DATAMODEL",
        parameters: {
          extract_data_model: { type: "object", properties: { title: { type: "string", path } } },
          ...now({ type: "variable", field: "context.title", operator: "IS_NOT_NULL" })
        }
      })
      assert.deepStrictEqual(dataOf(yield* run([extract("//h1")])), { title: "Shop" })
      const failed = yield* run([extract("//h9")])
      assert.include(message(failed), "context.title IS_NOT_NULL; found nothing")
      assert.deepStrictEqual(failed.outcome.data, {})
    })
  )

  it.effect("a file that it has kept, which is handed over all the same", () =>
    Effect.gen(function* () {
      const keep = (condition: object): ReadonlyArray<Step> => [
        click("#save"),
        { action: "FILE_DOWNLOAD", parameters: { metadata: {}, ...now({ type: "file", ...condition }) } }
      ]
      const kept = yield* run(keep({ name: "*.csv", at_least_bytes: 3, media_type: "text/csv" }))
      assert.strictEqual(kept.outcome._tag, "Success")
      const small = yield* run(keep({ name: "*.csv", at_least_bytes: 4 }))
      assert.include(message(small), 'found "orders.csv" (text/csv, 3 bytes)')
      assert.deepStrictEqual(
        small.files.map(({ fileName }) => fileName),
        ["orders.csv"]
      )
    })
  )

  it.effect("a loop has ended, and the end of the graph", () =>
    Effect.gen(function* () {
      const loop: Step = {
        action: "LOOP",
        parameters: {
          variable_over: 2,
          variable_current_item: "x",
          variable_current_index: "i",
          ...now({ type: "address", equals: orders })
        },
        to: { body: 2, done: 3 }
      }
      const body = click("#stay")
      assert.include(
        message(yield* run([loop, { ...body, to: 1 }, { action: "DELAY", parameters: { delay_time: 0 } }])),
        "Expected"
      )
      const going: Step = { action: "NAVIGATE", parameters: { url: orders }, to: 1 }
      const seen = yield* run([loop, going, { action: "DELAY", parameters: { delay_time: 0 } }])
      assert.strictEqual(seen.outcome._tag, "Success")
      const ended = yield* run([click("#stay")], {}, {}, now({ type: "text", contains: "Orders" }))
      assert.strictEqual(failureOf(ended).code, "EXPECT-E0001")
      assert.strictEqual(failureOf(ended).node?.action, "END")
      const right = yield* run([click("#go")], {}, {}, now({ type: "text", contains: "Orders" }))
      assert.strictEqual(right.outcome._tag, "Success")
      const dry = yield* run(
        [
          {
            action: "CLICK",
            parameters: { selector: "#stay", end_here_on_dry_run: true, ...now({ type: "text", contains: "x" }) }
          }
        ],
        {},
        { dryRun: null },
        now({ type: "text", contains: "x" })
      )
      assert.strictEqual(dry.outcome._tag, "Success")
    })
  )

  it.effect("and a step that is skipped expects nothing", () =>
    Effect.gen(function* () {
      const run_if = { conditions: [{ field: "context.inputs.none", operator: "IS_NOT_NULL" }] }
      const seen = yield* run([click("#stay", { run_if, ...now({ type: "text", contains: "never" }) })])
      assert.strictEqual(seen.outcome._tag, "Success")
    })
  )
})

describe("what is expected is waited for", () => {
  it.effect("until it holds", () =>
    Effect.gen(function* () {
      const late = { expect: { conditions: [{ type: "text", selector: "#late", equals: "ready" }] } }
      const running = yield* Effect.forkChild(run([click("#go", late)]))
      yield* TestClock.adjust("2900 millis")
      assert.isUndefined(running.pollUnsafe())
      yield* TestClock.adjust("400 millis")
      assert.strictEqual((yield* Fiber.join(running)).outcome._tag, "Success")
    })
  )

  it.effect("for its own time, and no longer", () =>
    Effect.gen(function* () {
      const late = { expect: { wait_time: 1_000, conditions: [{ type: "text", selector: "#late", equals: "ready" }] } }
      const running = yield* Effect.forkChild(run([click("#go", late)]))
      yield* TestClock.adjust("1001 millis")
      const seen = yield* Fiber.join(running)
      assert.include(message(seen), 'Expected within 1000 ms: the text of #late equals "ready"; found no such element')
    })
  )

  it.effect("not where waiting changes nothing", () =>
    Effect.gen(function* () {
      const expect = {
        conditions: [
          { type: "text", selector: "#late", equals: "ready" },
          { type: "variable", field: "context.inputs.a", operator: "EQUAL", value: "1" }
        ]
      }
      const seen = yield* run([click("#go", { expect })], { a: 2 })
      assert.include(message(seen), "context.inputs.a EQUAL")
    })
  )

  it.effect("and that something is absent counts once the page is at rest", () =>
    Effect.gen(function* () {
      const gone = { expect: { conditions: [{ type: "element", selector: "//li", state: "absent" }] } }
      const running = yield* Effect.forkChild(run([click("#stay", gone)]))
      yield* TestClock.adjust("200 millis")
      assert.isUndefined(running.pollUnsafe())
      yield* TestClock.adjust("200 millis")
      assert.strictEqual((yield* Fiber.join(running)).outcome._tag, "Success")
    })
  )
})

it.effect("a step that does not act may be tried again, and one that acts is not", () =>
  Effect.gen(function* () {
    const never = now({ type: "text", contains: "never" })
    const seen = yield* run([{ action: "SCREENSHOT", parameters: never }])
    assert.deepInclude(failureOf(seen), {
      code: "EXPECT-E0001",
      category: "UPSTREAM_ERROR",
      subType: "SILENT_UPSTREAM_FAILURE"
    })
    assert.notInclude(message(seen), "was not tried again")
    const acting: ReadonlyArray<Step> = [
      click("#stay", never),
      { action: "INPUT_TEXT", parameters: { selector: "#user", text: "a", ...never } }
    ]
    for (const step of acting) assert.include(message(yield* run([step])), "was not tried again")
  })
)

it.effect("a failure shows no secret", () =>
  Effect.gen(function* () {
    const accounts = [account("SHOP", { userName: "ada@shop.example", password: "correct-horse" })]
    const texts = ["{{context.inputs.SHOP.PASSWORD}}", "{{$substring(context.inputs.SHOP.PASSWORD, 0, 7)}}"]
    for (const contains of texts) {
      const seen = yield* run([click("#stay", now({ type: "text", contains }))], { SHOP: "SHOP" }, { accounts })
      // Whether the page shows it would tell what it is.
      assert.strictEqual(failureOf(seen).code, "CREDENTIAL-E0002", message(seen))
      assert.notInclude(message(seen), "correct")
      assert.include(message(seen), contains)
    }
  })
)
