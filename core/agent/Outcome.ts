/**
 * How an execution ended, with everything secret hidden in it.
 */
import { Effect, type Schema } from "effect"
import * as RunFailure from "../event/RunFailure.ts"
import type { RunWarning } from "../event/RunWarning.ts"
import type { Secrets } from "../redaction/Secrets.ts"
import * as OutputContract from "../workflow/contract/OutputContract.ts"
import * as ErrorReferences from "../workflow/ErrorReferences.ts"
import type { Node } from "../workflow/language/graph/Graph.ts"
import * as Json from "../workspace/Json.ts"
import type { Execution } from "./Execution.ts"
import { type Category, type Code, declared, kinds, StepFailed } from "./Failure.ts"
import type { Classification } from "./recovery/Classification.ts"
import * as ErrorSubType from "./recovery/ErrorSubType.ts"
import * as Memory from "./variables/Memory.ts"

/** The failure of an execution: the reported part, and the part that decides whether its run is retried. */
export interface Failure extends RunFailure.Facts {
  readonly code: Code
  readonly category: Category
  /** Whether a later attempt is likely to succeed. */
  readonly passing: boolean
  /** The id of the error code that the node names for this failure. */
  readonly errorCodeId: string | null
  /** The credential that the site refused, if its page shows that; `null` for other failures. */
  readonly failedLogin: string | null
}

/** The failure of an execution that ended before its first step. Trying it again would not help. */
export const neverBegun = (code: Code, message: string, original: string | null = null): Failure => ({
  ...RunFailure.of({ code, message, original }),
  code,
  category: kinds[code],
  subType: ErrorSubType.ofCode(code),
  passing: false,
  errorCodeId: null,
  failedLogin: null
})

/** How an execution ended. A failed one keeps the data that it had gathered. */
export type Outcome =
  | { readonly _tag: "Success"; readonly data: Schema.Json }
  | { readonly _tag: "Failed"; readonly data: Schema.Json; readonly failure: Failure }

/** The end at a node on a page: the data that the output schema allows, or that it does not fit. A dry run that ends before END may lack data. */
export const finish = Effect.fnUntraced(function* (
  execution: Execution,
  memory: Memory.Memory,
  node: Node,
  address: string,
  warnings: ReadonlyArray<RunWarning>
): Effect.fn.Return<Outcome> {
  const { secrets } = execution
  // A contract must not tell by a pattern what a secret is.
  const data = yield* secrets.hideInOutput(Memory.gathered(memory, execution.outputSchema))
  const shown = added(OutputContract.project(execution.outputSchema, data), execution.dryRun?.addToOutput ?? {})
  const mismatch = node.action === "END" ? yield* OutputContract.mismatch(execution.outputSchema, shown) : null
  if (mismatch === null) return { _tag: "Success", data: shown }
  return failed(
    shown,
    new StepFailed({
      code: "OUTPUT_SCHEMA_MISMATCH",
      sentence: [mismatch, ...unread(warnings)].join(". "),
      original: null
    }),
    node,
    address,
    secrets
  )
})

/** What was read without a value, which may be why the output lacks one. */
const unread = (warnings: ReadonlyArray<RunWarning>): ReadonlyArray<string> =>
  warnings
    .filter(({ code }) => code === "FIGURE-W0001" || code === "VALUE-W0001")
    .map(({ message }) => message)
    .slice(-3)

/** The output of a dry run: the fields of an object are added to the data, any other value takes its place. */
const added = (data: Schema.JsonObject, addToOutput: Schema.Json): Schema.Json =>
  Json.isObject(addToOutput) ? { ...data, ...addToOutput } : addToOutput

/** Facts about a failure in addition to those of the step. */
export interface FailureFacts {
  readonly classification?: Classification
  /** Whether to propose a name for it. */
  readonly suggests?: boolean
}

/** Failures to reach the site. They are temporary, unless the page shows another cause. */
const passes: ReadonlySet<Code> = new Set(["NAVIGATION-E0003", "NAVIGATION-E0004", "BROWSER-E0001", "PROXY-E0001"])

/** A name for a failure: what was done, and what kind of thing went wrong, such as `SUBMIT_ORDER_PAGE_NOT_FOUND`. */
const nameFor = (node: Node | null, category: Category): string =>
  `${node?.name ?? "RUN"} ${category}`
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_|_$/g, "")
    .slice(0, 100)

/** The failure of an execution, with the message that its node declares, if it declares one. */
export const failed = (
  data: Schema.Json,
  { code, model, original, sentence }: StepFailed,
  node: Node | null,
  address: string | null,
  secrets: Secrets,
  failedLogin: string | null = null,
  { classification, suggests = false }: FailureFacts = {}
): Outcome => {
  const { hide } = secrets
  const where = address === null ? "" : ` (at ${address})`
  const said = node === null ? null : declared(node, code)
  const errorCodeId = said === null ? null : ErrorReferences.idIn(said)
  const words = errorCodeId === null ? said : null
  const text = words ?? sentence
  const category = classification?.category ?? kinds[code]
  return {
    _tag: "Failed",
    data,
    failure: {
      code,
      category,
      subType: classification === undefined ? ErrorSubType.ofCode(code) : classification.subType,
      description: classification === undefined ? null : hide(classification.description),
      passing: passes.has(code) || category === "SERVICE_UNAVAILABLE",
      suggestedErrorCode: suggests && errorCodeId === null ? hide(nameFor(node, category)) : null,
      message: hide(node === null ? text : `Node "${node.name}": ${text}${where}`),
      original: words === null ? (original === null ? null : hide(original)) : hide(sentence),
      errorCodeId,
      node: node === null ? null : { id: node.id, name: node.name, action: node.action },
      address: address === null ? null : hide(address),
      failedLogin,
      model: model === undefined ? null : { name: model.name, prompt: hide(model.prompt) }
    }
  }
}
