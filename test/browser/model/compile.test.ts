/** Steps of a model that later runs do by their plain forms, in a real Chromium. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Secrets } from "../../../core/redaction/Secrets.ts"
import type { PlainForm } from "../../../core/workflow/patch/PlainForm.ts"
import { type CompiledTask, draw, kept, tasks, workshop } from "../../support/compiledTasks.ts"
import { calls, says, wordsOf } from "../../support/modelServer.ts"
import { refOf } from "../../support/modelWalk.ts"
import { inBrowser } from "../../support/realBrowser.ts"
import { sampled } from "../../support/scale.ts"

const taskOf = (name: string): CompiledTask => {
  const found = tasks.find((task) => task.name === name)
  assert.isDefined(found)
  return found
}

it.live("a task that a model did once is done without it, with other inputs", () =>
  inBrowser(
    Effect.gen(function* () {
      const run = yield* workshop
      for (const task of sampled(tasks, 4)) {
        let forms: ReadonlyArray<PlainForm> = []
        for (const k of [0, 1]) {
          const done = yield* run(task, draw(k), forms)
          assert.deepStrictEqual([task.name, k, done.data], [task.name, k, task.expected(draw(k))])
          forms = kept(forms, done)
        }
        for (const k of [2, 3]) {
          const done = yield* run(task, draw(k), forms)
          assert.deepStrictEqual(
            [task.name, done.outcome._tag, done.data, done.calls, done.saved],
            [task.name, "Success", task.expected(draw(k)), 0, 1]
          )
        }
      }
    }).pipe(Effect.scoped)
  )
)

/** What would read, press or decide wrongly the next time: none of these has a plain form. */
const refused: ReadonlyArray<CompiledTask> = [
  {
    ...taskOf("read: a value by its id"),
    name: "a value under another name",
    page: ({ amount }) => `<p>Discount <b id="discount">${amount.toFixed(2)}</b></p>`
  },
  {
    ...taskOf("read: a value by its id"),
    name: "two values of the same name",
    page: ({ amount }) => `<b id="total-net">${amount.toFixed(2)}</b><b id="total-gross">${amount.toFixed(2)}</b>`
  },
  {
    ...taskOf("read: a table"),
    name: "some rows of a table",
    page: (drawn) =>
      taskOf("read: a table")
        .page(drawn)
        .replace("</tbody>", "<tr><td>A-99</td><td>Nobody</td><td>0.00</td></tr></tbody>")
  },
  {
    name: "the first of several alike links",
    page: ({ name, other }) =>
      `<p id="out">nothing</p><ul><li><a href="#" onclick="out.textContent='first'">${name}</a><li><a href="#">${other}</a></ul>`,
    step: { action: "CLICK", parameters: { execution: "LLM_DOM", prompt: "Open the newest customer" } },
    answer: (asked, { name }) => calls("choose_element", { element: refOf(asked, name) }),
    expected: () => ({ out: "first" })
  },
  {
    ...taskOf("decide: an amount above a limit"),
    name: "a limit that the prompt does not name",
    answer: () =>
      says(JSON.stringify({ holds: false, reason: "so", plain: { expression: "context.inputs.amount > 50" } })),
    expected: () => ({ decided: "no" })
  },
  {
    ...taskOf("decide: a status"),
    name: "a decision that is not that of the comparison",
    answer: (_asked, { yes }) =>
      says(
        JSON.stringify({
          holds: yes,
          reason: "so",
          plain: { text: yes ? "Paid" : "Open", operator: "EQUAL", value: yes ? "status" : "Paid" }
        })
      )
  }
]

it.live("what would go wrong the next time has no plain form", () =>
  inBrowser(
    Effect.gen(function* () {
      const run = yield* workshop
      for (const task of refused) {
        const k = task.name.startsWith("a decision") ? 1 : 0
        const done = yield* run(task, draw(k), [])
        assert.deepStrictEqual([task.name, done.data, done.offers], [task.name, task.expected(draw(k)), []])
      }
    }).pipe(Effect.scoped)
  )
)

const pressing = (name: string): CompiledTask => ({
  name: "a button with a name",
  page: () => `<p id="out">nothing</p><button onclick="out.textContent='pressed'">Key ${name}</button>`,
  step: { action: "CLICK", parameters: { execution: "LLM_DOM", prompt: "Press the key" } },
  answer: (asked) => calls("choose_element", { element: /^(\w+) button/m.exec(wordsOf(asked))?.[1] ?? "e999" }),
  expected: () => ({ out: "pressed" })
})

it.live("a form holds no secret, and no input of the run", () =>
  inBrowser(
    Effect.gen(function* () {
      const run = yield* workshop
      const drawn = draw(0)
      const secrets = new Secrets()
      secrets.add("correct-horse", "secret")
      yield* secrets.prepared
      for (const [name, offers] of [
        ["of the house", 1],
        ["correct-horse", 0],
        [drawn.name, 0]
      ] as const) {
        const done = yield* run(pressing(name), drawn, [], secrets)
        assert.deepStrictEqual([name, done.data, done.offers.length], [name, { out: "pressed" }, offers])
      }
    }).pipe(Effect.scoped)
  )
)

/** Pages that changed after the form was found: the form does not fit, and the model does the step. */
const changes: ReadonlyArray<readonly [name: string, change: (page: string) => string]> = [
  ["read: a value by its id", (page) => page.replace('id="total"', 'id="sum"')],
  ["read: a value by its id", (page) => page.replace("<b", '<b id="total">7.00</b><b')],
  ["read: a list of terms", (page) => page.replace("<dl>", "<dl><dt>Total</dt><dd>7.00</dd>")],
  [
    "read: a table",
    (page) => page.replace("<th>Who", "<th>Due</th><th>Who").replaceAll("</td><td>", "</td><td>1</td><td>")
  ],
  ["read: a plain list", (page) => `${page}<ul class="names"><li>Someone</li></ul>`],
  ["decide: a status", (page) => page.replace('id="status"', 'id="state"')],
  ["click: a button by its name among others", (page) => `${page}<button>Save</button>`]
]

it.live("a form that no longer leads to one place gives way to the model, and is taken back", () =>
  inBrowser(
    Effect.gen(function* () {
      const run = yield* workshop
      for (const [name, change] of changes) {
        const { step, ...rest } = taskOf(name)
        const task = { ...rest, step: { ...step, parameters: { ...step.parameters, wait_time: 1_000 } } }
        const forms = kept([], yield* run(task, draw(0), []))
        assert.lengthOf(forms, 1)
        const changed = { ...task, page: (drawn: Parameters<CompiledTask["page"]>[0]) => change(task.page(drawn)) }
        const done = yield* run(changed, draw(2), forms)
        assert.deepStrictEqual([name, done.data, done.saved], [name, task.expected(draw(2)), 0])
        assert.isAbove(done.calls, 0)
        if (!name.startsWith("decide")) assert.deepStrictEqual(done.misled, forms)
      }
    }).pipe(Effect.scoped)
  )
)
