/**
 * Inputs that a form complains about. A person corrects them; then the fields are filled in again, what was pressed since is
 * pressed again, and the step that did not find what should have followed is tried again.
 */
import { Effect, Option } from "effect"
import { isUnsettled } from "../../browser/element/Survey.ts"
import * as Approval from "../../workflow/language/graph/Approval.ts"
import type { Node } from "../../workflow/language/graph/Graph.ts"
import * as NodeExpressions from "../../workflow/language/graph/NodeExpressions.ts"
import { StepFailed } from "../Failure.ts"
import { complaintOf } from "./Classification.ts"
import {
  type CompletedStep,
  type FailedStep,
  isAboutElement,
  type RecoveryStrategy,
  type Remedy
} from "./RecoveryStrategy.ts"
import { settling } from "./Timing.ts"

/** How often a person is asked about the form before one step. */
const mostTries = 3

export const formCorrection: RecoveryStrategy = Effect.fnUntraced(function* (trouble, { correctable, person, redo }) {
  const { failure, memory, node, page, survey, tried } = trouble
  const complaint = complaintOf(survey)
  const inputs = complaint === null || !isAboutElement(failure) ? [] : concerned(trouble)
  if (!correctable || tried >= mostTries || inputs.length === 0) return null
  if (tried > 0 && isUnsettled(survey)) {
    // The complaint may be the one before, while the corrected form is still being sent.
    const target = failure.selector ?? null
    const waited = yield* settling(page, target)
    const seen = yield* Effect.result(page.elements.survey({ target, fields: [] }))
    if (seen._tag === "Failure" || seen.success.matched === 1 || complaintOf(seen.success) === null)
      return { _tag: "Again", remedy: `Waited ${waited / 1_000} s for the page after the corrected form` }
  }
  const { secrets } = memory.credentials
  const said = secrets.hideWithin(complaint ?? "", 400)
  const ended = (why: string): Remedy => ({
    _tag: "End",
    remedy: why,
    failure: new StepFailed({
      code: "OPTION-E0001",
      sentence: `The form does not take ${inputs.join(", ")}, saying "${said}": ${failure.sentence}`,
      original: failure.sentence
    })
  })
  const shot = yield* Effect.option(page.elements.screenshot(null, { fullPage: false }))
  const correction = yield* person.correct({
    node,
    message: `The form complains: "${said}". Correct ${inputs.join(", ")}`,
    inputs: memory.inputs,
    choosing: false,
    shot: Option.getOrNull(shot)
  })
  if (correction?._tag !== "inputs") return ended("No corrected inputs were given in time")
  const corrected = { ...memory, inputs: correction.inputs }
  const steps = toRedo(trouble)
  const unrepeatable = steps.find(({ node: one }) => isNotRepeatable(one) || Approval.of(one) !== null)
  if (unrepeatable !== undefined) return ended(`The node "${unrepeatable.node.name}" must not be repeated`)
  for (const step of steps) {
    const done = yield* redo(step, { ...step.position.memory, inputs: correction.inputs }, page)
    if (done._tag === "Failure") break
  }
  return { _tag: "Again", remedy: `Filled in ${inputs.join(", ")} again, as a person corrected`, memory: corrected }
})

const isFilling = ({ node }: CompletedStep): boolean => node.action === "INPUT_TEXT" || node.action === "INPUT_SELECT"

/** The steps whose field is complained about; where none is in particular, those whose field can still be seen. */
const filled = ({ survey, trail }: FailedStep): ReadonlyArray<CompletedStep> => {
  const states = trail.map((step, index) => ({ step, state: survey.fields[index] }))
  const fillings = states.filter(({ step }) => isFilling(step) && NodeExpressions.inputs(step.node).length > 0)
  const complained = fillings.filter(({ state }) => state !== undefined && state.complaint !== "")
  return (complained.length > 0 ? complained : fillings.filter(({ state }) => state?.shown === true)).map(
    ({ step }) => step
  )
}

const concerned = (trouble: FailedStep): ReadonlyArray<string> => {
  const { accounts } = trouble.memory.credentials
  const names = filled(trouble).flatMap(({ node }) => NodeExpressions.inputs(node))
  return [...new Set(names)].filter((name) => name !== "" && !accounts.has(name))
}

/** From the first field that is concerned on, everything that can be done again because it is still there. */
const toRedo = (trouble: FailedStep): ReadonlyArray<CompletedStep> => {
  const { survey, trail } = trouble
  const [first] = filled(trouble)
  const start = first === undefined ? trail.length : trail.indexOf(first)
  return trail.filter((_, index) => index >= start && survey.fields[index]?.shown === true)
}

const isNotRepeatable = (node: Node): boolean =>
  "not_repeatable" in node.parameters && node.parameters.not_repeatable === true
