/**
 * The inputs that a run needs: the input schema of its workflow, and a credential for each alias of its vault schema.
 */
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv"
import { Result, Schema } from "effect"
import { inOneSentence } from "../../window/Problems.ts"
import * as Json from "../../workspace/Json.ts"
import * as SafePattern from "../language/expression/SafePattern.ts"
import type { Problem, WorkflowVersion } from "../Workflow.ts"
import * as SchemaReferences from "./SchemaReferences.ts"
import * as VaultSchema from "./VaultSchema.ts"

/** One way in which an input breaks the contract, in the shape that clients parse. */
export const ListedError = Schema.Struct({
  /** JSON pointer into the input, `#/required` for a missing property, empty for the input itself. */
  field: Schema.String,
  message: Schema.String,
  keyword: Schema.String,
  expected: Schema.JsonObject,
  received: Schema.optionalKey(Schema.Json)
})

/** The same with its path, which the shape of clients says for some keywords only. */
export const InputError = Schema.Struct({
  ...ListedError.fields,
  /** The wrong, missing or unexpected value, such as `address.lines[0]`; empty for the input itself. */
  path: Schema.String
})
export type InputError = typeof InputError.Type

/** Raised for an input that breaks the contract of its workflow. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  errors: Schema.Array(InputError),
  inputSchema: Schema.JsonObject
}) {
  override get message() {
    const all = this.errors.map(({ message, path }) => ({ path: "", message: `${path} ${message}`.trimStart() }))
    return `Validation failed for run_input_variables: ${inOneSentence(all)}`
  }
}

/** The error as a problem of the submission. */
export const asProblem = ({ message, path }: InputError): Problem => ({
  path: path === "" ? "run_input_variables" : `run_input_variables.${path}`,
  message
})

/** Limits on schemas: far beyond realistic ones, and low enough that compiling takes less than seconds. */
const maxDepth = 64
const maxKeys = 10_000

type Contract = Pick<WorkflowVersion["content"], "input_schema" | "vault_schema">

/** The schema that an input must satisfy: the workflow's own, and each vault alias as a required property. */
export const effectiveSchema = (content: Contract): Schema.JsonObject => withAliases(content, () => true)

/** The effective schema. Aliases that are not constrained accept any value. */
const withAliases = (content: Contract, isConstrained: (alias: string) => boolean): Schema.JsonObject => {
  const aliases = Object.keys(content.vault_schema)
  if (aliases.length === 0) return content.input_schema
  const { properties, required } = content.input_schema
  const own = Json.isObject(properties) ? properties : {}
  const constrained = aliases.map((alias) => {
    const declared = own[alias]
    const property = {
      ...credential,
      ...(Json.isObject(declared) ? declared : {}),
      type: credential.type,
      items: credential.items
    }
    return [alias, isConstrained(alias) ? property : {}] as const
  })
  return {
    type: "object",
    ...content.input_schema,
    properties: { ...own, ...Object.fromEntries(constrained) },
    required: [...new Set([...(Array.isArray(required) ? required : []), ...aliases])]
  }
}

/** The credentials of a run for an alias: one id, or several to choose from. */
const credential = {
  type: ["string", "array"],
  items: { type: "string" },
  minItems: 1,
  description: "The permissioned_user_id of a vault entry, or several to choose from"
} satisfies Schema.JsonObject

/** Checks the input schema of a workflow when it is saved, alone and together with the aliases of the vault schema. */
export const checkContract = (content: Contract): ReadonlyArray<Problem> => {
  const own = checkSchema(content.input_schema, "input_schema")
  return own.length > 0 ? own : checkSchema(effectiveSchema(content), "input_schema")
}

/**
 * Checks a schema when a workflow is saved: draft-07 in strict mode, without references out of the document, and
 * without patterns whose matching can take very long.
 */
export const checkSchema = (schema: Schema.JsonObject, path: string): ReadonlyArray<Problem> => {
  const size = measure(schema)
  if (size.depth > maxDepth) return [{ path, message: `Expected at most ${maxDepth} levels, got more` }]
  if (size.keys > maxKeys) return [{ path, message: `Expected at most ${maxKeys} keys, got ${size.keys}` }]
  const compiled = compile(schema)
  if (Result.isFailure(compiled)) return [{ path, message: compiled.failure }]
  return patternsOf(schema, path).flatMap(({ path: at, pattern }) => {
    const reason = SafePattern.check(pattern)
    return reason === null ? [] : [{ path: at, message: reason }]
  })
}

/** Up to this number of values, all errors of an input are reported; a larger input reports the first one. */
const maxValuesForAll = 5_000
const maxErrors = 100

/** The errors of an input against a schema: at most `maxErrors`, or only the first one for a large input. */
const allViolations = (schema: Schema.JsonObject, input: Schema.JsonObject): ReadonlyArray<ErrorObject> => {
  const first = violations(schema, input)
  if (first.length === 0 || measure(input, maxValuesForAll).keys > maxValuesForAll) return first
  const compiled = compile(schema, { thorough: true })
  const all = Result.isFailure(compiled) ? first : errorsOf(compiled.success, input)
  return all.length === 0 ? first : all.slice(0, maxErrors)
}

/** Checks an input against the effective schema of a version. */
export const validate = (
  version: { readonly content: Pick<WorkflowVersion["content"], "input_schema" | "vault_schema"> },
  input: Schema.JsonObject
): Result.Result<void, InvalidInput> => {
  const schema = effectiveSchema(version.content)
  const errors = allViolations(schema, input)
  return errors.length === 0
    ? Result.void
    : Result.fail(new InvalidInput({ errors: errors.map((error) => report(error, input)), inputSchema: schema }))
}

/** The problems of an input, before a run is started with it. */
export interface Verdict {
  /** Why the schema of the workflow itself cannot be used; `null` when it can. */
  readonly schemaError: string | null
  readonly errors: ReadonlyArray<InputError>
}

/**
 * Checks an input like a submission, but accepts placeholders such as `<bank>` for credentials regardless of the
 * schema.
 */
export const rehearse = (version: { readonly content: Contract }, input: Schema.JsonObject): Verdict => {
  const schema = withAliases(version.content, (alias) => !VaultSchema.isPlaceholder(input[alias]))
  const compiled = compile(schema)
  if (Result.isFailure(compiled)) return { schemaError: compiled.failure, errors: [] }
  return { schemaError: null, errors: allViolations(schema, input).map((error) => report(error, input)) }
}

/** Every way in which a value breaks a schema, each at its path, such as `address.lines[0]`. */
export const problems = (schema: Schema.JsonObject, value: Schema.Json): ReadonlyArray<Problem> => {
  const compiled = compile(schema, { thorough: true })
  if (Result.isFailure(compiled)) return [{ path: "", message: compiled.failure }]
  return errorsOf(compiled.success, value).map((error) => problem(error, value))
}

/** The errors of a value against a schema; empty for a valid value. A schema that does not compile is one error. */
export const violations = (schema: Schema.JsonObject, value: Schema.Json): ReadonlyArray<ErrorObject> => {
  const compiled = compile(schema)
  return Result.isFailure(compiled) ? [unusable(compiled.failure)] : errorsOf(compiled.success, value)
}

const settings: Options = {
  strict: true,
  strictTypes: true,
  strictRequired: true,
  allowUnionTypes: true,
  validateFormats: false,
  addUsedSchema: false,
  logger: false,
  keywords: ["example"],
  code: { regExp: Object.assign(SafePattern.compile, { code: "SafePattern.compile" }) }
}

/**
 * Validates against draft-07 itself. It never receives the schema of a user, so none can change the meaning of another. It
 * is made at its first use: a program that only describes requests checks no schema.
 */
let draft: Ajv | undefined
const draftName = "http://json-schema.org/draft-07/schema"

/** Compiled schemas by their text and by their object, so that a version that is loaded often is compiled once. */
const compiled = new Map<string, Result.Result<ValidateFunction, string>>()
const met = new WeakMap<Schema.JsonObject, Result.Result<ValidateFunction, string>>()
const maxCompiled = 500
let compiledCharacters = 0
const maxCompiledCharacters = 4_000_000

const compile = (
  schema: Schema.JsonObject,
  options: { readonly thorough: boolean } = { thorough: false }
): Result.Result<ValidateFunction, string> => {
  const before = options.thorough ? undefined : met.get(schema)
  if (before !== undefined) return before
  const key = `${options.thorough ? "all " : ""}${JSON.stringify(schema)}`
  const known = compiled.get(key)
  const result = known ?? compileNew(schema, options.thorough)
  if (known === undefined) {
    compiledCharacters += key.length
    if (compiled.size >= maxCompiled || compiledCharacters > maxCompiledCharacters) {
      compiled.clear()
      compiledCharacters = key.length
    }
    compiled.set(key, result)
  }
  if (!options.thorough) met.set(schema, result)
  return result
}

/** Compiles each schema with a separate validator, so that no schema can refer to the `$id` of another. */
const compileNew = (schema: Schema.JsonObject, thorough: boolean): Result.Result<ValidateFunction, string> => {
  const refused = SchemaReferences.refusal(schema) ?? notDraft(schema)
  if (refused !== null) return Result.fail(notValid(refused))
  try {
    const validator = new Ajv({ ...settings, allErrors: thorough, meta: false, validateSchema: false })
    return Result.succeed(validator.compile(schema))
  } catch (error) {
    return Result.fail(notValid(error instanceof RangeError ? "it is nested too deeply" : messageOf(error)))
  }
}

/** The reason why a schema is not valid draft-07; `null` for a valid one. */
const notDraft = ({ $schema, ...schema }: Schema.JsonObject): string | null => {
  if ($schema !== undefined && $schema !== draftName && $schema !== `${draftName}#`) {
    return `$schema is ${JSON.stringify($schema).slice(0, 200)}: expected "${draftName}#", or nothing`
  }
  draft ??= new Ajv(settings)
  try {
    return draft.validate(draftName, schema) ? null : `schema is invalid: ${draft.errorsText()}`
  } catch (error) {
    return error instanceof RangeError ? "it is nested too deeply" : messageOf(error)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const notValid = (reason: string): string => `Not a valid JSON Schema (draft-07, strict): ${reason}`

/** The errors of a value against a compiled schema. A value that exceeds a limit of the check is one error. */
const errorsOf = (validate: ValidateFunction, value: Schema.Json): ReadonlyArray<ErrorObject> => {
  try {
    return validate(value) ? [] : [...(validate.errors ?? [])]
  } catch (error) {
    if (error instanceof RangeError) return [unusable("is nested too deeply to be checked")]
    throw error
  }
}

/** The error of an input whose check exceeds a limit. */
export const tooCostly = ({ message }: { readonly message: string }): InputError => ({
  path: "",
  field: "",
  message,
  keyword: "schema",
  expected: {}
})

const unusable = (message: string): ErrorObject => ({
  instancePath: "",
  schemaPath: "#",
  keyword: "schema",
  params: {},
  message
})

const report = (error: ErrorObject, input: Schema.JsonObject): InputError => {
  const received = receivedBy(error, input)
  return {
    path: problem(error, input).path,
    field: error.keyword === "required" ? error.schemaPath : error.instancePath,
    message: error.message ?? "is not valid",
    keyword: error.keyword,
    // The parameters of a keyword are parts of a schema, which is JSON.
    expected: error.params as Schema.JsonObject,
    ...(received === undefined ? {} : { received })
  }
}

/** The invalid value; absent for a missing or unexpected property. */
const receivedBy = (error: ErrorObject, input: Schema.JsonObject): Schema.Json | undefined =>
  error.keyword === "required" || error.keyword === "additionalProperties"
    ? undefined
    : valueAt(input, error.instancePath)

/** An error at the path of the invalid property, also if that property is missing or unexpected. */
const problem = (error: ErrorObject, value: Schema.Json): Problem => {
  const { additionalProperty, missingProperty } = error.params
  const named = missingProperty ?? additionalProperty
  const message =
    missingProperty !== undefined ? "is missing" : additionalProperty !== undefined ? "is not expected" : error.message
  return { path: pathOf(error.instancePath, named, value), message: message ?? "is not valid" }
}

const pathOf = (pointer: string, name: unknown, value: Schema.Json): string => {
  const keys = pointer.split("/").slice(1).map(unescaped)
  let path = ""
  let within: Schema.Json | undefined = value
  for (const key of typeof name === "string" ? [...keys, name] : keys) {
    if (Array.isArray(within)) {
      path += `[${key}]`
      within = within[Number(key)]
    } else {
      path += path === "" ? key : `.${key}`
      within = Json.isObject(within) ? within[key] : undefined
    }
  }
  return path
}

const unescaped = (key: string): string => key.replaceAll("~1", "/").replaceAll("~0", "~")

const valueAt = (input: Schema.Json, pointer: string): Schema.Json | undefined => {
  let value: Schema.Json | undefined = input
  for (const key of pointer.split("/").slice(1)) {
    const name = unescaped(key)
    value = Array.isArray(value) ? value[Number(name)] : Json.isObject(value) ? value[name] : undefined
  }
  return value
}

/**
 * Every `pattern` keyword of a schema and its subschemas, with its path. Values that only look like a schema, as in
 * `enum`, are not searched.
 */
const patternsOf = (
  schema: Schema.Json | undefined,
  path: string
): ReadonlyArray<{ readonly path: string; readonly pattern: string }> => {
  if (!Json.isObject(schema)) return []
  const { pattern, patternProperties } = schema
  return [
    ...(typeof pattern === "string" ? [{ path: `${path}.pattern`, pattern }] : []),
    ...(Json.isObject(patternProperties)
      ? Object.keys(patternProperties).map((key) => ({ path: `${path}.patternProperties`, pattern: key }))
      : []),
    ...Object.entries(schema).flatMap(([key, value]) => {
      const at = `${path}.${key}`
      if (mapsOfSchemas.has(key) && Json.isObject(value)) {
        return Object.entries(value).flatMap(([name, one]) => patternsOf(one, `${at}.${name}`))
      }
      if (!schemasWithin.has(key)) return []
      return Array.isArray(value)
        ? value.flatMap((one: Schema.Json, index) => patternsOf(one, `${at}[${index}]`))
        : patternsOf(value, at)
    })
  ]
}

const mapsOfSchemas = new Set(["properties", "patternProperties", "definitions", "$defs", "dependencies"])

const schemasWithin = new Set([
  "items",
  "additionalItems",
  "additionalProperties",
  "contains",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
  "allOf",
  "anyOf",
  "oneOf"
])

const measure = (value: Schema.Json, most = maxKeys): { readonly depth: number; readonly keys: number } => {
  let keys = 0
  let depth = 0
  const pending: Array<{ readonly value: Schema.Json; readonly depth: number }> = [{ value, depth: 1 }]
  for (const one of pending) {
    if (typeof one.value !== "object" || one.value === null) continue
    depth = Math.max(depth, one.depth)
    for (const field of Object.values(one.value)) {
      keys++
      if (keys <= most) pending.push({ value: field, depth: one.depth + 1 })
    }
  }
  return { depth, keys }
}
