/**
 * A run that failed, as Markdown for a model: the cause, the step, what the page showed, the elements that are nearest to
 * what the step looked for, and what to change.
 */
import * as Bounds from "./Bounds.ts"
import type { PageText } from "./PageText.ts"
import { nearest } from "./PageText.ts"
import type { Step } from "./Steps.ts"
import * as Untrusted from "./Untrusted.ts"

/** The most tokens of the Markdown. */
export const mostTokens = 2_000

export interface Failed {
  readonly session_id: string
  readonly workflow_id: string
  readonly status: string
  readonly outcome_certainty: string | null
  readonly error: {
    readonly code: string | null
    readonly message: string
    readonly description: string | null
    readonly address: string | null
  }
  /** The step that failed, as the workflow has it now; `null` for a failure outside the steps. */
  readonly step: Step | null
  readonly page: PageText | null
  /** Changes that runs have suggested for the step. */
  readonly suggestions: ReadonlyArray<{
    readonly parameter: string | null
    readonly after: string | number
    readonly reason: string
  }>
}

const advice = ({ error, outcome_certainty, page, step, suggestions }: Failed): ReadonlyArray<string> => {
  const proposed = suggestions
    .slice(0, 3)
    .map(
      ({ after, parameter, reason }) =>
        `- Set ${parameter ?? "the pop-ups of the workflow"} to ${Untrusted.inLine(JSON.stringify(after), 200)}: ${Untrusted.inLine(reason, 200)}`
    )
  const own =
    step === null
      ? ["- The failure is outside of the steps: look at the inputs, the credential and the code of the error"]
      : [
          `- Change the step with edit_workflow: {"op":"change","step":${JSON.stringify(Bounds.cut(step.name, 100))},"parameters":{…}}`,
          ...(typeof step.parameters?.selector === "string"
            ? [
                "- If its element is one of those above, use that selector; if the page is another one, add a step before it"
              ]
            : [])
        ]
  return [
    ...proposed,
    ...own,
    ...(page === null && error.address !== null
      ? ["- No page was kept: run it again with debug, which keeps the page at each step"]
      : []),
    ...(outcome_certainty === "committed" || outcome_certainty === "unknown"
      ? ["- Its effects on the site may have happened: a person decides whether it is repeated"]
      : [])
  ]
}

/** The Markdown, within its bound: what the page showed is cut first. */
export const markdown = (failed: Failed): string => {
  const { error, page, session_id, status, step, workflow_id } = failed
  // The message has what the description leaves out, such as how many elements match and which are similar.
  const cause = [...new Set([error.description, error.message])]
    .flatMap((said) => (said === null ? [] : [Untrusted.inLine(said, 500)]))
    .join("\n")
  const about = [
    `# Run ${session_id} failed${error.code === null ? "" : `: ${Untrusted.inLine(error.code, 100)}`}`,
    `Workflow ${workflow_id}, status ${status}, outcome ${failed.outcome_certainty ?? "not known"}. ${Untrusted.notice}`,
    "## Cause",
    Untrusted.block(cause, 1_000),
    "## Step",
    step === null
      ? "None: it failed before or after the steps."
      : `"${Untrusted.inLine(step.name, 200)}" (${step.action}, id ${step.id}) with ${Untrusted.inLine(JSON.stringify(step.parameters ?? {}), 800)}`
  ]
  const sought = step === null ? cause : `${step.name} ${JSON.stringify(step.parameters ?? {})} ${error.message}`
  const elements = page === null ? [] : nearest(page.elements, sought, 8)
  const after = [
    "## Nearest elements",
    elements.length === 0
      ? "Not known."
      : Untrusted.block(
          elements
            .map(({ label, selector }) => `- css=${selector.slice(0, 120)} ${JSON.stringify(label.slice(0, 80))}`)
            .join("\n"),
          1_400
        ),
    "## What to change",
    ...advice(failed)
  ]
  const address = error.address === null ? [] : [Untrusted.inLine(error.address, 300)]
  const used = [...about, ...address, ...after].join("\n").length
  const left = Math.min(1_800, Bounds.charactersOf(mostTokens) - used - 200)
  const showed = [...address, page === null ? "Not kept." : page.text].join("\n")
  return [...about, "## What the page showed", Untrusted.block(showed, left), ...after].join("\n")
}
