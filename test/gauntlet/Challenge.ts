/**
 * One difficulty of real sites: the pages that have it, a workflow that masters it, and what has to come of that.
 */
import type { IncomingHttpHeaders, ServerResponse } from "node:http"
import type { Schema } from "effect"
import type { Seen, walk } from "../support/browser.ts"
import type { Move } from "./Workflow.ts"

/** A request for a page of a challenge, and what the site knows of the visit that it belongs to. */
export interface Visit<S> {
  readonly method: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly cookies: Readonly<Record<string, string>>
  /** The body as it was sent. */
  readonly body: Buffer
  /** The fields of a form that was sent. */
  readonly form: URLSearchParams
  /** Made for every visit, so that concurrent visits do not meet. */
  readonly state: S
  /** The address at which the visit begins, such as `http://127.0.0.1:4000/late-element/7/`. */
  readonly base: string
  /** The same pages at another host, which to a browser is another site. */
  readonly elsewhere: string
}

/** A page, or an answer with all its parts. */
export type Written =
  | string
  | {
      readonly status?: number
      readonly headers?: Readonly<Record<string, string | ReadonlyArray<string>>>
      readonly body?: string | Uint8Array
      /** How long the server takes to answer, in milliseconds. */
      readonly after?: number
    }

/** The answer of the site: a fixed one, or a function that writes the response. */
export type Reply = Written | ((response: ServerResponse) => void)

/** The answer at one path: a fixed one, or one that is made for each request. */
export type Route<S> = Written | ((visit: Visit<S>) => Reply)

/** How a run has to fail. */
export class Failing {
  readonly category: string
  /** A part of the message. */
  readonly saying: string

  constructor(category: string, saying: string) {
    this.category = category
    this.saying = saying
  }
}

/** A failure of a class, with a message that says this. */
export const failing = (category: string, saying: string): Failing => new Failing(category, saying)

type WalkOptions = NonNullable<Parameters<typeof walk>[2]>

export interface Specification<S> {
  readonly name: string
  /** The difficulty, in one sentence. */
  readonly difficulty: string
  /** The state of the site for a visit. */
  readonly state?: () => S
  /** The answers, by paths relative to the address of the visit; the first page is at "". */
  readonly routes: Readonly<Record<string, Route<S>>>
  /** The steps after the first page was opened. */
  readonly workflow: ReadonlyArray<Move>
  readonly inputs?: Schema.JsonObject
  /** Persons, credentials and whatever else the run is given, for the origin of the site. */
  readonly given?: (state: S, origin: string) => WalkOptions
  /** The data of the run, or how it fails. */
  readonly expected: Schema.JsonObject | Failing
  /** The files that it downloads in their order, each by its name and what it begins with. */
  readonly files?: ReadonlyArray<readonly [name: string, begins: string]>
  /** The recoveries of failed steps, each by its kind; any when left out. */
  readonly recoveries?: ReadonlyArray<string>
  /** The codes of the warnings, in their order: `expected` is right only beside them. Any when left out. */
  readonly warnings?: ReadonlyArray<string>
}

/** One visit to the pages of a challenge. */
export interface Opened {
  readonly routeAt: (path: string) => ((visit: Omit<Visit<never>, "state">) => Reply) | undefined
  readonly given: WalkOptions
}

export interface Challenge
  extends Pick<
    Specification<unknown>,
    "name" | "difficulty" | "workflow" | "inputs" | "expected" | "files" | "recoveries" | "warnings"
  > {
  /** The name as it stands in addresses. */
  readonly slug: string
  readonly open: (origin: string) => Opened
}

/** A challenge, from its specification. */
export const challenge = <S = undefined>(specification: Specification<S>): Challenge => {
  const { difficulty, expected, files = [], inputs, name, recoveries, routes, warnings, workflow } = specification
  return {
    name,
    slug: name.replaceAll(/[^a-z0-9]+/gi, "-").toLowerCase(),
    difficulty,
    workflow,
    expected,
    files,
    ...(inputs === undefined ? {} : { inputs }),
    ...(recoveries === undefined ? {} : { recoveries }),
    ...(warnings === undefined ? {} : { warnings }),
    open: (origin) => {
      const state = (specification.state?.() ?? undefined) as S
      return {
        given: specification.given?.(state, origin) ?? {},
        routeAt: (path) => {
          const route = routes[path]
          if (route === undefined) return undefined
          return typeof route === "function" ? (visit) => route({ ...visit, state }) : () => route
        }
      }
    }
  }
}

/** The result of a run and the expectation of a challenge, as two values that should be equal. */
export const compared = (
  { expected, files = [], recoveries, warnings }: Challenge,
  { analyses, files: downloaded, outcome, warnings: given }: Pick<Seen, "analyses" | "files" | "outcome" | "warnings">
): { readonly actual: unknown; readonly expected: unknown } => {
  if (!(expected instanceof Failing)) {
    const actual = {
      data: outcome._tag === "Success" ? outcome.data : outcome.failure.message,
      files: downloaded.map(({ fileName, text }, at) => [fileName, text.slice(0, files[at]?.[1].length)]),
      recoveries: recoveries === undefined ? undefined : analyses.map(({ kind }) => kind),
      warnings: warnings === undefined ? undefined : given.map(({ code }) => code)
    }
    return { actual, expected: { data: expected, files, recoveries, warnings } }
  }
  const { category, saying } = expected
  if (outcome._tag === "Success") return { actual: outcome.data, expected: { category, saying } }
  const { failure } = outcome
  return {
    actual: { category: failure.category, saying: failure.message.includes(saying) ? saying : failure.message },
    expected: { category, saying }
  }
}
