/** A Member who computes with a secret: nothing that is made of it leaves the run, and nothing is decided by it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Outcome } from "../../../core/agent/Outcome.ts"
import * as SaveBody from "../../../core/workflow/SaveBody.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { account } from "../../support/accounts.ts"
import { graphOf, type Step, walk } from "../../support/browser.ts"
import { entryOf } from "../../support/entries.ts"

const home = "https://app.bank.example"
const secrets = { userName: "ada@bank.example", password: "Horse-battery-7", tfaSecret: "JBSWY3DPEHPK3PXP" }
const bank = account("BANK", secrets, entryOf({}, { domain: home }))
const P = "context.inputs.BANK.PASSWORD"

const site: ScriptedBrowser.ScriptedSite = {
  [`${home}/`]: [
    { selector: "#field", value: "", options: [secrets.password, "H", "o"] },
    { selector: "#password", value: "", type: "password" },
    { selector: "#echo", text: (events) => `Nothing found for ${events.at(-1)?.value ?? ""}` },
    { selector: "#shown", text: `Your password is ${secrets.password}.` },
    { selector: "//a[.='H']", text: "H" },
    { selector: "#file", value: "" }
  ]
}

const set = (target: string, value: string, more: object = {}): Step => ({
  action: "TRANSFORM",
  parameters: { operations: [{ type: "SET", target: `context.${target}`, value, ...more }] }
})
const type = (text: string, more: object = {}): Step => ({
  action: "INPUT_TEXT",
  parameters: { selector: "#field", text, ...more }
})
const read = (name: string, path: string, more: object = {}): Step => ({
  action: "EXTRACT_DATAMODEL",
  parameters: {
    extract_data_model: { type: "object", properties: { [name]: { type: "string", path } } },
    ...more
  }
})
const flow = (step: object, more: object = {}): Step => ({
  action: "API_FLOW",
  parameters: { steps: [{ id: "one", method: "POST", url: `${home}/echo`, ...step }], ...more }
})
const click = (selector: string, more: object = {}): Step => ({
  action: "CLICK",
  parameters: { selector, wait_time: 0, ...more }
})
const ask = (value: unknown, other: unknown, operator = "EQUAL"): Step => ({
  action: "BOOL_CONDITION",
  parameters: { comparison_value_1: value, comparison_value_2: other, comparison_operator: operator },
  to: { yes: 2, no: 3 }
})
const branches = [set("yes", "true"), set("no", "true")]

/** Everything that a run tells, and what the site was sent. */
const told = (steps: ReadonlyArray<Step>, outputSchema = {}) =>
  Effect.gen(function* () {
    const sent: Array<string> = []
    const answer = (asked: { readonly url: string; readonly body: Uint8Array | null }) => {
      sent.push(asked.url)
      return {
        body: JSON.stringify({ said: `you said ${secrets.password}` }),
        headers: { "content-type": "application/json" }
      }
    }
    const seen = yield* walk(
      graphOf(`${home}/`, steps),
      { BANK: "ada" },
      {
        accounts: [bank],
        outputSchema,
        person: {
          ask: (question) => Effect.sync(() => void sent.push(question.message)).pipe(Effect.as(null)),
          correct: () => Effect.succeed(null)
        }
      }
    ).pipe(Effect.provide(ScriptedBrowser.layer(site, { answer })))
    return { ...seen, sent }
  })

const codeOf = (outcome: Outcome): string => (outcome._tag === "Failed" ? outcome.failure.code : "success")

/** Values of the context that are made of the password, each by an expression. */
const made: Readonly<Record<string, string>> = {
  "with dots between its characters": `$join($split(${P}, ''), '.')`,
  "its beginning": `$substring(${P}, 0, 5)`,
  "its characters": `$split(${P}, '')`,
  "one of its characters": `$split(${P}, '')[0]`,
  "one of its characters by a chain": `${P} ~> $substring(0, 1)`,
  backwards: `$join($reverse($split(${P}, '')))`,
  "in capitals": `$uppercase(${P})`,
  "within an object": `{"part": $substring(${P}, 2, 3), "more": [$substring(${P}, 0, 1)]}`,
  "the beginning of the secret of codes": "$substring(context.inputs.BANK.TFA_SECRET, 0, 5)"
}

/** Expressions whose value tells more of a password than its text. */
const deciding: Readonly<Record<string, string>> = {
  "its length": `$length(${P})`,
  "whether it begins so": `$substring(${P}, 0, 1) = 'H'`,
  "a choice by it": `$substring(${P}, 0, 1) = 'H' ? 'a' : 'b'`,
  "a name that is looked up": `$lookup({"H": "first"}, $substring(${P}, 0, 1))`,
  "a list of its length": `[1..$length(${P})]`,
  "a match": `$match(${P}, /H/)`,
  "a replacement": `$replace(${P}, /^H.*/, 'yes')`,
  "an own error": `$error(${P})`,
  "an error by choice": `$substring(${P}, 0, 1) = 'H' ? $error('yes') : 1`,
  "a function of one's own": `($f := function($x) { $x = 'a' }; $f(${P}))`,
  "a function under a known name": `($uppercase := function($x) { $x = 'a' }; $uppercase(${P}))`,
  "an element that is chosen by it": `[{"a": "H"}][a = $substring(context.inputs.BANK.PASSWORD, 0, 1)]`,
  "the name of a field": `{$substring(${P}, 0, 1): 1}`,
  "a number": `$number(${P})`,
  "an order": `$sort($split(${P}, ''))`
}

describe("what is computed from a secret", () => {
  for (const [way, expression] of Object.entries(made)) {
    it.effect(`is kept, and hidden in the data: ${way}`, () =>
      Effect.gen(function* () {
        const { outcome } = yield* told([set("kept.value", expression), set("copy", "context.kept.value")])
        assert.strictEqual(codeOf(outcome), "success", JSON.stringify(outcome))
        const hidden = yield* told([set("kept.value", expression), click("#nowhere")])
        for (const data of [outcome.data, hidden.outcome.data]) {
          const values = JSON.stringify(data).replaceAll("[secret]", "")
          assert.match(values, /^[{}[\]":,a-z]*$/)
          assert.notMatch(values.replaceAll(/"(kept|value|copy|part|more)"/g, ""), /[a-z]/)
        }
      })
    )
  }

  for (const [way, expression] of Object.entries(deciding)) {
    it.effect(`is refused where it tells more than the text: ${way}`, () =>
      Effect.gen(function* () {
        for (const optional of [false, true]) {
          const { outcome } = yield* told([set("kept", expression, { optional })])
          assert.strictEqual(codeOf(outcome), "CREDENTIAL-E0002", JSON.stringify(outcome))
          assert.deepEqual(outcome.data, {})
        }
      })
    )
  }

  const part = set("part", `$substring(${P}, 0, 1)`)
  const refused: Readonly<Record<string, ReadonlyArray<Step>>> = {
    "a condition over the secret": [ask(`{{${P}}}`, "Horse-battery-7"), ...branches],
    "a condition over a part": [part, { ...ask("{{context.part}}", "H"), to: { yes: 3, no: 4 } }, ...branches],
    "a condition over what is missing": [
      set("part", `$split(${P}, '')[20]`),
      { ...ask("{{context.part}}", null, "IS_NULL"), to: { yes: 3, no: 4 } },
      ...branches
    ],
    "a step that depends on it": [
      click("#shown", { run_if: { conditions: [{ field: P, operator: "EQUAL", value: "x" }] } })
    ],
    "what is expected": [click("#shown", { expect: { conditions: [{ type: "text", contains: `{{${P}}}` }] } })],
    "a selector": [click(`//a[.='{{$substring(${P}, 0, 1)}}']`)],
    "a selector that cuts": [read("x", `//a[.=substring('{{${P}}}', 1, 1)]`)],
    "the name of a field": [
      {
        action: "EXTRACT_DATAMODEL",
        parameters: {
          extract_data_model: { type: "object", properties: { [`{{$substring(${P}, 0, 1)}}`]: { path: "#shown" } } }
        }
      }
    ],
    "an address of an answer": [
      {
        action: "EXTRACT_NETWORK",
        parameters: { url: `regex:{{${P}}}`, extract_data_model: { properties: { a: {} } } }
      }
    ],
    "the turns of a loop": [
      {
        action: "LOOP",
        parameters: {
          variable_over: `{{$split(${P}, '')}}`,
          variable_current_item: "letter",
          variable_current_index: "index"
        },
        to: { body: 2, done: 3 }
      },
      { ...set("n", "context.runtime.index"), to: 1 }
    ],
    "a part in a field that shows it": [type(`{{$substring(${P}, 0, 1)}}`)],
    "a part in a longer text": [type(`a{{$join($split(${P}, ''), ' ')}}b`)],
    "a kept part in a field that shows it": [part, type("{{context.part}}")],
    "a part where the focus is": [type("x"), type(`{{$substring(${P}, 0, 1)}}`, { omit_focus: true })],
    "a part behind a key": [type(`x{{tab}}{{$substring(${P}, 0, 1)}}`, { selector: "#password" })],
    "a part as an option": [
      { action: "INPUT_SELECT", parameters: { selector: "#field", value: `{{$substring(${P}, 0, 1)}}` } }
    ],
    "a part in an address": [{ action: "NAVIGATE", parameters: { url: `${home}/?q={{$substring(${P}, 0, 5)}}` } }],
    "a part in a request": [flow({ url: `${home}/?q={{$substring(${P}, 0, 5)}}` })],
    "a part in a body": [flow({ body: { type: "json", value: { p: `{{$substring(${P}, 0, 5)}}` } } })],
    "a kept part with the whole context": [part, type("{{$string(context)}}")],
    "a kept part that is looked up": [part, type("{{$lookup(context, 'part')}}")],
    "a kept part by the root": [part, set("n", "$length($lookup($lookup($$, 'context'), 'part'))")],
    "a kept part by an expression in a text": [part, set("n", "$eval('context.part')")],
    "a kept part by a function": [part, set("n", "$map(['context.part'], $eval)")],
    "a kept part by any name": [part, set("n", "$length(context.*)")],
    "a kept part behind a name": [part, set("n", "context.part = 'H'")]
  }
  for (const [way, steps] of Object.entries(refused)) {
    it.effect(`does not show by what a step does: ${way}`, () =>
      Effect.gen(function* () {
        const { outcome, sent } = yield* told(steps)
        assert.strictEqual(codeOf(outcome), "CREDENTIAL-E0002", JSON.stringify(outcome))
        assert.isEmpty(sent)
        const all = JSON.stringify(outcome)
        for (const word of ["Horse", '"H"', secrets.tfaSecret]) assert.notInclude(all, word)
      })
    )
  }

  it.effect("is hidden in what people read, and in what describes pictures and files", () =>
    Effect.gen(function* () {
      const { pictures, sent } = yield* told([
        { action: "SCREENSHOT", parameters: { metadata: { a: `{{$substring(${P}, 0, 1)}}`, n: `{{$length(${P})}}` } } },
        {
          action: "USER_INTERACTION",
          parameters: {
            server_message: `It begins with {{$substring(${P}, 0, 1)}} and has {{$length(${P})}}`,
            timeout: 1_000,
            expected_datamodel: { type: "object", properties: { a: {} } }
          }
        }
      ])
      assert.deepEqual(pictures[0]?.metadata, { a: "[secret]", n: "[secret]" })
      assert.deepStrictEqual(sent, ["It begins with [secret] and has [secret]"])
    })
  )

  it.effect("is hidden in what is told of the turns of a loop", () =>
    Effect.gen(function* () {
      const { loops, outcome } = yield* told([
        flow({ body: { type: "json", value: { p: `{{${P}}}` } } }, { field_json_map: { rows: "[steps.one.body]" } }),
        {
          action: "LOOP",
          parameters: { variable_over: "{{context.rows}}", variable_current_item: "row", variable_current_index: "at" },
          to: { body: 3, done: 4 }
        },
        { action: "DELAY", parameters: { delay_time: 0 }, to: 2 }
      ])
      assert.strictEqual(codeOf(outcome), "success")
      assert.deepStrictEqual(
        loops.flat().map(({ item }) => item),
        [{ said: "you said [secret]" }]
      )
    })
  )

  it.effect("does not show by the contract of the output", () =>
    Effect.gen(function* () {
      const schema = (pattern: string) => ({
        type: "object",
        properties: { kept: { type: "string", pattern }, shown: { type: "string", pattern } }
      })
      const steps = [set("kept", `$substring(${P}, 0, 1)`), read("shown", "#shown")]
      const ends = yield* Effect.forEach(["^(H|Your password is H)", "^(J|Your password is J)"], (pattern) =>
        Effect.map(told(steps, schema(pattern)), ({ outcome }) => codeOf(outcome))
      )
      assert.deepStrictEqual(ends, ["OUTPUT_SCHEMA_MISMATCH", "OUTPUT_SCHEMA_MISMATCH"])
    })
  )
})

describe("what a page, or a site, shows of a secret", () => {
  const whole = [type(`{{${P}}}`), read("echo", "#shown")]
  it.effect("is not computed with", () =>
    Effect.gen(function* () {
      const { outcome } = yield* told([
        ...whole,
        set("letter", "$substring(context.echo, 17, 1)"),
        set("size", "$length(context.echo)"),
        set("begins", "$contains(context.echo, 'is Horse')"),
        set("document", "$contains(document, 'Horse')"),
        flow(
          { extract: [{ name: "x", source: "response_body", expression: "$substring(said, 9, 1)" }] },
          { field_json_map: { x: "steps.one.x", y: "$substring(steps.one.body.said, 9, 2)" } }
        )
      ])
      const shown = "Your password is [secret]."
      assert.deepEqual<unknown>(outcome.data, {
        echo: shown,
        letter: "[",
        size: shown.length,
        begins: false,
        document: false,
        x: "[",
        y: "[s"
      })
    })
  )

  it.effect("is not compared, nor looked for", () =>
    Effect.gen(function* () {
      for (const value of ["{{context.echo}}", "<<css:#shown>>"]) {
        const seen = yield* told([
          ...whole,
          { ...ask(value, "Your password is Horse-battery-7."), to: { yes: 4, no: 5 } },
          ...branches
        ])
        assert.notProperty(seen.outcome.data, "yes")
      }
      const found = yield* told([...whole, click("//a[.='{{$substring(context.echo, 17, 1)}}']")])
      assert.strictEqual(codeOf(found.outcome), "SELECTOR-E0001")
      const expects = { conditions: [{ type: "text", selector: "#shown", contains: "is Horse" }], wait_time: 0 }
      const expected = yield* told([type(`{{${P}}}`), click("#shown", { expect: expects })])
      assert.strictEqual(codeOf(expected.outcome), "EXPECT-E0001")
    })
  )

  it.effect("is not read from a password field, which may hold a part of it", () =>
    Effect.gen(function* () {
      const typed = type(`{{$substring(${P}, 0, 1)}}`, { selector: "#password" })
      const { outcome } = yield* told([typed, read("held", "#password")])
      assert.deepEqual<unknown>(outcome, { _tag: "Success", data: { held: "[secret]" } })
      const expects = { conditions: [{ type: "value", selector: "#password", equals: "H" }], wait_time: 0 }
      const expected = yield* told([typed, click("#shown", { expect: expects })])
      assert.strictEqual(codeOf(expected.outcome), "EXPECT-E0001")
    })
  )
})

describe("a right workflow goes on as before", () => {
  const right: Readonly<Record<string, ReadonlyArray<Step>>> = {
    "a secret that is typed, chosen, sent": [
      type(`{{${P}}}`),
      type(`{{context.inputs.BANK.USER_NAME}}{{tab}}{{${P}}}`),
      { action: "INPUT_SELECT", parameters: { selector: "#field", value: `{{${P}}}` } },
      flow({ headers: { authorization: `Basic {{$base64encode(context.inputs.BANK.USER_NAME & ':' & ${P})}}` } }),
      flow({ url: `${home}/?key={{$encodeUrlComponent(${P})}}`, body: { type: "json", value: { p: `{{${P}}}` } } })
    ],
    "characters that a site asks for": [
      set("asked", "3"),
      type(`{{$substring(${P}, $number(context.asked) - 1, 1)}}`, { selector: "#password", submit_after_input: true }),
      type(`{{$split(${P}, '')[2]}}`, { selector: "#password" })
    ],
    "a header that is made once": [
      set("auth", `{"header": "Basic " & $base64encode(${P}), "kind": "basic"}`),
      flow({ headers: { authorization: "{{context.auth.header}}" } }),
      type("{{context.auth.header}}")
    ],
    "whether there is a second factor": [
      { ...ask("{{context.inputs.BANK.TFA_SECRET}}", null, "IS_NOT_NULL"), to: { yes: 2, no: 3 } },
      ...branches,
      click("#shown", {
        run_if: { conditions: [{ field: "context.inputs.BANK.TFA_SECRET", operator: "IS_NOT_NULL" }] }
      })
    ],
    "a user name that is compared and kept": [
      set("who", "$uppercase(context.inputs.BANK.USER_NAME)"),
      set("domain", "$substringAfter(context.inputs.BANK.USER_NAME, '@')"),
      set("robot", "context.inputs.BANK.USER_NAME = 'robot'")
    ]
  }
  for (const [way, steps] of Object.entries(right)) {
    it.effect(`with ${way}`, () =>
      Effect.gen(function* () {
        const { outcome } = yield* told(steps)
        assert.strictEqual(codeOf(outcome), "success", JSON.stringify(outcome))
        assert.deepStrictEqual(problemsOf(steps), [])
      })
    )
  }
})

const problemsOf = (steps: ReadonlyArray<Step>) =>
  SaveBody.read(
    { name: "Bank", vault_schema: { BANK: { type: "credential", domain: home } }, ...graphOf(`${home}/`, steps) },
    0
  ).problems

it("a workflow is saved whose texts for people and models hide what is computed from a secret", () => {
  const steps = [
    { action: "SCREENSHOT", parameters: { metadata: { n: `{{$length(${P})}}` } } },
    {
      action: "USER_INTERACTION",
      parameters: {
        server_message: `It has {{$length(${P})}} characters`,
        expected_datamodel: { type: "object", properties: { a: { type: "string" } } }
      }
    },
    {
      action: "EXTRACT_DATAMODEL",
      parameters: {
        execution: "LLM_DOM",
        selector: "//main",
        prompt: "What is said",
        extract_data_model: {
          type: "object",
          properties: { said: { type: "string", description: `What is said of {{${P}}}` } }
        }
      }
    }
  ]
  assert.deepStrictEqual(problemsOf(steps), [])
})

describe("a workflow is not saved", () => {
  it("that computes from a secret what a run refuses", () => {
    for (const [way, expression] of Object.entries(deciding)) {
      const paths = problemsOf([set("kept", expression)]).map(({ path }) => path)
      assert.deepStrictEqual(paths, ["nodes[1].parameters.operations[0].value"], way)
    }
  })

  it("that has a secret where no run takes one", () => {
    const cases: ReadonlyArray<readonly [Step, string]> = [
      [click(`//a[.='{{${P}}}']`), "selector"],
      [{ ...ask(`{{${P}}}`, "x"), to: { yes: 2, no: 3 } }, "comparison_value_1"],
      [
        click("#shown", { expect: { conditions: [{ type: "text", contains: `{{${P}}}` }] } }),
        "expect.conditions[0].contains"
      ],
      [
        click("#shown", { run_if: { conditions: [{ field: P, operator: "EQUAL", value: "x" }] } }),
        "run_if.conditions[0].field"
      ]
    ]
    for (const [step, place] of cases) {
      const [problem] = problemsOf([step, ...branches])
      assert.strictEqual(problem?.path, `nodes[1].parameters.${place}`)
      assert.include(problem?.message, "BANK.PASSWORD")
    }
  })
})
