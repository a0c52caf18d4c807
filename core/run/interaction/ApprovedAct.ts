/**
 * What a person approves: one act of one step on one element, and the digest that the approval is bound to.
 *
 * It has no secret: where a text of the step reads one, its expression stands in the place of the value, and what the page
 * shows of one is `[secret]`. So nothing that is computed from a secret is in the digest.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Schema } from "effect"
import type { ElementFacts } from "../../browser/element/ElementFacts.ts"
import * as Json from "../../workspace/Json.ts"

export interface ApprovedAct {
  /** The step as the workflow has it. */
  readonly step: { readonly id: string; readonly action: string; readonly parameters: Schema.JsonObject }
  /** The inputs of the run. */
  readonly inputs: Schema.JsonObject
  readonly element: ElementFacts
  /** The texts of the step with their expressions evaluated, by the names of its parameters. */
  readonly values: Schema.JsonObject
  /** What the workflow shows to the person, its expressions evaluated. */
  readonly shown: ReadonlyArray<string>
}

/** The lower-case hexadecimal SHA-256 of the canonical JSON of an act. */
export const digestOf = ({ element, inputs, shown, step, values }: ApprovedAct): string =>
  bytesToHex(sha256(utf8ToBytes(Json.canonical({ step, inputs, element, values, shown }))))

/** What a person is told of an act: no hidden field, and no secret one. */
export const Told = Schema.Struct({
  action: Schema.String,
  element: Schema.Struct({ tag: Schema.String, text: Schema.String, name: Schema.NullOr(Schema.String) }),
  /** The address of the page, and where the act leads by the link or the form of the element. */
  target: Schema.Struct({
    page: Schema.String,
    address: Schema.NullOr(Schema.String),
    method: Schema.NullOr(Schema.String)
  }),
  values: Schema.JsonObject,
  fields: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })),
  shown: Schema.Array(Schema.String)
})
export type Told = typeof Told.Type

/** The names by which a person knows an element without a text, the best first. */
const namings = ["aria-label", "title", "placeholder", "name", "id"]

/** Longest text of an element or a field that is told, in characters, and the number of fields. */
const longest = 500
const mostFields = 50

export const tellingOf = ({ element, shown, step, values }: ApprovedAct): Told => {
  const { address, attributes, form, link, tag, text } = element
  const name = namings.flatMap((wanted) => attributes.filter(({ name }) => name === wanted))[0]?.value ?? null
  return {
    action: step.action,
    element: { tag, text: text.slice(0, longest), name },
    target: {
      page: address,
      address: link?.address ?? form?.address ?? null,
      method: link === null ? (form?.method ?? null) : "get"
    },
    values,
    fields: (form?.fields ?? [])
      .flatMap(({ kind, name, value }) =>
        kind === "shown" && value !== "" ? [{ name, value: value.slice(0, longest) }] : []
      )
      .slice(0, mostFields),
    shown
  }
}
