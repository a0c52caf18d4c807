/**
 * Finds the fields of a value that its schema does not have. A schema drops them silently, so that a misspelt field
 * would be ignored.
 */
import { Schema, SchemaAST } from "effect"
import { nearest, suggestion } from "./NearestName.ts"

/** An unknown field at its path, with the known name that was probably meant. */
export interface UnknownField {
  readonly path: string
  readonly name: string
  /** The known name that is most like it; `null` when none is. */
  readonly meant: string | null
  readonly message: string
}

/** Maximum number of unknown fields that are reported of one value. */
const most = 100

/**
 * The unknown fields of a value, at any depth. Where a schema takes any value, none is unknown; where it takes one of
 * several forms, a field is known if one of the forms has it.
 *
 * `also` are names at the top that the schema does not have and that are known nevertheless.
 */
export const of = (
  schema: Schema.Top,
  value: unknown,
  options: { readonly path?: string; readonly also?: Iterable<string> } = {}
): ReadonlyArray<UnknownField> => {
  const found: Array<UnknownField> = []
  const also = new Set(options.also ?? [])
  const pending: Array<Place> = [{ forms: [schema.ast], value, path: options.path ?? "" }]
  for (const place of pending) {
    if (found.length >= most) break
    const forms = formsOf(place.forms)
    if (forms === null) continue
    if (Array.isArray(place.value)) {
      const elements = forms.filter(SchemaAST.isArrays).flatMap(({ elements, rest }) => [...elements, ...rest])
      if (elements.length === 0) continue
      place.value.forEach((one: unknown, index) => {
        if (isParent(one)) pending.push({ forms: elements, value: one, path: `${place.path}[${index}]` })
      })
    } else if (typeof place.value === "object" && place.value !== null) {
      const objects = forms.filter(SchemaAST.isObjects)
      if (objects.length === 0) continue
      const isTop = place === pending[0]
      for (const [name, one] of Object.entries(place.value)) {
        // `null` is the same as leaving a field out.
        if (one === null || one === undefined) continue
        const fields = fieldsOf(objects, name)
        const path = place.path === "" ? name.slice(0, 80) : `${place.path}.${name.slice(0, 80)}`
        if (fields.length > 0) {
          if (isParent(one)) pending.push({ forms: fields, value: one, path })
        } else if (!(isTop && also.has(name)) && found.length < most) {
          const known = namesOf(objects)
          found.push({
            path,
            name,
            meant: nearest(name, known),
            message: suggestion(name, known, "there are no fields")
          })
        }
      }
    }
  }
  return found
}

interface Place {
  readonly forms: ReadonlyArray<SchemaAST.AST>
  readonly value: unknown
  readonly path: string
}

const isParent = (value: unknown): boolean => typeof value === "object" && value !== null

/** The forms that a value may have, without alternatives; `null` where it may have any. */
const formsOf = (asts: ReadonlyArray<SchemaAST.AST>): ReadonlyArray<SchemaAST.AST> | null => {
  const forms: Array<SchemaAST.AST> = []
  const pending = [...asts]
  for (const ast of pending) {
    if (ast === Schema.Json.ast) return null
    if (SchemaAST.isUnion(ast)) pending.push(...ast.types)
    else if (SchemaAST.isSuspend(ast)) pending.push(ast.thunk())
    else if (SchemaAST.isDeclaration(ast) || SchemaAST.isAny(ast) || SchemaAST.isUnknown(ast)) return null
    else forms.push(ast)
  }
  return forms
}

const fieldsOf = (objects: ReadonlyArray<SchemaAST.Objects>, name: string): ReadonlyArray<SchemaAST.AST> =>
  objects.flatMap(({ indexSignatures, propertySignatures }) => {
    const own = propertySignatures.find((property) => property.name === name)
    return own === undefined ? indexSignatures.map(({ type }) => type) : [own.type]
  })

const namesOf = (objects: ReadonlyArray<SchemaAST.Objects>): ReadonlySet<string> =>
  new Set(objects.flatMap(({ propertySignatures }) => propertySignatures.map(({ name }) => String(name))))
