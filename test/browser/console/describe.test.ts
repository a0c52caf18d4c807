/** A workflow for a billing portal, made by a model of a sentence, while a person watches in the console. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, type Schema } from "effect"
import { Model, type Question } from "../../../core/agent/model/Model.ts"
import { seal } from "../../support/sealed.ts"
import * as BillingPortal from "./BillingPortal.ts"
import { Desk, hand, looked } from "./Desk.ts"

type Call = (words: string) => readonly [tool: string, parameters: Schema.JsonObject]

/** The selector of the listed element of a kind with a name. */
const selectorOf = (words: string, element: string): string =>
  new RegExp(`^${element} (.+?)( \\(.*\\)| row .*| column .*)?$`, "m").exec(words)?.[1] ?? `no ${element}`

const on =
  (tool: string, element: string, more: Schema.JsonObject = {}): Call =>
  (words) => [tool, { selector: selectorOf(words, element), ...more }]

const rows = "//tbody/tr"
const model = {
  type: "object",
  properties: {
    invoices: {
      type: "array",
      path: rows,
      items: { type: "object", properties: { number: { type: "string", path: "/td[1]" } } }
    }
  }
}
const loop = { variable_over: "{{context.invoices}}", variable_current_item: "invoice", variable_current_index: "at" }

const calls: ReadonlyArray<Call> = [
  on("type", 'type textbox "User"', { text: "{{context.inputs.LOGIN.USER_NAME}}" }),
  on("type", 'type password field "Password"', { text: "{{context.inputs.LOGIN.PASSWORD}}" }),
  on("click", 'press button "Sign in"'),
  () => ["read", { extract_data_model: model }],
  () => ["for_each", loop],
  () => ["click", { selector: `(${rows})[{{context.runtime.at + 1}}]/td[3]/a` }],
  () => ["end_for_each", {}],
  () => ["click", { selector: "//button[.='Send all']" }],
  () => ["finish", { reason: "all invoices of the page are kept" }]
]

/** A model that makes these calls in order. */
const asked: Array<string> = []
const scripted = Layer.succeed(Model, {
  names: ["small"],
  answer: ({ parts }: Question) =>
    Effect.sync(() => {
      const words = parts.map((part) => (part._tag === "Text" ? part.text : "")).join("\n")
      asked.push(words)
      const [tool, parameters] = (calls[asked.length - 1] ?? assert.fail("asked once more"))(words)
      const said = { _tag: "Called" as const, tool, parameters }
      return { model: "small", said, usage: { inputTokens: 1_000, outputTokens: 20 } }
    })
})

layer(Desk.layer.pipe(Layer.provide(scripted)), { excludeTestServices: true })("a task", (it) => {
  it.effect("is done by a model in a browser that a person watches, who decides what cannot be undone", () =>
    Effect.gen(function* () {
      const portal = yield* BillingPortal.open
      portal.change({ withoutCode: true, withoutBanner: true })
      const { owner, page, send } = yield* Desk
      const { password, user } = BillingPortal.customer
      const sealed = (value: string) => seal(owner.encryptionKey, value)
      yield* send({
        method: "POST",
        path: "/vault",
        key: owner.key,
        json: { permissioned_user_id: user, domain: portal.origin, user_name: sealed(user), password: sealed(password) }
      })
      yield* Effect.promise(async () => {
        const { fill, press, said, steps } = hand(page)
        await fill("Name", "Invoices")
        await fill("First page", `${portal.origin}/`)
        await fill("Credential (optional)", user)
        await press("Start recording")
        await said(/Opened/)
        await looked(page, "describe-new")
        await press("Describe it")
        await page.getByText("Say what to do").waitFor()
        await fill("What to do", "sign in, and for each invoice download the PDF")
        await fill("Calls at most", "20")
        await press("Describe it")
        await page.getByText(/^(Done, and tried in a new session|Stopped)/).waitFor()
        await said(/A run in a new session did all of it/)
        await looked(page, "describe-done")
        assert.include(await steps.innerText(), "Keep the file")
        await page.getByText("9 of 20 calls", { exact: true }).waitFor()
      })
      assert.notInclude(asked.join(), password)
    })
  )
})
