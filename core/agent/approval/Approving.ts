/**
 * Stops a step before its act until a person has approved exactly that act.
 *
 * What is approved is compared twice: by all facts, secrets included, which never leave the worker, and by the digest of the
 * recorded ones, which a person's answer names.
 */
import { Effect, Option, type Schema } from "effect"
import type { BrowserSession } from "../../browser/Browser.ts"
import { changeOf, type ElementFacts } from "../../browser/element/ElementFacts.ts"
import type { Box } from "../../browser/vision/Sight.ts"
import * as ApprovedAct from "../../run/interaction/ApprovedAct.ts"
import type { Node } from "../../workflow/language/graph/Graph.ts"
import { type Approval, withinSeconds } from "../../workflow/language/parameters/ApprovalParameters.ts"
import * as Json from "../../workspace/Json.ts"
import { ofPage, StepFailed } from "../Failure.ts"
import type { Person } from "../Person.ts"
import type { StepContext } from "../Step.ts"
import * as Memory from "../variables/Memory.ts"
import * as SecretUse from "../variables/SecretUse.ts"
import * as Rehearsal from "./Rehearsal.ts"

/** An act that a step is about to do. */
export interface Intended {
  readonly call: Rehearsal.Call
  readonly facts: ElementFacts
  readonly box: Box | null
  /** All of it as one text: two acts are the same when these are. It may have secrets, and never leaves the worker. */
  readonly exact: string
  /** The act without secrets, as it is recorded. */
  readonly act: ApprovedAct.ApprovedAct
}

/** The approvals of a step, over all its attempts. */
export interface Approvals {
  /** What a person has approved, and what has not been done yet. */
  approved: Intended | null
  /** What was asked for last. */
  last: Intended | null
  asked: number
}

export const none = (): Approvals => ({ approved: null, last: null, asked: 0 })

/** How often a step asks at most while its page keeps changing. */
const mostAsked = 5

/** Longest text for a person, in characters. */
const longestShown = 1_000

/** The parameters whose texts decide what is done. */
const decisive = new Set(["selector", "text", "value"])

/** What a step is about to do now. `perform` is its action. */
export const intended = Effect.fnUntraced(function* (
  node: Node,
  approval: Approval,
  context: StepContext,
  perform: (context: StepContext) => Effect.Effect<unknown, StepFailed>
): Effect.fn.Return<Intended, StepFailed> {
  const { memory, page } = context
  const { secrets } = memory.credentials
  const calls: Array<Rehearsal.Call> = []
  yield* perform({ ...context, page: Rehearsal.noting(page, calls) })
  const [call] = calls
  if (call === undefined || calls.length > 1) {
    return yield* Effect.die(new Error(`An approved step does ${calls.length} acts instead of one`))
  }
  const { box, facts } = yield* page.elements
    .facts(call.query)
    .pipe(Effect.mapError((failure) => ofPage("ask for approval of an act on", failure)))
  const shown = yield* Effect.forEach(approval.show ?? [], (text) =>
    Effect.map(Memory.evaluateText(text, memory, page, "hidden"), (text) => secrets.hideWithin(text, longestShown))
  )
  const values = yield* valuesOf(node, context)
  const parameters = JSON.parse(JSON.stringify(node.parameters)) as Schema.JsonObject
  const step = { id: node.id, action: node.action, parameters }
  const visible = yield* secrets.hideIn({ inputs: memory.inputs, element: withoutSecrets(facts), values })
  return {
    call,
    facts,
    box,
    exact: Json.canonical({ said: call.said, facts, values, shown, inputs: memory.inputs }),
    act: { step, shown, ...visible }
  }
})

/** The texts of a step, evaluated. One that reads a secret stands as it is in the workflow. */
const valuesOf = Effect.fnUntraced(function* ({ parameters }: Node, { memory, option, page }: StepContext) {
  const values: Record<string, string> = {}
  for (const [name, written] of Object.entries(parameters)) {
    if (!decisive.has(name) || typeof written !== "string") continue
    const isSecret = (yield* SecretUse.usedBy(written, memory)).length > 0
    values[name] = isSecret ? written : yield* Memory.evaluateText(written, memory, page, "hidden")
  }
  return option === null ? values : { ...values, value: option }
})

/** The facts without what secret fields hold, whose place a note takes that they hold something. */
const withoutSecrets = (facts: ElementFacts): ElementFacts =>
  facts.form === null
    ? facts
    : {
        ...facts,
        form: {
          ...facts.form,
          fields: facts.form.fields.map((field) =>
            field.kind === "secret" && field.value !== "" ? { ...field, value: "[secret]" } : field
          )
        }
      }

/** Asks a person about an act. Fails unless it is approved. */
export const ask = Effect.fnUntraced(function* (
  node: Node,
  approval: Approval,
  wanted: Intended,
  approvals: Approvals,
  page: BrowserSession,
  person: Person
): Effect.fn.Return<void, StepFailed> {
  const { last } = approvals
  const change = last === null ? null : (changeOf(last.facts, wanted.facts) ?? "a value of the step")
  if (person.approve === undefined) return yield* unapproved("nobody can be asked here")
  if (approvals.asked >= mostAsked) {
    return yield* new StepFailed({
      code: "APPROVAL-E0003",
      sentence: `Cannot do what was approved: it was asked ${mostAsked} times, and each time something changed before the act, at last ${change}`,
      original: null
    })
  }
  approvals.asked++
  approvals.last = wanted
  const within = approval.within ?? withinSeconds.default
  const verdict = yield* person.approve({
    node,
    by: approval.by,
    digest: ApprovedAct.digestOf(wanted.act),
    told: ApprovedAct.tellingOf(wanted.act),
    change,
    shot: Option.getOrNull(yield* Effect.option(page.elements.screenshot(null, { fullPage: false }))),
    box: wanted.box,
    timeoutMillis: within * 1_000
  })
  switch (verdict._tag) {
    case "Approved":
      approvals.approved = wanted
      return
    case "Refused":
      return yield* new StepFailed({
        code: "APPROVAL-E0002",
        sentence: `A person refused the act${verdict.reason === null ? "" : `: ${verdict.reason}`}`,
        original: verdict.reason
      })
    case "Unanswered":
      return yield* unapproved(`nobody approved or refused it within ${within} s`)
  }
})

const unapproved = (reason: string): StepFailed =>
  new StepFailed({ code: "APPROVAL-E0001", sentence: `Cannot act without an approval: ${reason}`, original: reason })

/** Whether an attempt did nothing because the act was not the approved one any more. */
export const isChanged = ({ acted, code }: StepFailed): boolean => code === "APPROVAL-E0003" && acted !== true
