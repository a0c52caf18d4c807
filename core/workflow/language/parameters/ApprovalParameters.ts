/** The approval that a step needs before its act, for the actions whose one act on one element is known beforehand. */
import { Schema } from "effect"
import * as KeyTokens from "./KeyTokens.ts"

/** Bounds and default of the time for an answer, in seconds. */
export const withinSeconds = { minimum: 5, default: 900, maximum: 86_400 } as const

const absent = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** Who may approve, by when, and what is shown beside the values of the step. */
export const Approval = Schema.Struct({
  by: Schema.Literals(["Member", "Owner"]),
  within: absent(
    Schema.Int.check(Schema.isBetween({ minimum: withinSeconds.minimum, maximum: withinSeconds.maximum }))
  ),
  show: absent(
    Schema.Array(
      Schema.String.check(
        Schema.isNonEmpty({ message: "Expected some text" }),
        Schema.isMaxLength(1_000, { message: "Expected at most 1000 characters" })
      )
    ).check(Schema.isMaxLength(20, { message: "Expected at most 20 texts" }))
  )
})
export type Approval = typeof Approval.Type

export const approval = absent(Approval)

/** The parameters that decide whether what a step does is one act on one element. */
interface Approvable {
  readonly approval?: Approval | null
  readonly execution?: string | null
  readonly text?: string
  readonly omit_focus?: boolean | null
  readonly submit_after_input?: boolean | null
}

/** Why a step with an approval is more, or other, than one act on the element of its selector; `undefined` where it is that. */
export const unapprovable = (given: Approvable) => {
  if ((given.approval ?? null) === null) return undefined
  const refused = (issue: string) => ({ path: ["approval"], issue })
  if ((given.execution ?? "STATIC") !== "STATIC") {
    return refused(`Expected no approval, as execution is ${given.execution}: only an act on a selector is approved`)
  }
  if (given.omit_focus === true) {
    return refused("Expected no approval, as omit_focus is true: only an act on a selector is approved")
  }
  if (given.submit_after_input === true || KeyTokens.split(given.text ?? "").some(({ _tag }) => _tag !== "Text")) {
    return refused("Expected no approval beside keys: approve the CLICK that sends what was typed")
  }
  return undefined
}
