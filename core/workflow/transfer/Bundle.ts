/**
 * Bundles: exported workflows for import into another workspace.
 *
 * A bundle contains the whole workflow, and nothing of its workspace: no ids of workflows, versions, users or
 * components, and no secrets. The same workflow always gives the same bundle.
 */
import { Result, Schema } from "effect"
import * as TextLength from "../../window/TextLength.ts"
import { ErrorAction } from "../../workspace/ErrorCodes.ts"
import * as Json from "../../workspace/Json.ts"
import type { ComponentData } from "../component/Component.ts"
import * as ComponentCheck from "../component/ComponentCheck.ts"
import * as Instances from "../component/Instances.ts"
import * as ErrorReferences from "../ErrorReferences.ts"
import { problemsOf } from "../language/graph/Paths.ts"
import * as SaveBody from "../SaveBody.ts"
import type { Problem, Settings } from "../Workflow.ts"
import type { StoredWorkflow } from "../WorkflowStore.ts"

export const format = "sluice.workflow" as const

export const formatVersion = 1 as const

/** A component of a workflow in a bundle. `ref` replaces its id in the nodes of the bundle. */
export interface Part {
  readonly ref: string
  readonly name: string
  readonly data: ComponentData
}

/** A parsed bundle: a workflow to be created, whose nodes still name its components by their `ref`. */
export interface BundleContents {
  readonly draft: SaveBody.Draft
  readonly parts: ReadonlyArray<Part>
  readonly codes: ReadonlyArray<NamedCode>
}

/** An error code in a bundle, with the field names of the interface. */
const Code = Schema.Struct({
  error_code: SaveBody.Text.check(Schema.isNonEmpty(), TextLength.atMost(256)),
  description: SaveBody.Text,
  enriched_description: Schema.NullOr(SaveBody.Text),
  error_action: ErrorAction,
  retries: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 }))),
  retry_after: Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 86_400 })))
})
export type Code = typeof Code.Type

/** An error code of a bundle. `ref` replaces its id in the nodes of the bundle. */
export const NamedCode = Schema.Struct({
  ref: Schema.String.check(Schema.isPattern(/^error-code-\d{1,6}$/)),
  ...Code.fields
})
export type NamedCode = typeof NamedCode.Type

/** Packs a workflow with its components and error codes, both given by their ids. References to others are left out. */
export const pack = (
  { gate, version, workflow }: StoredWorkflow,
  held: ReadonlyMap<string, { readonly name: string; readonly data: ComponentData }>,
  codes: ReadonlyMap<string, Code>
): Schema.JsonObject => {
  const named = [...new Set(ErrorReferences.all(version.content.nodes).map(({ id }) => id))].filter((id) =>
    codes.has(id)
  )
  const codeRefs = new Map(named.map((id, index) => [id, `error-code-${index + 1}`]))
  // The nodes of a saved version are a list.
  const nodes = version.content.nodes as ReadonlyArray<Schema.Json>
  const ids = Instances.components(nodes)
  const known = ids.filter((id) => held.has(id))
  const refs = new Map(known.map((id, index) => [id, `component-${index + 1}`]))
  const { settings, ...content } = version.content
  return {
    format,
    format_version: formatVersion,
    name: workflow.name,
    description: workflow.description,
    ...content,
    nodes: ErrorReferences.renamed(
      Instances.renamed(
        ids.filter((id) => !held.has(id)).reduce(Instances.unlinked, nodes),
        (id) => refs.get(id) ?? id
      ),
      (text) => {
        const id = ErrorReferences.idIn(text)
        return id === null ? text : (codeRefs.get(id) ?? null)
      }
    ),
    ...withoutSecrets(settings),
    // A window is plain JSON, but an interface is not assignable to the type of JSON.
    run_window: gate.runWindow as Schema.Json,
    components: known.flatMap((id) => {
      const one = held.get(id)
      const ref = refs.get(id)
      return one === undefined || ref === undefined
        ? []
        : // As above.
          [{ ref, name: one.name, component_data: one.data as Schema.Json }]
    }),
    error_codes: named.flatMap((id) => {
      const code = codes.get(id)
      const ref = codeRefs.get(id)
      return code === undefined || ref === undefined ? [] : [{ ref, ...code }]
    })
  }
}

/**
 * Reads the body of an import: a bundle, a workflow as the interface returns it, or an object with either as `bundle`
 * and a `run_window` that replaces its own. The result lists every problem at its path. `known` are the ids of the
 * error codes that nodes may name beside those of the bundle.
 */
export const unpack = (body: unknown, now: number, known: ReadonlySet<string>): BundleContents => {
  // The body was parsed from JSON text.
  const fields = Json.objectOf(body as Schema.Json)
  const wrapped = Json.isObject(fields.bundle) ? fields.bundle : null
  const bundle = wrapped ?? fields
  const alien = formatProblems(bundle)
  if (alien.length > 0) {
    const path = wrapped === null ? "" : "bundle."
    const problems = alien.map((problem) => ({ ...problem, path: `${path}${problem.path}` }))
    return { draft: { ...SaveBody.read(null, now), problems }, parts: [], codes: [] }
  }
  const parts = readParts(bundle.components)
  const codes = Schema.decodeUnknownResult(Schema.Array(NamedCode), { errors: "all" })(bundle.error_codes ?? [])
  const refs = new Set(parts.parts.map(({ ref }) => ref))
  const replacesWindow = wrapped !== null && fields.run_window !== undefined
  const draft = SaveBody.read(replacesWindow ? { ...bundle, run_window: fields.run_window } : bundle, now, known)
  const place = (problem: Problem): Problem =>
    wrapped === null || (replacesWindow && problem.path.startsWith("run_window"))
      ? problem
      : { ...problem, path: problem.path === "" ? "bundle" : `bundle.${problem.path}` }
  return {
    draft: {
      ...draft,
      baseVersionId: null,
      canary: null,
      problems: [
        ...draft.problems,
        ...parts.problems,
        ...(Result.isFailure(codes) ? problemsOf(codes.failure, "error_codes") : []),
        ...missingComponentProblems(bundle.nodes, refs)
      ].map(place)
    },
    parts: parts.parts,
    codes: Result.getOrElse(codes, () => [])
  }
}

/**
 * The draft of a bundle, with the ids of its components and error codes in this workspace. References to the components
 * in `unknown` are left out.
 */
export const settled = (
  { draft }: BundleContents,
  ids: ReadonlyMap<string, string>,
  unknown: ReadonlyArray<string>
): SaveBody.Draft => ({
  ...draft,
  content: {
    ...draft.content,
    nodes: Array.isArray(draft.content.nodes)
      ? ErrorReferences.renamed(
          Instances.renamed(unknown.reduce(Instances.unlinked, draft.content.nodes), (ref) => ids.get(ref) ?? ref),
          (text) => ids.get(text) ?? text
        )
      : draft.content.nodes
  }
})

/** Removes the address of a custom proxy: it contains a password, sealed with a key of this workspace only. */
const withoutSecrets = ({ proxy_value, ...settings }: Settings): Settings =>
  proxy_value === undefined || settings.proxy_setting === "custom" ? settings : { ...settings, proxy_value }

/**
 * Whether a body is a workflow as the interface returns it, whose nodes name components and error codes by their ids.
 */
export const isAnswer = (body: Schema.JsonObject): boolean =>
  body.format === undefined && body.format_version === undefined && body.nodes !== undefined

const formatProblems = (bundle: Schema.JsonObject): ReadonlyArray<Problem> => {
  if (isAnswer(bundle)) return []
  if (bundle.format !== format) {
    return [
      {
        path: "format",
        message: `Expected "${format}", the format of an exported workflow, or a workflow without a format, got ${shown(bundle.format)}`
      }
    ]
  }
  return bundle.format_version === formatVersion
    ? []
    : [{ path: "format_version", message: `Expected ${formatVersion}, got ${shown(bundle.format_version)}` }]
}

const isRef = (text: string): boolean => /^component-\d{1,6}$/.test(text)

const shown = (value: Schema.Json | undefined): string => JSON.stringify(value)?.slice(0, 100) ?? "nothing"

const readParts = (
  components: Schema.Json | undefined
): { readonly parts: ReadonlyArray<Part>; readonly problems: ReadonlyArray<Problem> } => {
  if (components === undefined || components === null) return { parts: [], problems: [] }
  if (!Array.isArray(components)) {
    return { parts: [], problems: [{ path: "components", message: "Expected an array of components" }] }
  }
  const problems: Array<Problem> = []
  const parts = components.flatMap((value: Schema.Json, index): ReadonlyArray<Part> => {
    const path = `components[${index}]`
    const { component_data, name, ref } = Json.isObject(value) ? value : {}
    const data = ComponentCheck.read(component_data, `${path}.component_data`)
    if (Result.isFailure(data)) problems.push(...data.failure)
    if (typeof ref !== "string" || !isRef(ref)) {
      problems.push({ path: `${path}.ref`, message: "Expected a name such as component-1" })
    }
    if (typeof name !== "string" || name === "" || !TextLength.fits(name, 100) || name.includes("\u0000")) {
      problems.push({ path: `${path}.name`, message: "Expected a name of at most 100 characters" })
    }
    return Result.isSuccess(data) && typeof ref === "string" && typeof name === "string"
      ? [{ ref, name, data: data.success }]
      : []
  })
  return { parts, problems }
}

/** Problems of nodes that name components that the bundle does not contain. */
const missingComponentProblems = (nodes: Schema.Json | undefined, refs: ReadonlySet<string>): ReadonlyArray<Problem> =>
  (Array.isArray(nodes) ? nodes : []).flatMap((node: Schema.Json, index) => {
    const ref = Instances.referenceOf(node)
    return ref === null || !isRef(ref) || refs.has(ref)
      ? []
      : [{ path: `nodes[${index}].${Instances.instanceField}`, message: `The bundle has no component "${ref}"` }]
  })
