/**
 * What nodes refer to in their workspace, by the names of a folder in place of ids.
 *
 * The id of an error code becomes `{"error_code": NAME}`, and the mark of a component `{"component": FILE}`, with its
 * instance. Both are objects, which no workflow has there: a text stays what it is.
 */
import type { Schema } from "effect"
import * as Instances from "../../../../core/workflow/component/Instances.ts"
import * as ErrorReferences from "../../../../core/workflow/ErrorReferences.ts"
import * as Json from "../../../../core/workspace/Json.ts"
import type { Problem } from "./FolderForm.ts"

type Names = ReadonlyMap<string, string>

/** The key by which an error code is found: its name, in any case. */
export const codeKey = (name: string): string => name.trim().toLowerCase()

const changed = (node: Schema.JsonObject, changes: ReadonlyArray<readonly [string, Schema.Json]>): Schema.JsonObject =>
  changes.length === 0
    ? node
    : { ...node, parameters: { ...Json.objectOf(node.parameters), ...Object.fromEntries(changes) } }

/** A node with names in place of ids. What exists no more is referred to no more. */
export const named = (node: Schema.JsonObject, components: Names, codes: Names): Schema.JsonObject => {
  const parameters = Json.objectOf(node.parameters)
  const withCodes = changed(
    node,
    ErrorReferences.fields.flatMap((field): ReadonlyArray<readonly [string, Schema.Json]> => {
      const text = parameters[field]
      const id = typeof text === "string" ? ErrorReferences.idIn(text) : null
      if (id === null) return []
      const name = codes.get(id)
      return [[field, name === undefined ? null : { error_code: name }] as const]
    })
  )
  const mark = Instances.markOf(node)
  if (mark === null) return withCodes
  const component = components.get(mark.component)
  const { [Instances.instanceField]: _instance, [Instances.nodeField]: within, ...rest } = withCodes
  if (component === undefined) return rest
  const instance = mark.instance.slice(mark.component.length + 1)
  return {
    ...rest,
    [Instances.instanceField]: { component, ...(instance === "" ? {} : { instance }) },
    ...(within === undefined ? {} : { [Instances.nodeField]: within })
  }
}

/** A node with ids in place of names, and a problem for each name that is not known. */
export const resolved = (
  node: Schema.JsonObject,
  path: string,
  components: Names,
  codes: Names
): { readonly node: Schema.JsonObject; readonly problems: ReadonlyArray<Problem> } => {
  const problems: Array<Problem> = []
  const parameters = Json.objectOf(node.parameters)
  const withCodes = changed(
    node,
    ErrorReferences.fields.flatMap((field): ReadonlyArray<readonly [string, Schema.Json]> => {
      const value = parameters[field]
      if (!Json.isObject(value)) return []
      const name = value.error_code
      const id = typeof name === "string" ? codes.get(codeKey(name)) : undefined
      if (id !== undefined && Object.keys(value).length === 1) return [[field, id] as const]
      problems.push({
        path: `${path}.parameters.${field}`,
        message: `Expected a text, or {"error_code": NAME} with the name of an error code in error-codes.json, got ${shown(value)}`
      })
      return [[field, null] as const]
    })
  )
  const mark = node[Instances.instanceField]
  if (!Json.isObject(mark)) return { node: withCodes, problems }
  const { component, instance = null, ...others } = mark
  const id = typeof component === "string" ? components.get(component) : undefined
  if (id === undefined || !isInstance(instance) || Object.keys(others).length > 0) {
    problems.push({
      path: `${path}.${Instances.instanceField}`,
      message: `Expected {"component": NAME} with the name of a file in components without .json, and the UUID of an instance where there are several, got ${shown(mark)}`
    })
    const { [Instances.instanceField]: _instance, ...rest } = withCodes
    return { node: rest, problems }
  }
  return {
    node: { ...withCodes, [Instances.instanceField]: instance === null ? id : `${id}:${instance}` },
    problems
  }
}

const isInstance = (value: Schema.Json): value is string | null =>
  value === null || (typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value))

const shown = (value: Schema.Json): string => JSON.stringify(value).slice(0, 100)
