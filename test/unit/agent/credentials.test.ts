import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as References from "../../../core/agent/model/References.ts"
import * as Memory from "../../../core/agent/variables/Memory.ts"
import * as PageView from "../../../core/agent/vision/PageView.ts"
import { Browser } from "../../../core/browser/Browser.ts"
import * as Session from "../../../core/browser/Session.ts"
import { Secrets } from "../../../core/redaction/Secrets.ts"
import { type Account, AccountUnavailable } from "../../../core/vault/Account.ts"
import * as SaveBody from "../../../core/workflow/SaveBody.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { account } from "../../support/accounts.ts"
import { graphOf, type Step, walk } from "../../support/browser.ts"

const site = "https://bank.example/"
const pages: ScriptedBrowser.ScriptedSite = {
  [site]: [
    { selector: "#user", value: "" },
    { selector: "#password", value: "" },
    { selector: "//select", value: "", options: ["one"] }
  ]
}

const bank = account("BANK", {
  userName: "ada@bank.example",
  password: "horse & <battery>",
  tfaSecret: "JBSWY3DPEHPK3PXP"
})

const run = (steps: ReadonlyArray<Step>, accounts: ReadonlyArray<Account> = [bank], secrets = new Secrets()) =>
  walk(graphOf(site, steps), { BANK: "robot", other: 1 }, { accounts, secrets }).pipe(
    Effect.provide(ScriptedBrowser.layer(pages))
  )

const type = (selector: string, text: string): Step => ({ action: "INPUT_TEXT", parameters: { selector, text } })
const read = (properties: Record<string, string>): Step => ({
  action: "EXTRACT_DATAMODEL",
  parameters: {
    extract_data_model: {
      type: "object",
      properties: Object.fromEntries(Object.entries(properties).map(([name, path]) => [name, { type: "string", path }]))
    }
  }
})

describe("the secrets of a credential", () => {
  it.effect("are typed where a template names them; of the data only the user name stays", () =>
    Effect.gen(function* () {
      const { outcome } = yield* run([
        type("#user", "{{context.inputs.BANK.USER_NAME}}"),
        type("#password", "{{context.inputs.BANK.PASSWORD}}"),
        read({ user: "#user", password: "#password", upper: "{{$uppercase(context.inputs.BANK.PASSWORD)}}" })
      ])
      assert.deepEqual(outcome, {
        _tag: "Success",
        data: { user: "ada@bank.example", password: "[secret]", upper: "[secret]" }
      })
    })
  )

  it.effect("are not in the inputs, which have the id that the caller sent", () =>
    Effect.gen(function* () {
      const { outcome } = yield* run([
        read({
          all: "{{$string(context.inputs)}}",
          id: "{{context.inputs.BANK}}",
          both: "{{$string(context.inputs) & $substring(context.inputs.BANK.USER_NAME, 0, 3)}}",
          looked: "{{$lookup(context.inputs, 'BANK').PASSWORD}}",
          root: "{{$string($$) & context.inputs.BANK.NOTHING}}"
        })
      ])
      assert.deepInclude(outcome.data, {
        all: '{"BANK":"robot","other":1}',
        id: "robot",
        both: '{"BANK":"robot","other":1}ada',
        looked: null
      })
      assert.notInclude(JSON.stringify(outcome), "horse")
    })
  )

  it.effect("are read when a step needs them, and none that it does not name", () =>
    Effect.gen(function* () {
      const opened: Array<string> = []
      const counted = (alias: string, of: Account): Account => ({
        ...of,
        alias,
        secrets: Effect.suspend(() => {
          opened.push(alias)
          return of.secrets
        })
      })
      const secrets = new Secrets()
      yield* run(
        [type("#user", "{{context.inputs.BANK.USER_NAME}}")],
        [counted("BANK", bank), counted("X", bank)],
        secrets
      )
      assert.deepStrictEqual(opened, ["BANK"])
      assert.strictEqual(secrets.hide("ada@bank.example horse & <battery>"), "[user name] horse & <battery>")
    })
  )

  it.effect("fail the step that needs them when they cannot be had, and say why", () =>
    Effect.gen(function* () {
      const reason = "the provider does not answer"
      const gone = new AccountUnavailable({ alias: "BANK", permissionedUserId: "robot", domain: site, reason })
      const { outcome } = yield* run(
        [type("#user", "{{context.inputs.BANK.USER_NAME}}")],
        [{ ...bank, secrets: Effect.fail(gone) }]
      )
      assert.strictEqual(outcome._tag, "Failed")
      if (outcome._tag === "Failed") {
        assert.deepInclude(outcome.failure, {
          code: "CREDENTIAL-E0001",
          category: "AUTHENTICATION_ERROR",
          original: reason
        })
        assert.include(outcome.failure.message, `BANK of "robot" for "${site}"`)
      }
    })
  )

  it.effect("are in no message of a step that fails over them", () =>
    Effect.gen(function* () {
      for (const name of ["USER_NAME", "PASSWORD", "TFA_SECRET"]) {
        const { outcome } = yield* run([
          {
            action: "INPUT_SELECT",
            parameters: { selector: "//select", value: `{{context.inputs.BANK.${name}}}` }
          }
        ])
        assert.strictEqual(outcome._tag, "Failed")
        assert.notMatch(JSON.stringify(outcome), /ada@|horse|JBSWY/)
      }
    })
  )
})

describe("the text that a model is sent about", () => {
  const secrets = new Secrets()
  const credentials = { accounts: new Map([["BANK", bank]]), secrets }
  const memory = Memory.initial({ BANK: "robot", city: "Ulm" }, credentials)
  const told = (text: string) =>
    Effect.scoped(
      Effect.gen(function* () {
        const page = yield* (yield* Browser).open(Session.empty)
        return yield* Effect.result(References.evaluate(text, memory, page))
      })
    ).pipe(Effect.provide(ScriptedBrowser.layer(pages)))

  it.effect("a secret is its reference, and nothing that is made of it", () =>
    Effect.gen(function* () {
      const plain = yield* told("{{context.inputs.BANK.PASSWORD}} in {{$uppercase(context.inputs.city)}}")
      assert.strictEqual(Result.getOrNull(plain), "{{secret:BANK.PASSWORD}} in ULM")
      const made = yield* told("Type {{$uppercase(context.inputs.BANK.PASSWORD)}}")
      assert.isTrue(Result.isFailure(made))
      if (Result.isFailure(made)) assert.strictEqual(made.failure.code, "MODEL-E0006")
    })
  )

  it.effect(
    "a context that is too long is cut where no secret can be, and says so",
    Effect.fnUntraced(function* () {
      secrets.add("hunter-42-hunter", "secret")
      for (let length = 39_950; length < 40_000; length++) {
        const data = { a: `${"x".repeat(length)}hunter-42-hunter`, b: "y" }
        const context = yield* PageView.context({ ...memory, data })
        assert.notInclude(context, "hunter")
        assert.include(context, PageView.restIsCut)
      }
    })
  )
})

describe("a workflow is refused", () => {
  const problems = (parameters: object, vault_schema: object = { BANK: { type: "credential", domain: site } }) =>
    SaveBody.read(
      {
        name: "Bank",
        vault_schema,
        ...graphOf(site, [{ action: "INPUT_TEXT", parameters: { selector: "#a", ...parameters } }])
      },
      0
    ).problems

  it("when it reads what no credential has", () => {
    assert.deepStrictEqual(problems({ text: "{{context.inputs.BANK.PASSWORD & context.inputs.BANK.TFA_SECRET}}" }), [])
    assert.deepStrictEqual(problems({ text: "{$BANK.USER_NAME} of {$BANK}" }), [])
    assert.deepStrictEqual(problems({ text: "{{context.inputs.BANK.PIN}}" }), [
      {
        path: "nodes[1].parameters",
        message:
          'Node "INPUT_TEXT 1" reads "PIN" of the credential BANK: expected one of USER_NAME, PASSWORD, TFA_SECRET'
      }
    ])
  })

  it("when a model would get the result of an expression over a secret", () => {
    const asks = (secret: string) =>
      problems({ text: "x", execution: "LLM_DOM", prompt: `The field that holds {{${secret}}}` }).map(
        ({ path }) => path
      )
    assert.deepStrictEqual(asks("context.inputs.BANK.USER_NAME"), [])
    assert.deepStrictEqual(asks("$uppercase(context.inputs.BANK.USER_NAME)"), ["nodes[1].parameters.prompt"])
  })
})
