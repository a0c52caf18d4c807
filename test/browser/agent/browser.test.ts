import { createServer } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { demoUsers } from "../../../apps/demo/DemoUsers.ts"
import { orders, totalCents } from "../../../apps/demo/Orders.ts"
import { demoWorkflow } from "../../../apps/demo/Workflow.ts"
import type { Failure, Outcome } from "../../../core/agent/Outcome.ts"
import * as SaveBody from "../../../core/workflow/SaveBody.ts"
import { account } from "../../support/accounts.ts"
import { graphOf, type Step, walk } from "../../support/browser.ts"
import { entryOf } from "../../support/entries.ts"
import { chromium, withSite } from "../../support/realBrowser.ts"

const click = (selector: string, more: object = {}): Step => ({
  action: "CLICK",
  parameters: { selector, ...more }
})
const type = (selector: string, text: string, more: object = {}): Step => ({
  action: "INPUT_TEXT",
  parameters: { selector, text, ...more }
})
const extract = (properties: object, more: object = {}): Step => ({
  action: "EXTRACT_DATAMODEL",
  parameters: { extract_data_model: { type: "object", properties }, ...more }
})
const signIn = [
  type("//input[@id='user']", demoUsers.clerk.user),
  type("css=#password", demoUsers.clerk.password),
  click("role=button[name='Sign in']")
]

const clerk = (site: string, password: string = demoUsers.clerk.password) =>
  account("MARLOW", { userName: demoUsers.clerk.user, password }, entryOf({}, { domain: site }))

const failureOf = ({ outcome }: { readonly outcome: Outcome }): Failure => {
  if (outcome._tag === "Failed") return outcome.failure
  throw new Error(`Expected a failure, got ${JSON.stringify(outcome.data)}`)
}

describe("the demo workflow", () => {
  it("has no problem that a save would find", () =>
    assert.deepStrictEqual(SaveBody.read(demoWorkflow("http://127.0.0.1:1"), 0).problems, []))

  it.live("brings what the site has", () =>
    withSite((site) =>
      Effect.gen(function* () {
        const { marks, outcome, pictures } = yield* walk(
          demoWorkflow(site),
          { MARLOW: "clerk", status: "open" },
          { outputSchema: demoWorkflow(site).output_schema, accounts: [clerk(site)] }
        )
        const open = orders.filter((order) => order.status === "open")
        const [newest] = open
        assert.deepEqual(outcome, {
          _tag: "Success",
          data: {
            orders: open.map((order) => ({
              number: order.number,
              date: order.date,
              customer: order.customer,
              total: totalCents(order) / 100
            })),
            newest: {
              number: newest?.number ?? "",
              customer: newest?.customer ?? "",
              city: newest?.city ?? "",
              total: newest === undefined ? 0 : totalCents(newest) / 100,
              lines: (newest?.lines ?? []).map(({ article, quantity, unitCents }) => ({
                article,
                quantity,
                price: unitCents / 100
              }))
            }
          }
        })
        assert.deepStrictEqual(
          pictures.map(({ error, metadata }) => [error, metadata]),
          [[false, { purpose: "demo" }]]
        )
        assert.deepStrictEqual(marks, ["acting"])
      })
    )
  )

  it.live("says in its own words when the site does not let it in, and shows the page", () =>
    withSite((site) =>
      Effect.gen(function* () {
        const seen = yield* walk(
          demoWorkflow(site),
          { MARLOW: "clerk", status: "open" },
          { accounts: [clerk(site, "wrong")] }
        )
        const failure = failureOf(seen)
        assert.include(failure.message, "The site did not let us in: check the user name and the password")
        assert.include(failure.message, `${site}/login`)
        assert.deepStrictEqual(
          seen.pictures.map(({ error }) => error),
          [true]
        )
      })
    )
  )
})

describe("in a real browser", () => {
  it.live("a loop goes over a list, and over a number, one within the other", () =>
    withSite((site) =>
      Effect.gen(function* () {
        const pages: Step = {
          action: "LOOP",
          parameters: { variable_over: "{{[1..2]}}", variable_current_item: "page", variable_current_index: "i" },
          to: { body: 6, done: 9 }
        }
        const rows: Step = {
          action: "LOOP",
          parameters: { variable_over: 2, variable_current_item: "row", variable_current_index: "j" },
          to: { body: 8, done: 5 }
        }
        const graph = graphOf(`${site}/login`, [
          ...signIn,
          { action: "DELAY", parameters: { delay_time: 0 } },
          pages,
          { action: "NAVIGATE", parameters: { url: "/orders?page={{context.runtime.page}}" } },
          rows,
          {
            ...extract({
              seen: {
                type: "array",
                path: "(//table[@id='orders']/tbody/tr)[{{context.runtime.row + 1}}]",
                items: { type: "object", properties: { number: { type: "string", path: "/td[1]" } } }
              }
            }),
            to: 7
          }
        ])
        const { outcome } = yield* walk(graph)
        const expected = [0, 1, 6, 7].map((index) => ({ number: orders[index]?.number ?? "" }))
        assert.deepEqual(outcome, { _tag: "Success", data: { seen: expected } })
      })
    )
  )

  it.live("values are read by their types, and attributes and expressions as what they are", () =>
    withSite((site) =>
      Effect.gen(function* () {
        const graph = graphOf(`${site}/login`, [
          ...signIn,
          extract({
            first: {
              type: "object",
              properties: {
                link: { type: "string", path: "(//table[@id='orders']//a/@href)[1]" },
                total: { type: "number", path: "(//td[@class='number'])[1]" },
                missing: { type: "string", path: "//nothing" },
                unselected: { type: "string", path: "//h1", selected: false }
              }
            },
            address: { type: "string", path: "{{window.location.pathname}}" },
            rows: { type: "number", path: "count(//tbody/tr)" }
          })
        ])
        const { outcome } = yield* walk(graph)
        assert.deepEqual(outcome, {
          _tag: "Success",
          data: {
            first: {
              link: `/orders/${orders[0]?.number}`,
              total: totalCents(orders[0] ?? orders[1] ?? ({ lines: [] } as never)) / 100,
              missing: null
            },
            address: "/orders",
            rows: 6
          }
        })
      })
    )
  )

  it.live("an error names the node, the selector, how many elements matched, and the address", () =>
    withSite((site) =>
      Effect.gen(function* () {
        const none = failureOf(
          yield* walk(graphOf(`${site}/login`, [click("//button[@id='nobody']", { wait_time: 300 })]))
        )
        assert.deepInclude(none, { code: "SELECTOR-E0001", category: "XPATH_INCORRECT" })
        const similar = /\. Similar elements: (\S+) \(Sign in\)/.exec(none.message)
        assert.strictEqual(
          none.message.replace(similar?.[0] ?? "", ""),
          `Node "CLICK 1": Cannot click //button[@id='nobody']: 0 elements match after 300 ms, expected exactly 1 (at ${site}/login)`
        )
        const named = yield* walk(graphOf(`${site}/login`, [click(similar?.[1] ?? "//none", { wait_time: 5_000 })]))
        assert.strictEqual(named.outcome._tag, "Success")
        const two = failureOf(yield* walk(graphOf(`${site}/login`, [click("//input", { wait_time: 300 })])))
        assert.include(two.message, "2 elements match after 300 ms, expected exactly 1")
        const bad = failureOf(yield* walk(graphOf(`${site}/login`, [click("//button[", { wait_time: 300 })])))
        assert.strictEqual(bad.code, "SELECTOR-E0003")
        const nowhere: Step = { action: "NAVIGATE", parameters: { url: "/nowhere" } }
        const gone = failureOf(yield* walk(graphOf(`${site}/login`, [...signIn, nowhere])))
        assert.deepInclude(gone, { code: "NAVIGATION-E0001", category: "PAGE_NOT_FOUND" })
        assert.include(gone.message, `Cannot open ${site}/nowhere: the server answered with status 404`)
      })
    )
  )

  it.live("text is replaced, kept or erased, keys are pressed, and options are chosen", () =>
    withSite((site) =>
      Effect.gen(function* () {
        const value = (selector: string) =>
          extract({ [selector.replace(/\W/g, "")]: { type: "string", path: selector } })
        const user = "//input[@id='user']"
        const typed = yield* walk(
          graphOf(`${site}/login`, [
            type(user, "one"),
            type(user, " two", { do_not_clear: true }),
            value(user),
            type(user, "three", { aggressive_clear: true, typing_delay_ms: 1 }),
            type(user, "{{context.inputs.more}}{{tab}}secret", { do_not_clear: true }),
            value("//input[@id='password']"),
            { action: "INPUT_TEXT", parameters: { omit_focus: true, text: "!" } },
            extract({
              last: { type: "string", path: "//input[@id='password']" },
              first: { type: "string", path: user }
            })
          ]),
          { more: "&four" }
        )
        assert.deepEqual(typed.outcome, {
          _tag: "Success",
          data: { inputiduser: "one two", inputidpassword: "[secret]", last: "[secret]", first: "three&four" }
        })
        const chosen = yield* walk(
          graphOf(`${site}/login`, [
            ...signIn,
            { action: "INPUT_SELECT", parameters: { selector: "//select", value: "cancelld", fuzzy_match: true } },
            extract({ status: { type: "string", path: "//select" } }),
            { action: "INPUT_SELECT", parameters: { selector: "//select", value: "purple", wait_time: 300 } }
          ])
        )
        assert.include(
          failureOf(chosen).message,
          'Cannot choose "purple" in //select: no option has this value or text'
        )
        assert.deepEqual(chosen.outcome.data, { status: "cancelled" })
      })
    )
  )

  it.live("a dry run ends before the node that is marked, and adds what it was given", () =>
    withSite((site) =>
      Effect.gen(function* () {
        const graph = graphOf(`${site}/login`, [
          extract({ title: { type: "string", path: "//h1" } }),
          click("//button", { end_here_on_dry_run: true, not_repeatable: true })
        ])
        const { marks, outcome, steps } = yield* walk(graph, {}, { dryRun: { added: true } })
        assert.deepEqual(outcome, { _tag: "Success", data: { title: "Sign in", added: true } })
        assert.deepStrictEqual(steps, ["START 0", "EXTRACT_DATAMODEL 1"])
        assert.deepStrictEqual(marks, [])
        assert.deepStrictEqual((yield* walk(graph)).marks, ["acting", "committing"])
      })
    )
  )

  it.live("a graph that never ends is ended, by the name of the limit", () =>
    withSite((site) =>
      Effect.gen(function* () {
        const graph = graphOf(`${site}/login`, [
          {
            action: "BOOL_CONDITION",
            parameters: { comparison_operator: "IS_NULL", comparison_value_1: "" },
            to: { yes: 2, no: 3 }
          },
          { action: "DELAY", parameters: { delay_time: 0 }, to: 1 }
        ])
        const limited = failureOf(yield* walk(graph, {}, { limits: { steps: 20, millis: 60_000 } }))
        assert.include(limited.message, "Ended after 20 steps, the most that a run may take")
      })
    )
  )

  it.live("output that breaks its schema fails the run, and keeps the data", () =>
    withSite((site) =>
      Effect.gen(function* () {
        const { outcome } = yield* walk(
          graphOf(`${site}/login`, [
            extract({ title: { type: "string", path: "//h1" }, other: { type: "string", path: "//h1" } })
          ]),
          {},
          { outputSchema: { type: "object", properties: { title: { type: "number" } } } }
        )
        assert.strictEqual(failureOf({ outcome }).code, "OUTPUT_SCHEMA_MISMATCH")
        assert.deepEqual(outcome.data, { title: "Sign in" })
      })
    )
  )
})

describe("private networks", () => {
  it.live("are refused by address, by name, by redirect and by scheme", () =>
    Effect.gen(function* () {
      const server = createServer(({ url }, response) =>
        response.writeHead(302, { location: url === "/tls" ? "https://10.0.0.1/" : "http://127.0.0.1:8099/" }).end()
      )
      yield* Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
      yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const refusals = [
        "http://127.0.0.1:8099/",
        `http://localhost:${port}/`,
        "http://[::1]:8099/",
        "http://10.0.0.1/",
        "file:///etc/passwd"
      ]
      yield* Effect.gen(function* () {
        for (const url of refusals) {
          const failure = failureOf(yield* walk(graphOf(url, [])))
          assert.strictEqual(failure.code, "NAVIGATION-E0002", `${url}: ${failure.message}`)
        }
        for (const path of ["/", "/tls"]) {
          const redirected = failureOf(yield* walk(graphOf(`http://127.0.0.1:${port}${path}`, [])))
          assert.strictEqual(redirected.code, "NAVIGATION-E0002", redirected.message)
        }
      }).pipe(Effect.provide(chromium([`http://127.0.0.1:${port}`])))
    }).pipe(Effect.scoped)
  )
})
