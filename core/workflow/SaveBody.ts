/**
 * The request bodies that create a workflow or save a new version of one.
 */
import { Result, Schema } from "effect"
import * as RunWindow from "../window/RunWindow.ts"
import * as UnknownFields from "../window/UnknownFields.ts"
import * as Json from "../workspace/Json.ts"
import * as BodyFields from "../workspace/request/BodyFields.ts"
import { optional } from "../workspace/request/ParsedJson.ts"
import * as Canary from "./canary/Canary.ts"
import * as InputContract from "./contract/InputContract.ts"
import * as VaultSchema from "./contract/VaultSchema.ts"
import * as ErrorReferences from "./ErrorReferences.ts"
import * as FieldLimit from "./FieldLimit.ts"
import * as Legacy from "./Legacy.ts"
import * as CredentialUse from "./language/graph/CredentialUse.ts"
import * as GraphCheck from "./language/graph/GraphCheck.ts"
import { problemsOf, under } from "./language/graph/Paths.ts"
import * as SelectorCheck from "./language/graph/SelectorCheck.ts"
import * as Variables from "./language/graph/Variables.ts"
import * as SaveWarnings from "./language/warning/SaveWarnings.ts"
import * as Settings from "./Settings.ts"
import { type Content, InvalidWorkflow, type Problem } from "./Workflow.ts"
import type { StoredSizes } from "./WorkflowStore.ts"

/** Text that the database can store. */
export const Text = Schema.String.check(
  Schema.makeFilter((text) => !text.includes("\u0000") || "Expected text without the character U+0000")
)

/** Any JSON value. The value was parsed from JSON text, so nested values are not checked again. */
const json = Schema.declare((value): value is Schema.Json => value !== undefined, { expected: "a JSON value" })

const jsonObject = Schema.declare(
  (value): value is Schema.JsonObject => typeof value === "object" && value !== null && !Array.isArray(value),
  { expected: "an object" }
)

/**
 * The body of a save request. Fields that are not named here are ignored, so that an answer can be sent back changed.
 */
export const SaveBody = Schema.Struct({
  name: Text.check(Schema.isNonEmpty({ message: "Expected a name" }), FieldLimit.described("name")),
  description: optional(Text.check(FieldLimit.described("description"))),
  version_note: optional(Text.check(FieldLimit.described("version_note"))),
  nodes: Schema.optionalKey(json),
  edges: Schema.optionalKey(json),
  input_schema: optional(jsonObject),
  output_schema: optional(jsonObject),
  vault_schema: optional(jsonObject),
  max_retries: optional(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 }))),
  run_window: Schema.optionalKey(json),
  run_window_revision: optional(Schema.Int),
  base_version_id: optional(Schema.String),
  canary: optional(Canary.Terms),
  ...Settings.fields
}).annotate({ identifier: "WorkflowToSave" })

/** The effect of a save on the window: keep it, remove it, or replace it. */
export type WindowChange =
  | { readonly _tag: "Keep" }
  | { readonly _tag: "Remove" }
  | { readonly _tag: "Set"; readonly window: RunWindow.ValidRunWindow }

/** A body with its readable fields, and every problem that can be found without the store. */
export interface Draft {
  readonly name: string
  readonly description: string | null
  readonly versionNote: string | null
  readonly content: Content
  readonly window: WindowChange
  /** The revision of the window that the edit is based on; `null` if not given. */
  readonly windowRevision: number | null
  /** The version that the edit is based on; `null` if not given. */
  readonly baseVersionId: string | null
  /** The terms of a canary, with which the version starts. */
  readonly canary: Canary.Terms | null
  readonly problems: ReadonlyArray<Problem>
  readonly tooLong: ReadonlyArray<FieldLimit.FieldTooLarge>
}

const fieldsOf = BodyFields.reader(SaveBody)

/**
 * Checks a body: its fields, the graph with its expressions, the schemas and the window. The draft lists every problem.
 * `errorCodes` are the ids of the error codes that nodes may name; without them, references to error codes are not
 * checked.
 */
export const read = (body: unknown, now: number, errorCodes: ReadonlySet<string> | null = null): Draft => {
  const { error, fields } = fieldsOf(body)
  const sent = { name: "", ...fields }
  const content: Content = {
    nodes: Legacy.placeholders(sent.nodes ?? null),
    edges: sent.edges ?? null,
    input_schema: Legacy.inputSchema(sent.input_schema ?? {}),
    output_schema: sent.output_schema ?? {},
    vault_schema: sent.vault_schema ?? {},
    max_retries: sent.max_retries ?? 0,
    settings: { ...Settings.of(sent), ...Legacy.settings(sent.nodes, sent) }
  }
  const window = readWindow(sent.run_window, now)
  return {
    name: sent.name,
    description: sent.description ?? null,
    versionNote: sent.version_note ?? null,
    content,
    window: Result.getOrElse(window, () => keep),
    windowRevision: sent.run_window_revision ?? null,
    baseVersionId: sent.base_version_id ?? null,
    canary: sent.canary ?? null,
    problems: [
      ...(error === null ? [] : problemsOf(error)),
      ...(Json.isObject(body) ? [...contentProblems(content), ...Settings.problems(sent)] : []),
      ...(errorCodes === null ? [] : ErrorReferences.problems(content.nodes, errorCodes)),
      ...(Result.isFailure(window) ? window.failure : [])
    ],
    tooLong: FieldLimit.overCharacters({
      name: sent.name,
      description: sent.description ?? null,
      version_note: sent.version_note ?? null
    })
  }
}

/** The problems of the executable part of a workflow. */
export const contentProblems = (content: Content): ReadonlyArray<Problem> => {
  const ofVault = VaultSchema.problems(content.vault_schema)
  return [
    ...graphProblems(content),
    // An invalid alias would also be reported as a problem of the input schema.
    ...InputContract.checkContract(ofVault.length === 0 ? content : { ...content, vault_schema: {} }),
    ...InputContract.checkSchema(content.output_schema, "output_schema"),
    ...ofVault
  ]
}

/**
 * Accepts or refuses a draft. `FieldsTooLarge` is raised only if the draft has no other problem; otherwise fields over
 * their limits are listed with the other problems.
 */
export const verdict = (
  draft: Pick<Draft, "problems" | "tooLong">,
  sizes: StoredSizes | null
): Result.Result<void, InvalidWorkflow | FieldLimit.FieldsTooLarge> => {
  const tooLarge = [...draft.tooLong, ...(sizes === null ? [] : FieldLimit.overBytes(sizes))]
  return draft.problems.length === 0
    ? FieldLimit.refuse(tooLarge)
    : Result.fail(new InvalidWorkflow({ problems: [...draft.problems, ...FieldLimit.asProblems(tooLarge)] }))
}

/**
 * Returns whether a draft can be refused without asking the store for sizes: it has problems, and no field is so
 * large that its size could be another problem.
 */
export const isRefusedWithoutSizes = ({ content, problems }: Draft): boolean =>
  problems.length > 0 && FieldLimit.overBytes(FieldLimit.rawSizes(content)).length === 0

/** Reads a window that is a field of a larger body. */
export const readWindow = (
  sent: Schema.Json | undefined,
  now: number
): Result.Result<WindowChange, ReadonlyArray<Problem>> => {
  if (sent === undefined) return Result.succeed(keep)
  if (sent === null) return Result.succeed({ _tag: "Remove" })
  return RunWindow.validate(sent, { now }).pipe(
    Result.map(({ window }): WindowChange => ({ _tag: "Set", window })),
    Result.mapError(({ issues }) => under("run_window", issues))
  )
}

const keep: WindowChange = { _tag: "Keep" }

const graphProblems = (content: Content): ReadonlyArray<Problem> => {
  const { graph, pathOf, problems } = GraphCheck.examine(content.nodes, content.edges)
  if (graph === null) return problems
  return [
    ...problems,
    ...[...graph.nodes.values()].flatMap((node) => SelectorCheck.problems(node, `${pathOf(node.id)}.parameters`)),
    ...Variables.check(graph, knownInputs(content), pathOf).problems,
    ...CredentialUse.problems(graph, content.vault_schema, pathOf)
  ]
}

/** Maximum number of reported warnings. */
const mostWarnings = 100

/** Warnings about a saved workflow, each at its path: mistakes that would show only in a run. */
export const warnings = (content: Content): ReadonlyArray<Problem> =>
  SaveWarnings.of(content, knownInputs(content)).slice(0, mostWarnings)

/** Fields of answers that a body may repeat. They are ignored. */
const repeated = [
  "id",
  "workflow_id",
  "version_id",
  "version_number",
  "created",
  "created_at",
  "created_by",
  "updated_at",
  "workspace_id",
  "conversation_id",
  "loginStructure",
  "lift",
  "manual_pause",
  "state",
  "warnings",
  "format",
  "format_version",
  "components",
  "error_codes"
]

/** Settings of older workflows that are stored and returned without effect, each with the reason. */
const withoutEffect: Readonly<Record<string, string>> = {
  use_native_actions: "actions always use real mouse and keyboard input",
  enable_node_description_enrichment: "descriptions of nodes are stored unchanged",
  skip_udp_proxying: "browsers never open UDP connections outside of their proxy"
}

/** Warnings about fields of a saved body that were ignored or have no effect. */
export const bodyWarnings = (body: unknown): ReadonlyArray<Problem> => {
  if (!Json.isObject(body)) return []
  const ignored = UnknownFields.of(SaveBody, body, { also: repeated }).map(({ meant, name, path }) => ({
    path,
    message: `A workflow has no field ${name.slice(0, 80)}, so it has no effect${meant === null ? "" : `: did you mean ${meant}?`}`
  }))
  const older = Object.entries(withoutEffect).flatMap(([name, why]) =>
    body[name] === true ? [{ path: name, message: `${name} has no effect: ${why}` }] : []
  )
  return [...ignored, ...older, ...under("run_window", RunWindow.unknownFields(body.run_window))].slice(0, mostWarnings)
}

/** The inputs that expressions may read; `null` when the schema allows any. */
const knownInputs = (content: Content): ReadonlySet<string> | null => {
  const { additionalProperties, properties } = content.input_schema
  if (additionalProperties !== false && (typeof properties !== "object" || properties === null)) return null
  return new Set([
    ...Object.keys(properties ?? {}),
    ...Object.keys(content.vault_schema),
    ...Object.keys(Legacy.defaultInputs(content.nodes))
  ])
}
