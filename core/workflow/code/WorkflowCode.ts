/**
 * Workflows as TypeScript: a program that says which steps a workflow has, and is itself data.
 *
 * The steps have the names and parameters of the graph language. A text that reads a name which no step before it sets
 * does not compile. As JSON, a workflow is the body that saves it.
 */
import { JsonSchema, Schema } from "effect"
import type { RunWindow } from "../../window/RunWindow.ts"
import type { ActionName } from "../language/graph/Action.ts"
import type { Settings } from "../Workflow.ts"
import { type CompiledGraph, compile } from "./CompiledCode.ts"
import type { Move, NodeFields } from "./Move.ts"
import type { Keys } from "./ReadNames.ts"
import type { Checked, Given, InputNames, NoParameter, SetBy } from "./StepTypes.ts"

/** The site of a credential, or its entry of `vault_schema`. */
export type CredentialSite = string | Schema.JsonObject

/** An Effect schema, or a JSON Schema. */
export type SomeSchema = Schema.Top | Schema.JsonObject

/** What a workflow has beside its steps. The settings have the names of the interface. */
export interface Options extends Settings {
  readonly name: string
  readonly description?: string
  /** The id of the workflow and of the version that the code is based on. `sluice workflow push` writes them. */
  readonly id?: string
  readonly base_version_id?: string
  readonly version_note?: string
  /** The inputs of a run; none when left out. */
  readonly inputs?: SomeSchema
  /** The data of a run; any when left out. */
  readonly outputs?: SomeSchema
  /** The credentials by their aliases. */
  readonly credentials?: Readonly<Record<string, CredentialSite>>
  readonly max_retries?: number
  readonly run_window?: RunWindow | null
  /** Bodies of schedules without `workflow_id`. Each has a name of its own. */
  readonly schedules?: ReadonlyArray<Schema.JsonObject & { readonly name: string }>
}

/** The body that saves a workflow, with all that the graph language has. */
export interface WorkflowBody extends CompiledGraph {
  readonly name: string
  readonly input_schema: Schema.JsonObject
  readonly output_schema: Schema.JsonObject
  readonly vault_schema: Schema.JsonObject
  readonly [field: string]: unknown
}

/** A workflow that is complete. */
export interface WorkflowCode {
  /** The schedules of the workflow, which no version contains. */
  readonly schedules: ReadonlyArray<Schema.JsonObject>
  /** The body that saves the workflow. Throws `InvalidCode` for a `goTo` that leads nowhere. */
  readonly toJSON: () => WorkflowBody
}

/** The actions that are one step, by their methods. */
export const methods = {
  apiFlow: "API_FLOW",
  captcha: "CAPTCHA",
  click: "CLICK",
  delay: "DELAY",
  drag: "DRAG",
  extractDatamodel: "EXTRACT_DATAMODEL",
  extractNetwork: "EXTRACT_NETWORK",
  fileDownload: "FILE_DOWNLOAD",
  fileUpload: "FILE_UPLOAD",
  inputSelect: "INPUT_SELECT",
  inputText: "INPUT_TEXT",
  navigate: "NAVIGATE",
  screenshot: "SCREENSHOT",
  scroll: "SCROLL",
  tabManagement: "TAB_MANAGEMENT",
  tfa: "TFA",
  transform: "TRANSFORM",
  userInteraction: "USER_INTERACTION"
} as const satisfies Readonly<Record<string, ActionName>>

type StepMethods<Known extends string> = {
  /** Adds a step with this action. */
  readonly [M in keyof typeof methods]: <const P extends Given<(typeof methods)[M]>>(
    name: string,
    parameters: P & Checked<(typeof methods)[M], P, Known>,
    node?: NodeFields
  ) => Steps<Known | SetBy<(typeof methods)[M], P>>
}

/** Steps in their order. `Known` are the names that the next step may read. Every method answers new steps. */
export interface Steps<Known extends string> extends StepMethods<Known>, WorkflowCode {
  readonly "~known"?: Known
  readonly "~moves": ReadonlyArray<Move>
  /** Adds a BOOL_CONDITION. A branch that is left out, or ends without `end` or `goTo`, continues after it. */
  readonly when: <const P extends Given<"BOOL_CONDITION">, Yes extends string = never, No extends string = never>(
    name: string,
    parameters: P & Checked<"BOOL_CONDITION", P, Known>,
    branches: { readonly yes?: (steps: Steps<Known>) => Steps<Yes>; readonly no?: (steps: Steps<Known>) => Steps<No> },
    node?: NodeFields
  ) => Steps<Known | Yes | No>
  /** Adds a LOOP. Its body may read the variables of the item and the index. */
  readonly each: <const P extends Given<"LOOP">, In extends string = never>(
    name: string,
    parameters: P & Checked<"LOOP", P, Known>,
    body: (steps: Steps<Known | SetBy<"LOOP", P>>) => Steps<In>,
    node?: NodeFields
  ) => Steps<Known | SetBy<"LOOP", P> | In>
  /** Continues at the step with this name, or with this id where several have the name. It is no step itself. */
  readonly goTo: (step: string) => Steps<Known>
  /** Adds an END. Steps after it are reached by `goTo` only. A workflow that ends without one has an END "End". */
  readonly end: (name: string, parameters?: Given<"END">, node?: NodeFields) => Steps<Known>
  /**
   * Lets the steps that follow read names that an earlier turn of a loop, or a step that leads here by `goTo`, sets. It is
   * no step. The check of the graph still decides.
   */
  readonly assume: <const N extends string>(...names: ReadonlyArray<N>) => Steps<Known | N>
}

/** A workflow without steps. */
export interface Beginning<Known extends string> {
  /** Begins with START. */
  readonly start: <const P extends Given<"START">>(
    name: string,
    parameters: P & Checked<"START", P, Known>,
    node?: NodeFields
  ) => Steps<Known | SetBy<"START", P>>
  /** The nodes and edges themselves, for a graph that steps cannot express. */
  readonly raw: (graph: { readonly nodes: Schema.Json; readonly edges: Schema.Json }) => WorkflowCode
}

/** The names that the first step may read. */
export type Inputs<O> =
  | (O extends { readonly inputs: infer I } ? InputNames<I> : never)
  | (O extends { readonly credentials: infer C } ? `inputs.${Keys<C>}` : never)

type OnlyOptions<O> = { readonly [X in keyof O]: X extends keyof Options ? unknown : NoParameter<"workflow", X> }

/**
 * Begins a workflow.
 *
 * **Example**
 *
 * ```ts
 * import { Schema } from "effect"
 * import * as Code from "@sluice/core/workflow/code"
 *
 * const invoices = Code.workflow({
 *   name: "Invoices",
 *   inputs: Schema.Struct({ month: Schema.String }),
 *   credentials: { PORTAL: "https://portal.example" }
 * })
 *   .start("Open the portal", { url: "https://portal.example/invoices?month={{context.inputs.month}}" })
 *   .extractDatamodel("Read the invoices", {
 *     execution: "STATIC",
 *     extract_data_model: Code.record({ invoices: Code.list("//tbody/tr", { number: Code.text("/td[1]") }) })
 *   })
 *   .each(
 *     "Each invoice",
 *     { variable_over: "{{context.invoices}}", variable_current_item: "invoice", variable_current_index: "index" },
 *     (steps) => steps.navigate("Open it", { url: "https://portal.example/{{context.runtime.invoice.number}}" })
 *   )
 *   .end("Done")
 *
 * Code.body(invoices).nodes.map(({ name }) => name) // => ["Open the portal", "Read the invoices", "Each invoice", "Open it", "Done"]
 * ```
 */
export const workflow = <const O extends Options>(options: O & OnlyOptions<O>): Beginning<Inputs<O>> => ({
  start: (name, parameters, node = {}) =>
    steps(options, [{ _tag: "Step", name, action: "START", parameters: parameters as Schema.JsonObject, node }]),
  raw: (graph) => complete(options, () => graph)
})

/** The body that saves a workflow, or a version of it. Throws `InvalidCode` for a `goTo` that leads nowhere. */
export const body = (code: WorkflowCode): WorkflowBody => code.toJSON()

/** Steps on their way: a new value for each move that is added. */
const steps = <Known extends string>(options: Options, moves: ReadonlyArray<Move>): Steps<Known> => {
  // The types of the methods say which names are known after each. The value is the same for all.
  const adding = (move: Move): never => steps(options, [...moves, move]) as never
  const below = (build: undefined | ((inner: Steps<never>) => Steps<string>)): ReadonlyArray<Move> =>
    build === undefined ? [] : build(steps(options, []))["~moves"]
  const ofActions = Object.fromEntries(
    Object.entries(methods).map(([method, action]) => [
      method,
      (name: string, parameters: Schema.JsonObject, node: NodeFields = {}) =>
        adding({ _tag: "Step", name, action, parameters, node })
    ])
  ) as unknown as StepMethods<Known>
  return {
    ...ofActions,
    ...complete(options, () => compile(moves)),
    "~moves": moves,
    when: (name, parameters, { no, yes }, node = {}) =>
      adding({
        _tag: "When",
        name,
        parameters: parameters as Schema.JsonObject,
        node,
        yes: below(yes as never),
        no: below(no as never)
      }),
    each: (name, parameters, body, node = {}) =>
      adding({ _tag: "Each", name, parameters: parameters as Schema.JsonObject, node, body: below(body as never) }),
    goTo: (step) => adding({ _tag: "GoTo", step }),
    end: (name, parameters = {}, node = {}) => adding({ _tag: "Step", name, action: "END", parameters, node }),
    assume: (...names) => adding({ _tag: "Assume", names })
  }
}

const complete = (
  options: Options,
  graph: () => CompiledGraph | { readonly nodes: Schema.Json; readonly edges: Schema.Json }
): WorkflowCode => ({
  schedules: options.schedules ?? [],
  toJSON: () => {
    const { credentials = {}, inputs, outputs, schedules: _, ...rest } = options
    const { edges, nodes } = graph()
    // Everything in it is JSON: the schemas were written as such.
    return {
      ...rest,
      input_schema: inputs === undefined ? noInputs : inputSchemaOf(inputs),
      output_schema: outputs === undefined ? {} : jsonSchemaOf(outputs),
      vault_schema: Object.fromEntries(
        Object.entries(credentials).map(([alias, site]) => [
          alias,
          typeof site === "string" ? { type: "credential", domain: site } : site
        ])
      ),
      nodes,
      edges
    } as WorkflowBody
  }
})

/** The schema of the inputs of a workflow that names none. */
export const noInputs = { type: "object", properties: {}, additionalProperties: false } as const

/** The JSON Schema of an Effect schema; any other schema as it is. */
const jsonSchemaOf = (schema: SomeSchema): Schema.JsonObject => {
  if (!Schema.isSchema(schema)) return schema as Schema.JsonObject
  const document = JsonSchema.toDocumentDraft07(Schema.toJsonSchemaDocument(schema))
  const { definitions, schema: root } = document
  return { ...root, ...(Object.keys(definitions).length === 0 ? {} : { definitions }) } as Schema.JsonObject
}

/** Inputs that an Effect schema does not name are refused. */
const inputSchemaOf = (schema: SomeSchema): Schema.JsonObject =>
  Schema.isSchema(schema) ? { ...jsonSchemaOf(schema), additionalProperties: false } : jsonSchemaOf(schema)

/** A field of a data model: the text of the element at `path`. */
export const text = <const M extends Schema.JsonObject>(path: string, more?: M) => field("string", path, more)

/** A field of a data model: the number that the element at `path` shows. */
export const number = <const M extends Schema.JsonObject>(path: string, more?: M) => field("number", path, more)

/** A field of a data model: the whole number that the element at `path` shows. */
export const integer = <const M extends Schema.JsonObject>(path: string, more?: M) => field("integer", path, more)

const field = <const T extends string, const M extends Schema.JsonObject>(type: T, path: string, more: M | undefined) =>
  ({ type, path, ...(more ?? ({} as M)) }) as const

/** A data model with these fields. */
export const record = <const P extends Readonly<Record<string, Schema.JsonObject>>>(properties: P) =>
  ({ type: "object", properties }) as const

/** A field of a data model: a list with one record for each element at `path`. The paths in the record begin there. */
export const list = <const P extends Readonly<Record<string, Schema.JsonObject>>>(path: string, properties: P) =>
  ({ type: "array", path, items: record(properties) }) as const
