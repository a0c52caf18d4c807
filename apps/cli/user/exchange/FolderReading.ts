/**
 * Reads the files of a folder: what a workspace is to have, or every problem at its path. The parts are checked by what
 * the service checks them with, as far as that needs nothing of a workspace.
 */
import { Effect, Result, Schema } from "effect"
import type { Terms } from "../../../../core/schedule/RunSchedule.ts"
import * as ScheduleBody from "../../../../core/schedule/ScheduleBody.ts"
import * as InstantText from "../../../../core/window/calendar/InstantText.ts"
import * as RunWindow from "../../../../core/window/RunWindow.ts"
import * as UnknownFields from "../../../../core/window/UnknownFields.ts"
import * as ComponentCheck from "../../../../core/workflow/component/ComponentCheck.ts"
import * as InputContract from "../../../../core/workflow/contract/InputContract.ts"
import { problemsOf, under } from "../../../../core/workflow/language/graph/Paths.ts"
import * as SaveBody from "../../../../core/workflow/SaveBody.ts"
import * as Json from "../../../../core/workspace/Json.ts"
import type { WorkflowPace } from "../../../api/gate/GatesApi.ts"
import * as Text from "../../../api/http/body/Text.ts"
import type { Problem } from "./FolderForm.ts"
import * as FolderForm from "./FolderForm.ts"
import * as NodeReferences from "./NodeReferences.ts"

export interface WantedComponent {
  readonly reference: string
  readonly name: string
  readonly data: Schema.JsonObject
}

export interface WantedSchedule {
  readonly name: string
  /** What creates it, beside its workflow. */
  readonly body: Schema.JsonObject
  readonly terms: Terms
  readonly active: boolean
}

export interface WantedWorkflow {
  readonly reference: string
  readonly id: string | null
  readonly name: string
  /** What saves it: all but its id, its pace and its schedules. */
  readonly fields: Schema.JsonObject
  readonly pace: typeof WorkflowPace.Type
  readonly schedules: ReadonlyArray<WantedSchedule>
}

/** What a workspace is to have. Nodes still name components and error codes as files do. */
export interface Wanted {
  readonly codes: ReadonlyArray<typeof FolderForm.ErrorCode.Type>
  readonly components: ReadonlyArray<WantedComponent>
  readonly workflows: ReadonlyArray<WantedWorkflow>
  readonly webhooks: ReadonlyArray<typeof FolderForm.Webhook.Type>
  readonly credentials: ReadonlyArray<typeof FolderForm.Credential.Type>
}

/** An id that stands for any other while nothing is looked up. */
export const anyId = "00000000-0000-4000-8000-000000000000"

/** The most objects and lists that a value may be within: those of a request. */
const mostLevels = 100

type Note = (file: string, problems: ReadonlyArray<Problem>) => void
type Names = ReadonlyMap<string, string>

const nothing: Wanted = { codes: [], components: [], workflows: [], webhooks: [], credentials: [] }

const unlimited = { max_running: null, max_starts_per_minute: null }

const unknownOf = (schema: Schema.Top, value: unknown, path = ""): ReadonlyArray<Problem> =>
  UnknownFields.of(schema, value, { path }).map(({ message, name, path }) => ({
    path,
    message: `There is no field ${name.slice(0, 80)} here: ${message}`
  }))

/** The value of a schema; `null` where it has problems, which are noted. */
const decoded = <A>(
  file: string,
  note: Note,
  schema: Schema.Codec<A, unknown>,
  value: unknown,
  path = ""
): A | null => {
  const found = Schema.decodeUnknownResult(schema, { errors: "all" })(value)
  note(file, unknownOf(schema, value, path))
  if (Result.isSuccess(found)) return found.success
  note(file, problemsOf(found.failure, path))
  return null
}

const jsonOf = Effect.fnUntraced(function* (file: string, text: string, note: Note) {
  const parsed = Result.try(() => Json.parse(text))
  if (Result.isFailure(parsed)) {
    note(file, [{ path: "", message: `Expected JSON: ${(parsed.failure as SyntaxError).message}` }])
    return undefined
  }
  if (Json.isDeeperThan(parsed.success, mostLevels)) {
    note(file, [{ path: "", message: `Expected at most ${mostLevels} levels of objects and lists, got more` }])
    return undefined
  }
  const lost = Text.isSuspicious("", text) ? yield* Text.problemsOf([text]) : []
  note(file, lost)
  return lost.length === 0 ? parsed.success : undefined
})

const list = <A>(file: string, note: Note, schema: Schema.Codec<A, unknown>, value: Schema.Json | undefined) => {
  if (value === undefined) return []
  if (!Array.isArray(value)) {
    note(file, [{ path: "", message: "Expected a list" }])
    return []
  }
  return value.flatMap((one: Schema.Json, index): ReadonlyArray<A> => {
    const found = decoded(file, note, schema, one, `[${index}]`)
    return found === null ? [] : [found]
  })
}

/** Notes each value whose key another one before it has. */
const noteRepeated = (keys: ReadonlyArray<string>, problem: (index: number, first: number) => void): void => {
  const first = new Map<string, number>()
  for (const [index, key] of keys.entries()) {
    const known = first.get(key)
    if (known === undefined) first.set(key, index)
    else problem(index, known)
  }
}

const componentOf = (file: string, note: Note, value: Schema.Json, codes: Names): WantedComponent | null => {
  const found = decoded(file, note, FolderForm.Component, value)
  if (found === null) return null
  const { nodes = [], reactFlowEdges, vault_schema, workflowEdges } = Json.objectOf(Json.objectOf(value).component_data)
  const data = {
    nodes,
    reactFlowEdges: reactFlowEdges ?? [],
    vault_schema: vault_schema ?? {},
    workflowEdges: workflowEdges ?? {}
  }
  const { problems, resolved } = resolvedData(data, none, codes)
  note(file, problems)
  const checked = ComponentCheck.read(resolved, "component_data")
  if (Result.isFailure(checked)) note(file, checked.failure)
  return { reference: referenceOf(file), name: found.name, data }
}

const none: Names = new Map()

/** The data of a component with the ids of error codes in place of their names. */
export const resolvedData = (data: Schema.JsonObject, components: Names, codes: Names) => {
  const nodes = (Array.isArray(data.nodes) ? data.nodes : []).map((placed: Schema.Json, index) => {
    const path = `component_data.nodes[${index}].workflowNode`
    const { node, problems } = NodeReferences.resolved(
      Json.objectOf(Json.objectOf(placed).workflowNode),
      path,
      components,
      codes
    )
    return { placed: { ...Json.objectOf(placed), workflowNode: node }, problems }
  })
  return {
    resolved: { ...data, nodes: nodes.map(({ placed }) => placed) },
    problems: nodes.flatMap(({ problems }) => problems)
  }
}

/** The fields of a workflow with the ids of components and error codes in place of their names. */
export const resolvedFields = (fields: Schema.JsonObject, components: Names, codes: Names) => {
  if (!Array.isArray(fields.nodes)) return { resolved: fields, problems: [] }
  const nodes = fields.nodes.map((node: Schema.Json, index) =>
    Json.isObject(node) ? NodeReferences.resolved(node, `nodes[${index}]`, components, codes) : { node, problems: [] }
  )
  return {
    resolved: { ...fields, nodes: nodes.map(({ node }) => node) },
    problems: nodes.flatMap(({ problems }): ReadonlyArray<Problem> => problems)
  }
}

const scheduleOf = (
  file: string,
  note: Note,
  value: Schema.Json,
  path: string,
  now: number
): ReadonlyArray<WantedSchedule> => {
  if (!Json.isObject(value)) {
    note(file, [{ path, message: "Expected an object" }])
    return []
  }
  const { active, ...body } = value
  note(file, unknownOf(FolderForm.Schedule, value, path))
  if (typeof active !== "boolean") note(file, [{ path: `${path}.active`, message: "Expected true or false" }])
  const end = typeof body.ends_at === "string" ? InstantText.parse(body.ends_at) : null
  // It has ended since it was exported, and the service takes none that has.
  if (end !== null && end <= now) return []
  const read = ScheduleBody.read({ ...body, workflow_id: anyId }, now)
  if (Result.isFailure(read)) {
    note(file, under(path, read.failure.problems))
    return []
  }
  return [{ name: read.success.terms.name, body, terms: read.success.terms, active: active === true }]
}

const workflowOf = (
  file: string,
  note: Note,
  value: Schema.Json,
  { codes, components, now }: { readonly codes: Names; readonly components: Names; readonly now: number }
): WantedWorkflow | null => {
  if (!Json.isObject(value)) {
    note(file, [{ path: "", message: "Expected an object" }])
    return null
  }
  const { id, pace, schedules, ...fields } = value
  note(file, unknownOf(FolderForm.Workflow, value))
  note(
    file,
    RunWindow.unknownFields(fields.run_window).map(({ message, path }) => ({ path: `run_window.${path}`, message }))
  )
  if (id != null && !(typeof id === "string" && Schema.is(Schema.String.check(Schema.isUUID()))(id))) {
    note(file, [{ path: "id", message: "Expected a UUID, or no id" }])
  }
  const { problems, resolved } = resolvedFields(fields, components, codes)
  const draft = SaveBody.read(resolved, now)
  note(file, problems)
  note(file, draft.problems)
  note(
    file,
    draft.tooLong.map(({ field, message }) => ({ path: field, message }))
  )
  const { pace: limits = null } = decoded(file, note, Paced, { pace: pace ?? null }) ?? {}
  if (schedules != null && !Array.isArray(schedules)) {
    note(file, [{ path: "schedules", message: "Expected a list" }])
  }
  return {
    reference: referenceOf(file),
    id: typeof id === "string" ? id.toLowerCase() : null,
    name: draft.name,
    fields,
    pace: limits ?? unlimited,
    schedules: (Array.isArray(schedules) ? schedules : []).flatMap((one: Schema.Json, index) => {
      const path = `schedules[${index}]`
      const read = scheduleOf(file, note, one, path, now)
      // The service renders templates, and checks what comes of them.
      const plain = read.filter(({ terms }) => !JSON.stringify(terms.input).includes("{{"))
      for (const { terms } of draft.problems.length > 0 ? [] : plain) {
        const verdict = InputContract.validate(draft, terms.input)
        if (Result.isFailure(verdict)) note(file, under(path, verdict.failure.errors.map(InputContract.asProblem)))
      }
      return read
    })
  }
}

const Paced = Schema.Struct({ pace: FolderForm.Workflow.fields.pace })

const referenceOf = (file: string): string => file.replace(/^.*\/|\.json$/g, "")

const Manifest = Schema.Struct({
  format: Schema.Literal(FolderForm.format),
  format_version: Schema.Literal(FolderForm.formatVersion)
})

/** Reads the texts of a folder by their paths, `null` for a file that cannot be read, at the instant `now`. */
export const read = Effect.fnUntraced(function* (files: ReadonlyMap<string, string | null>, now: number) {
  const problems: Array<Problem> = []
  const note: Note = (file, found) => {
    for (const { message, path } of found) problems.push({ path: path === "" ? file : `${file}: ${path}`, message })
  }
  const values = new Map<string, Schema.Json>()
  const { codes: codesFile, credentials: credentialsFile, manifest, webhooks: webhooksFile } = FolderForm.paths
  for (const file of [manifest, codesFile, credentialsFile, webhooksFile]) {
    if (!files.has(file)) note(file, [{ path: "", message: "The folder has no such file: is it a whole export?" }])
  }
  for (const [file, text] of files) {
    if (text === null || !file.endsWith(".json")) continue
    const value = yield* jsonOf(file, text, note)
    if (value !== undefined) values.set(file, value)
  }
  const form = values.get(manifest)
  if (form !== undefined && decoded(manifest, note, Manifest, form) === null) return { wanted: nothing, problems }

  const codes = list(codesFile, note, FolderForm.ErrorCode, values.get(codesFile))
  noteRepeated(
    codes.map(({ error_code }) => NodeReferences.codeKey(error_code)),
    (index, first) =>
      note(codesFile, [
        { path: `[${index}].error_code`, message: `The error code has the name of [${first}]: expected one of its own` }
      ])
  )
  const codeIds = new Map(codes.map(({ error_code }) => [NodeReferences.codeKey(error_code), anyId]))
  const within = (folder: string) => [...values].filter(([file]) => file.startsWith(`${folder}/`))
  // Those of files that cannot be read, too: they are no second problem of what refers to them.
  const referencesIn = (folder: string) =>
    [...files.keys()].filter((file) => file.startsWith(`${folder}/`)).map(referenceOf)
  const componentIds = new Map(referencesIn("components").map((reference) => [reference, anyId]))
  const components = within("components").flatMap(([file, value]) => componentOf(file, note, value, codeIds) ?? [])
  const workflows = within("workflows").flatMap(
    ([file, value]) => workflowOf(file, note, value, { codes: codeIds, components: componentIds, now }) ?? []
  )
  const withId = workflows.filter(({ id }) => id !== null)
  noteRepeated(
    withId.map(({ id }) => String(id)),
    (index, first) =>
      note(`workflows/${withId[index]?.reference}.json`, [
        {
          path: "id",
          message: `workflows/${withId[first]?.reference}.json has the same id: remove it from the copy, which becomes a workflow of its own`
        }
      ])
  )
  const webhooks = list(webhooksFile, note, FolderForm.Webhook, values.get(webhooksFile))
  const references = new Set(referencesIn("workflows"))
  for (const [index, { workflow }] of webhooks.entries()) {
    if (workflow == null || references.has(workflow)) continue
    note(webhooksFile, [
      {
        path: `[${index}].workflow`,
        message: `Expected the name of a file in workflows without .json, got ${JSON.stringify(workflow).slice(0, 100)}`
      }
    ])
  }
  noteRepeated(
    webhooks.map(({ url, workflow }) => `${workflow ?? "*"} ${url}`),
    (index, first) =>
      note(webhooksFile, [
        { path: `[${index}].url`, message: `The webhook has the address and the workflow of [${first}]` }
      ])
  )
  const credentials = list(credentialsFile, note, FolderForm.Credential, values.get(credentialsFile))
  return { wanted: { codes, components, workflows, webhooks, credentials } satisfies Wanted, problems }
})
