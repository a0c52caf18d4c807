import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { RunEvent } from "../../../core/event/RunEvent.ts"
import * as Announcement from "../../../core/run/interaction/Announcement.ts"
import * as Interaction from "../../../core/run/interaction/Interaction.ts"
import type { EndedRun } from "../../../core/run/Run.ts"
import * as InputContract from "../../../core/workflow/contract/InputContract.ts"
import { RunId, WorkflowId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import { code, runOf } from "../../support/questions.ts"

const asker: Interaction.Asker = {
  workspaceId: WorkspaceId.make(randomUUID()),
  workflowId: WorkflowId.make(randomUUID()),
  runId: RunId.make(randomUUID()),
  fence: 7
}
const run = runOf(asker)
const node = { id: randomUUID(), name: "Ask for the code" }

const forData = (schema: Schema.JsonObject = code) =>
  Interaction.ask(asker, { subject: { _tag: "interaction" }, node, message: "The code?", schema }, "q", 300_000, 1_000)

const forInputs = (choosing = false) =>
  Interaction.ask(
    asker,
    {
      subject: {
        _tag: "input_required",
        reason: "incorrect_form_input",
        inputs: { state: "Kalifornia", lines: ["1"] },
        choosing,
        screenshotId: "s"
      },
      node,
      message: "No such state",
      schema: {
        type: "object",
        properties: { state: { type: "string" }, lines: { type: "array", items: { type: "string" } } },
        required: ["state"],
        additionalProperties: false
      }
    },
    "q",
    15_000,
    1_000
  )

const popup = {
  description: "A pop-up is in the way",
  subType: "NON_DISMISSIBLE",
  address: "https://shop.example/",
  actions: [
    { id: "a", label: "Private" },
    { id: "b", label: "Business" }
  ],
  attempt: 1,
  maxAttempts: 3
}

const forDecision = (): Interaction.Interaction => {
  const question = forInputs()
  const { subject } = question
  return subject._tag !== "input_required"
    ? question
    : { ...question, subject: { ...subject, reason: "non_dismissible_popup", popup } }
}

const reasonOf = (result: Result.Result<unknown, Interaction.NotWaiting | Interaction.InvalidAnswer>) =>
  Result.isSuccess(result)
    ? null
    : result.failure._tag === "NotWaiting"
      ? result.failure.reason
      : result.failure.problems.map(({ path }) => path)

describe("a question for data", () => {
  const ended: EndedRun = { ...run, status: "execution.stopped", endedAt: 2_000, lease: null }
  const taken = Interaction.close(
    Result.getOrThrow(Interaction.answer(forData(), run, { code: "123456" }, 2_000, InputContract.problems)),
    3_000
  )

  it.each([
    ["an answer that fits", forData(), run, { code: "123456" }, 2_000, null],
    ["the last instant", forData(), run, { code: "123456" }, 300_999, null],
    ["the instant at which it expires", forData(), run, { code: "123456" }, 301_000, "WAIT_EXPIRED"],
    ["five digits", forData(), run, { code: "12345" }, 2_000, ["code"]],
    ["a number", forData(), run, { code: 123456 }, 2_000, ["code"]],
    ["nothing", forData(), run, {}, 2_000, ["code"]],
    ["a second answer", taken, run, { code: "654321" }, 3_000, "ANSWERED_ALREADY"],
    [
      "an answer to a question that was given up",
      Interaction.close(forData(), 2_000),
      run,
      { code: "123456" },
      2_000,
      "NOTHING_ASKED"
    ],
    ["an answer to a run that has ended", forData(), ended, { code: "123456" }, 2_000, "RUN_ENDED"],
    [
      "an answer to an earlier attempt",
      forData(),
      runOf({ ...asker, fence: 8 }),
      { code: "123456" },
      2_000,
      "NOTHING_ASKED"
    ],
    ["an answer while corrected inputs are asked for", forInputs(), run, { code: "123456" }, 2_000, "INPUTS_ASKED"]
  ] as const)("%s", (_name, question, of, data, at, expected) => {
    assert.deepStrictEqual(
      reasonOf(Interaction.answer(question, of, data, at, InputContract.problems)),
      expected as never
    )
  })

  it("names every problem at its path, and never what was sent", () => {
    const schema: Schema.JsonObject = {
      type: "object",
      properties: {
        account: {
          type: "object",
          properties: { kind: { enum: ["a", "b"] }, number: { type: "string" } },
          required: ["kind", "number"]
        },
        lines: { type: "array", items: { type: "object", properties: { "a/b": { type: "number" } } } }
      },
      required: ["account"],
      additionalProperties: false
    }
    const result = Interaction.answer(
      forData(schema),
      run,
      { account: { kind: "hunter2" }, lines: [{}, { "a/b": "hunter2" }], more: "hunter2" },
      2_000,
      InputContract.problems
    )
    if (Result.isSuccess(result) || result.failure._tag !== "InvalidAnswer") return assert.fail("It was accepted")
    assert.deepStrictEqual(result.failure.problems.map(({ path }) => path).sort(), [
      "account.kind",
      "account.number",
      "lines[1].a/b",
      "more"
    ])
    assert.notInclude(JSON.stringify([result.failure.problems, result.failure.message]), "hunter2")
  })

  it("asks for what its schema requires, or for everything where it does not say", () => {
    assert.deepStrictEqual(Interaction.missingProperties(code), ["code"])
    assert.deepStrictEqual(Interaction.missingProperties({ properties: { a: {}, b: {} } }), ["a", "b"])
    assert.deepStrictEqual(Interaction.missingProperties({ properties: { a: {} }, required: [] }), [])
  })

  it("is announced in the shape of the interface, and no event holds an answer", () => {
    const question = forData()
    const facts = {
      runId: asker.runId,
      workflowId: asker.workflowId,
      step: node.name,
      missingProperties: ["code"],
      schema: code,
      message: "The code?"
    }
    assert.deepStrictEqual(Announcement.asked(question), {
      event: "interaction.waiting",
      ...facts,
      expiresAt: 301_000
    })
    const answered = Result.getOrThrow(
      Interaction.answer(question, run, { code: "123456" }, 2_000, InputContract.problems)
    )
    assert.deepStrictEqual(Announcement.answered(answered, answered.answer), [
      { event: "interaction.finished", ...facts, missingProperties: [] }
    ])
    const all = [
      Announcement.asked(answered),
      ...Announcement.answered(answered, answered.answer),
      ...Announcement.unanswered(answered, "timeout")
    ]
    assert.notInclude(JSON.stringify(all), "123456")
    for (const event of all) assert.isTrue(Schema.is(RunEvent)(event))
    assert.isNull(Interaction.close(answered, 3_000).answer)
  })
})

describe("a question for corrected inputs", () => {
  const inputs = (given: Schema.JsonObject): Interaction.Correction => ({ _tag: "inputs", inputs: given })
  const option: Interaction.Correction = { _tag: "option", option: "California", save: true }

  it.each([
    ["a corrected input", forInputs(), inputs({ state: "California" }), 2_000, null],
    ["none", forInputs(), inputs({}), 2_000, ["input_variables"]],
    [
      "inputs that break the schema",
      forInputs(),
      inputs({ state: 5, lines: ["a", 1] }),
      2_000,
      ["input_variables.state", "input_variables.lines[1]"]
    ],
    ["an input that there is not", forInputs(), inputs({ city: "x" }), 2_000, ["input_variables.city"]],
    ["an option where one is chosen", forInputs(true), option, 2_000, null],
    ["an option where none is chosen", forInputs(), option, 2_000, ["chosen_option"]],
    ["an action where there is no pop-up", forInputs(), { _tag: "action", action: "ok" }, 2_000, ["modal_action"]],
    ["an action of a pop-up", forDecision(), { _tag: "action", action: "b" }, 2_000, null],
    ["an action that a pop-up has not", forDecision(), { _tag: "action", action: "c" }, 2_000, ["modal_action"]],
    ["inputs at a pop-up", forDecision(), inputs({ state: "California" }), 2_000, ["input_variables"]],
    ["an option at a pop-up", forDecision(), option, 2_000, ["chosen_option"]],
    ["inputs that come too late", forInputs(), inputs({ state: "California" }), 16_000, "WAIT_EXPIRED"],
    ["inputs when data is asked for", forData(), inputs({ state: "California" }), 2_000, "DATA_ASKED"]
  ] as const)("%s", (_name, question, correction, at, expected) => {
    assert.deepStrictEqual(
      reasonOf(Interaction.correct(question, run, correction, at, InputContract.problems)),
      expected as never
    )
  })

  it("takes an option at a pop-up for its action", () => {
    const chosen = { _tag: "option", option: "b", save: true } as const
    const decided = Interaction.correct(forDecision(), run, chosen, 2_000, InputContract.problems)
    assert.deepStrictEqual(Result.getOrThrow(decided).answer, { _tag: "action", action: "b", save: true })
  })

  it("takes an option at a pop-up by the label of its action", () => {
    const option = ` ${popup.actions.find(({ id }) => id === "b")?.label.toUpperCase()} `
    const chosen = { _tag: "option", option, save: false } as const
    const decided = Interaction.correct(forDecision(), run, chosen, 2_000, InputContract.problems)
    assert.deepStrictEqual(Result.getOrThrow(decided).answer, { _tag: "action", action: "b", save: false })
  })

  it("puts corrected inputs in the places of the old ones, and keeps the others", () => {
    const corrected = Result.getOrThrow(
      Interaction.correct(forInputs(), run, inputs({ state: "California" }), 2_000, InputContract.problems)
    )
    assert.deepStrictEqual(corrected.answer, { _tag: "inputs", inputs: { state: "California", lines: ["1"] } })
  })
})

describe("a question", () => {
  const Moment = Schema.Struct({
    at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 400_000 })),
    data: Schema.Struct({
      code: Schema.Union([Schema.Literals(["123456", "000000", "12345", "1234567", "١٢٣٤٥٦"]), Schema.String])
    })
  })

  it.prop("accepts an answer exactly while it is open and the answer fits", [Moment], ([{ at, data }]) => {
    const accepted = Result.isSuccess(Interaction.answer(forData(), run, data, at, InputContract.problems))
    assert.strictEqual(accepted, at < 301_000 && /^\d{6}$/.test(data.code))
  })

  it.prop("once closed is never open again, and holds no answer", [Schema.Array(Moment)], ([moments]) => {
    let question: Interaction.AskedQuestion & { readonly answer: unknown } = forData()
    let closed = false
    for (const { at } of moments) {
      const next: Result.Result<typeof question, unknown> =
        at % 3 === 0
          ? Result.succeed(Interaction.close(question, at))
          : Interaction.answer(question, run, { code: "123456" }, at, InputContract.problems)
      if (closed) assert.isTrue(at % 3 === 0 || Result.isFailure(next))
      if (Result.isSuccess(next)) question = next.success
      closed ||= question.closedAt !== null
      assert.isFalse(closed && question.answer !== null)
    }
  })
})
