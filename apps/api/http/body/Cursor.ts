/** Places in lists, newest first, as cursors: an instant, and the id of what stands there. */
import { Schema } from "effect"

/** A place in a list as a cursor. */
export const cursorOf = ({ at, id }: { readonly at: number; readonly id: string }): string =>
  `${new Date(at).toISOString()}_${id}`

const isId = Schema.is(Schema.String.check(Schema.isUUID()))

/** The place that a cursor names, with its instant as it was written; `null` for another text. */
export const placeOf = (text: string): { readonly at: number; readonly id?: string } | null => {
  const [, alone = text, id] = /^(.*)_([0-9A-Fa-f-]{36})$/.exec(text) ?? []
  const at = /^\d{4}-\d\d-\d\dT/.test(alone) ? Date.parse(alone) : Number.NaN
  if (Number.isNaN(at) || (id !== undefined && !isId(id))) return null
  return id === undefined ? { at } : { at, id: id.toLowerCase() }
}
