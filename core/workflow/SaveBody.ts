/**
 * What callers send to create a workflow or to save a next version of one.
 */
import { Result, Schema, SchemaIssue } from "effect"
import * as RunWindow from "../window/RunWindow.ts"
import * as ErrorReferences from "./ErrorReferences.ts"
import * as FieldLimit from "./FieldLimit.ts"
import * as GraphCheck from "./GraphCheck.ts"
import * as InputContract from "./InputContract.ts"
import * as Legacy from "./Legacy.ts"
import * as Variables from "./Variables.ts"
import { type Content, InvalidWorkflow, type Problem, settingNames } from "./Workflow.ts"

const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** The body as it is sent. Fields that are not named here are ignored, so that an answer can be sent back changed. */
export const SaveBody = Schema.Struct({
  name: Schema.String.check(Schema.isNonEmpty({ message: "Expected a name" })),
  description: optional(Schema.String),
  version_note: optional(Schema.String),
  nodes: Schema.Json,
  edges: Schema.Json,
  input_schema: optional(Schema.JsonObject),
  output_schema: optional(Schema.JsonObject),
  vault_schema: optional(Schema.JsonObject),
  max_retries: optional(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 }))),
  run_window: Schema.optionalKey(Schema.Json),
  base_version_id: optional(Schema.String)
}).annotate({ identifier: "WorkflowToSave" })

/** What becomes of the window: left as it is, removed, or replaced. */
export type WindowChange =
  | { readonly _tag: "Keep" }
  | { readonly _tag: "Remove" }
  | { readonly _tag: "Set"; readonly window: RunWindow.RunWindow }

/** A body that may be kept, apart from the sizes that only the store knows. */
export interface Accepted {
  readonly name: string
  readonly description: string | null
  readonly versionNote: string | null
  readonly content: Content
  readonly window: WindowChange
}

const decode = Schema.decodeUnknownResult(SaveBody, { errors: "all" })
const format = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * Checks a body: its fields, the graph with its expressions, the schemas and the window. Every problem is reported. Texts
 * that are too long are reported by themselves when nothing else is wrong.
 *
 * `errorCodes` are the ids of the error codes that nodes may name; without them, what nodes name is not looked up.
 */
export const read = (
  body: unknown,
  now: number,
  errorCodes: ReadonlySet<string> | null = null
): Result.Result<Accepted, InvalidWorkflow | FieldLimit.FieldsTooLarge> => {
  const decoded = decode(body)
  if (Result.isFailure(decoded)) {
    const problems = format(decoded.failure.issue).issues.map((issue) => ({
      path: (issue.path ?? []).map((key) => (typeof key === "object" ? String(key.key) : String(key))).join("."),
      message: issue.message
    }))
    return Result.fail(new InvalidWorkflow({ problems }))
  }
  const sent = decoded.success
  const content: Content = {
    nodes: Legacy.placeholders(sent.nodes),
    edges: sent.edges,
    input_schema: Legacy.inputSchema(sent.input_schema ?? {}),
    output_schema: sent.output_schema ?? {},
    vault_schema: sent.vault_schema ?? {},
    max_retries: sent.max_retries ?? 0,
    settings: settingsOf(body)
  }
  const window = readWindow(sent.run_window, now)
  const tooLong = FieldLimit.overCharacters({
    name: sent.name,
    description: sent.description ?? null,
    version_note: sent.version_note ?? null
  })
  const problems = [
    ...graphProblems(content),
    ...(errorCodes === null ? [] : ErrorReferences.problems(content.nodes, errorCodes)),
    ...InputContract.checkSchema(content.input_schema, "input_schema"),
    ...InputContract.checkSchema(content.output_schema, "output_schema"),
    ...vaultProblems(content.vault_schema),
    ...(Result.isFailure(window) ? window.failure : [])
  ]
  if (problems.length > 0 || Result.isFailure(window)) {
    return Result.fail(new InvalidWorkflow({ problems: [...problems, ...FieldLimit.asProblems(tooLong)] }))
  }
  return Result.map(FieldLimit.refuse(tooLong), () => ({
    name: sent.name,
    description: sent.description ?? null,
    versionNote: sent.version_note ?? null,
    content,
    window: window.success
  }))
}

const graphProblems = (content: Content): ReadonlyArray<Problem> => {
  const graph = GraphCheck.read(content.nodes, content.edges)
  if (Result.isFailure(graph)) return graph.failure
  const places = new Map([...graph.success.nodes.keys()].map((id, index) => [id, `nodes[${index}]`]))
  return Variables.check(graph.success, knownInputs(content), (id) => places.get(id) ?? "nodes").problems
}

/** The inputs that expressions may read; `null` when the schema allows any. */
const knownInputs = (content: Content): ReadonlySet<string> | null => {
  const { additionalProperties, properties } = content.input_schema
  if (additionalProperties !== false && (typeof properties !== "object" || properties === null)) return null
  return new Set([...Object.keys(properties ?? {}), ...Object.keys(content.vault_schema)])
}

const vaultProblems = (vaultSchema: Schema.JsonObject): ReadonlyArray<Problem> =>
  Object.entries(vaultSchema).flatMap(([alias, entry]) =>
    isVaultEntry(entry)
      ? []
      : [{ path: `vault_schema.${alias}`, message: 'Expected an object with the type "credential" and a domain' }]
  )

const isVaultEntry = Schema.is(Schema.Struct({ type: Schema.Literal("credential"), domain: Schema.String }))

const readWindow = (
  sent: Schema.Json | undefined,
  now: number
): Result.Result<WindowChange, ReadonlyArray<Problem>> => {
  if (sent === undefined) return Result.succeed({ _tag: "Keep" })
  if (sent === null) return Result.succeed({ _tag: "Remove" })
  return RunWindow.validate(sent, { now }).pipe(
    Result.map(({ window }): WindowChange => ({ _tag: "Set", window })),
    Result.mapError(({ issues }) =>
      issues.map(({ message, path }) => ({ path: path === "" ? "run_window" : `run_window.${path}`, message }))
    )
  )
}

const settingsOf = (body: unknown): Schema.JsonObject => {
  const fields = body as Schema.JsonObject
  return Object.fromEntries(
    settingNames.flatMap((name) => {
      const value = fields[name]
      return value === undefined || value === null ? [] : [[name, value] as const]
    })
  )
}
