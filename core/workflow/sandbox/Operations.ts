/**
 * Computations over the schemas, expressions, patterns and graphs of users. Each operation takes and returns JSON and
 * has no side effects, so that it can run in another thread and be terminated there.
 */
import { Result, type Schema } from "effect"
import type { ComponentData } from "../component/Component.ts"
import * as ComponentCheck from "../component/ComponentCheck.ts"
import * as Propagation from "../component/Propagation.ts"
import * as Examples from "../contract/Examples.ts"
import * as InputContract from "../contract/InputContract.ts"
import type { Converted } from "../convert/Assembly.ts"
import type { Parsers } from "../convert/Parsers.ts"
import * as Derivation from "../language/expression/Derivation.ts"
import * as Expression from "../language/expression/Expression.ts"
import type { Moment } from "../language/expression/Moment.ts"
import * as SafePattern from "../language/expression/SafePattern.ts"
import * as Template from "../language/expression/Template.ts"
import type { Edge, Node, NodeId } from "../language/graph/Graph.ts"
import * as GraphCheck from "../language/graph/GraphCheck.ts"
import * as NodeExpressions from "../language/graph/NodeExpressions.ts"
import * as SaveBody from "../SaveBody.ts"
import * as Bundle from "../transfer/Bundle.ts"
import type { Content, Problem } from "../Workflow.ts"
import * as Reach from "./Reach.ts"

type Contract = Pick<Content, "input_schema" | "vault_schema">

/** A result as JSON. */
export type Outcome<A, E> = { readonly success: A } | { readonly failure: E }

const outcomeOf = <A, E>(result: Result.Result<A, E>): Outcome<A, E> =>
  Result.isSuccess(result) ? { success: result.success } : { failure: result.failure }

/** The properties of an expression that do not depend on values. */
export interface Described {
  /** The paths of names that the expression reads, each up to its first computed part. */
  readonly reads: ReadonlyArray<ReadonlyArray<string>>
  /** How what it reads reaches its result. */
  readonly uses: ReadonlyArray<Derivation.Use>
  /** The parts of its roots that the expression can read, each a root and a name in it; `null` if it may read all. */
  readonly reach: ReadonlyArray<ReadonlyArray<string>> | null
}

/** An expression and the values for its evaluation. */
export interface Evaluation {
  readonly source: string
  readonly roots: Schema.Json
  readonly bindings: Schema.JsonObject
  /**
   * Values that are read only by paths below `context.inputs` with these first names. They take precedence over the
   * roots.
   */
  readonly apart: Schema.JsonObject
  readonly moment: Moment
}

/** A graph, with the paths that the expressions of its nodes read. */
export interface ReadGraph {
  readonly start: NodeId
  readonly nodes: ReadonlyArray<{ readonly node: Node; readonly reads: ReadonlyArray<ReadonlyArray<string>> }>
  readonly edges: ReadonlyArray<readonly [NodeId, Edge]>
}

/** Maximum number of reported problems of one value. */
const mostProblems = 1_000

/** The operation that makes workflows of files, with what parses scripts and YAML. The formats are loaded with the first file. */
export const converting =
  (parsers: Parsers | null) =>
  async (asked: { readonly content: string }): Promise<Outcome<Converted, ReadonlyArray<Problem>>> =>
    outcomeOf((await import("../convert/Conversion.ts")).convert(asked.content, parsers))

export const operations = {
  /** Reads the body of a save. `errorCodes` are the ids that nodes may name; `null` if references are not checked. */
  readDraft: (asked: {
    readonly body: unknown
    readonly now: number
    readonly errorCodes: ReadonlyArray<string> | null
  }): SaveBody.Draft =>
    SaveBody.read(asked.body, asked.now, asked.errorCodes === null ? null : new Set(asked.errorCodes)),

  /** The problems of the content of a workflow. */
  contentProblems: (asked: { readonly content: Content }): ReadonlyArray<Problem> =>
    SaveBody.contentProblems(asked.content),

  /** Warnings about a saved workflow. */
  warnings: (asked: { readonly content: Content }): ReadonlyArray<Problem> => SaveBody.warnings(asked.content),

  /** Reads a bundle that is imported. */
  unpack: (asked: {
    readonly body: unknown
    readonly now: number
    readonly errorCodes: ReadonlyArray<string>
  }): Bundle.BundleContents => Bundle.unpack(asked.body, asked.now, new Set(asked.errorCodes)),

  /** Makes a workflow of a file of another program; scripts are refused. */
  convert: converting(null),

  /** Reads the data of a component, with its problems at paths below `path`. */
  readComponent: (asked: {
    readonly data: Schema.Json
    readonly path: string
  }): Outcome<ComponentData, ReadonlyArray<Problem>> => outcomeOf(ComponentCheck.read(asked.data, asked.path)),

  /** The content of a workflow with a new version of a component. */
  carry: (asked: {
    readonly content: Content
    readonly carried: Propagation.ComponentChange
  }): Outcome<Content, ReadonlyArray<Problem>> => {
    const carried = Propagation.carry(asked.content, asked.carried)
    const problems = Result.isFailure(carried) ? carried.failure : SaveBody.contentProblems(carried.success)
    return Result.isFailure(carried) || problems.length > 0 ? { failure: problems } : { success: carried.success }
  },

  /** Reads the graph of a version before it is executed. */
  readGraph: (asked: {
    readonly nodes: Schema.Json
    readonly edges: Schema.Json
  }): Outcome<ReadGraph, ReadonlyArray<Problem>> =>
    outcomeOf(
      Result.map(GraphCheck.read(asked.nodes, asked.edges), ({ edges, nodes, start }) => ({
        start,
        nodes: [...nodes.values()].map((node) => ({ node, reads: NodeExpressions.reads(node) })),
        edges: [...edges]
      }))
    ),

  /** The errors of an input against the contract of a workflow. */
  checkInput: (asked: {
    readonly content: Contract
    readonly input: Schema.JsonObject
  }): ReadonlyArray<InputContract.InputError> => {
    const checked = InputContract.validate({ content: asked.content }, asked.input)
    return Result.isSuccess(checked) ? [] : checked.failure.errors
  },

  /** Like `checkInput`, but accepts placeholders for credentials. */
  rehearse: (asked: { readonly content: Contract; readonly input: Schema.JsonObject }): InputContract.Verdict =>
    InputContract.rehearse({ content: asked.content }, asked.input),

  examples: (asked: { readonly content: Contract }): ReadonlyArray<Examples.Example> =>
    Examples.examplesOf(asked.content),

  /** The first violation of a schema; `null` for a valid value. */
  violation: (asked: {
    readonly schema: Schema.JsonObject
    readonly value: Schema.Json
  }): { readonly instancePath: string; readonly message: string } | null => {
    const [first] = InputContract.violations(asked.schema, asked.value)
    return first === undefined ? null : { instancePath: first.instancePath, message: first.message ?? "is not valid" }
  },

  /** The violations of a schema, each at its path. */
  problems: (asked: { readonly schema: Schema.JsonObject; readonly value: Schema.Json }): ReadonlyArray<Problem> =>
    InputContract.problems(asked.schema, asked.value).slice(0, mostProblems),

  /** Parses an expression; fails with the reason if it is invalid. */
  describe: (asked: { readonly source: string }): Outcome<Described, string> =>
    outcomeOf(
      Result.map(Expression.compile(asked.source), (expression) => ({
        reads: Expression.reads(expression),
        uses: Derivation.of(expression),
        reach: Reach.of(expression)
      }))
    ),

  /** The value of an expression. */
  evaluate: async (
    asked: Evaluation,
    signal?: AbortSignal
  ): Promise<Outcome<Schema.Json, { readonly reason: string; readonly isOverLimit: boolean }>> => {
    const compiled = Expression.compile(asked.source)
    if (Result.isFailure(compiled)) return { failure: { reason: compiled.failure, isOverLimit: false } }
    const names = new Set(Object.keys(asked.apart))
    try {
      const value =
        names.size === 0
          ? await Expression.evaluate(compiled.success, asked.roots, asked.moment, asked.bindings, signal)
          : await Template.evaluate(
              Template.readApart(compiled.success, names),
              // With `apart`, the roots are an object.
              asked.roots as Schema.JsonObject,
              asked.moment,
              asked.apart,
              signal
            )
      return { success: value }
    } catch (error) {
      return { failure: { reason: Expression.reasonOf(error), isOverLimit: Expression.isOverLimit(error) } }
    }
  },

  /** The power with which the cost of a pattern grows; fails with the reason if the pattern is refused. */
  patternCost: (asked: { readonly pattern: string }): Outcome<number, string> =>
    outcomeOf(SafePattern.costOf(asked.pattern)),

  /**
   * The first match of a pattern and its groups; `null` without a match. Fails with the reason if the pattern is
   * refused or the text is too long.
   */
  match: (asked: {
    readonly pattern: string
    readonly text: string
  }): Outcome<ReadonlyArray<string | null> | null, string> => {
    const limit = SafePattern.textLimit(asked.pattern)
    if (Result.isFailure(limit)) return { failure: limit.failure }
    if (asked.text.length > limit.success) {
      return { failure: `the pattern takes texts of at most ${limit.success} characters, got ${asked.text.length}` }
    }
    const found = new RegExp(asked.pattern).exec(asked.text)
    return { success: found === null ? null : found.map((group) => group ?? null) }
  }
} as const

export type Operations = typeof operations
export type Name = keyof Operations
export type Input<N extends Name> = Parameters<Operations[N]>[0]
export type Output<N extends Name> = Awaited<ReturnType<Operations[N]>>
