/**
 * What the document of an element says about what an act on it does. Two elements with the same facts are the same for a
 * person who approves an act.
 */
import type { Box } from "../vision/Sight.ts"

// Types, and no interfaces: they are JSON.
type Named = {
  readonly name: string
  readonly value: string
}

export type ElementFacts = {
  /** The address of its document, which in a frame is that of the frame. */
  readonly address: string
  readonly tag: string
  /** Its text as a person sees it; empty for a field. */
  readonly text: string
  /** Its attributes in the order of their names, without classes and styles: these change when the pointer comes. */
  readonly attributes: ReadonlyArray<Named>
  /** The link that it is, or is in: the whole address, and the window that it opens in. */
  readonly link: { readonly address: string; readonly window: string } | null
  /** The form that it belongs to, as it would be sent now. */
  readonly form: {
    readonly address: string
    readonly method: string
    readonly window: string
    /** Its fields with what they hold, in the order of the document. No person is told of a secret or a hidden one. */
    readonly fields: ReadonlyArray<Named & { readonly kind: "shown" | "hidden" | "secret" }>
  } | null
}

/** The facts of an element, and its box as parts of the width and height of the viewport; `null` where it has no place there. */
export interface LocatedFacts {
  readonly facts: ElementFacts
  readonly box: Box | null
}

/** What differs between the facts of an element before and now, in words without values; `null` where nothing does. */
export const changeOf = (before: ElementFacts, now: ElementFacts): string | null => {
  if (before.address !== now.address) return "the address of the page"
  if (before.tag !== now.tag) return "the kind of the element"
  if (before.text !== now.text) return "the text of the element"
  if (isOther(before.link, now.link)) return "the link of the element"
  const names = [...before.attributes, ...now.attributes].map(({ name }) => name)
  const valueIn = ({ attributes }: ElementFacts, name: string) => attributes.find((one) => one.name === name)?.value
  const attribute = names.find((name) => valueIn(before, name) !== valueIn(now, name))
  if (attribute !== undefined) return `the attribute ${attribute} of the element`
  if (!isOther(before.form, now.form)) return null
  if (before.form === null || now.form === null) return "the form of the element"
  const { fields } = now.form
  if (!isOther(before.form.fields, fields)) return "where the form of the element is sent"
  const other = fields.find((field, index) => isOther(field, before.form?.fields[index]))
  return other === undefined ? "the fields of the form" : `the field ${other.name} of the form`
}

const isOther = (one: unknown, other: unknown): boolean => JSON.stringify(one) !== JSON.stringify(other)
