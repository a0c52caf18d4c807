/**
 * Walks graphs with the agent, in the browser of the context, and collects what the observer receives.
 */
import { Effect, Result, type Schema } from "effect"
import * as Agent from "../../core/agent/Agent.ts"
import type { Limits } from "../../core/agent/Limits.ts"
import type { Picture } from "../../core/agent/Observer.ts"
import type { Outcome } from "../../core/agent/Outcome.ts"
import type { Person } from "../../core/agent/Person.ts"
import { type Memories, nothing } from "../../core/agent/recovery/ElementMemory.ts"
import * as Recovery from "../../core/agent/recovery/RecoverySettings.ts"
import type { Analysis } from "../../core/agent/recovery/RecoveryStrategy.ts"
import * as Session from "../../core/browser/Session.ts"
import type { LoopTurn } from "../../core/event/LoopTurn.ts"
import type { RunWarning } from "../../core/event/RunWarning.ts"
import { Secrets } from "../../core/redaction/Secrets.ts"
import type { Account } from "../../core/vault/Account.ts"
import type { LoginCodes } from "../../core/vault/otp/LoginCodes.ts"
import * as GraphCheck from "../../core/workflow/language/graph/GraphCheck.ts"
import type { Offer } from "../../core/workflow/patch/Patch.ts"
import type { PlainForm } from "../../core/workflow/patch/PlainForm.ts"

export interface Step {
  readonly action: string
  readonly parameters?: Record<string, unknown>
  /** The next step, by position; by default the following one. */
  readonly to?:
    | number
    | { readonly yes: number; readonly no: number }
    | { readonly body: number; readonly done: number }
}

const id = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`

/** A graph of steps that follow each other, START first and END last. */
export const graphOf = (url: string, steps: ReadonlyArray<Step>) => {
  const all: ReadonlyArray<Step> = [{ action: "START", parameters: { url } }, ...steps, { action: "END" }]
  const nodes = all.map(({ action, parameters = {} }, index) => ({
    id: id(index),
    name: `${action} ${index}`,
    action,
    parameters
  }))
  const edges = Object.fromEntries(
    all.slice(0, -1).map(({ to = -1 }, index) => {
      if (typeof to === "number") return [id(index), { to: id(to < 0 ? index + 1 : to) }]
      return "yes" in to
        ? [id(index), { true: id(to.yes), false: id(to.no) }]
        : [id(index), { loop_not_done: id(to.body), loop_done: id(to.done) }]
    })
  )
  return { nodes, edges }
}

/** A person who never answers. */
const noPerson: Person = { ask: () => Effect.succeed(null), correct: () => Effect.succeed(null) }

export interface Seen {
  readonly outcome: Outcome
  readonly steps: ReadonlyArray<string>
  /** The turns of the loops around each step. */
  readonly loops: ReadonlyArray<ReadonlyArray<LoopTurn>>
  readonly pictures: ReadonlyArray<Picture>
  /** The downloaded files, with their contents as text. */
  readonly files: ReadonlyArray<{
    readonly node: string
    readonly fileName: string
    readonly mediaType: string
    readonly metadata: Schema.JsonObject
    readonly text: string
  }>
  readonly marks: ReadonlyArray<string>
  /** The beginnings and ends of logins, such as `BANK begins`. */
  readonly logins: ReadonlyArray<string>
  /** The recoveries of failed steps. */
  readonly analyses: ReadonlyArray<Analysis>
  readonly offers: ReadonlyArray<Offer>
  /** The plain forms that did not do their steps. */
  readonly misled: ReadonlyArray<PlainForm>
  /** What steps that succeeded were unsure of. */
  readonly warnings: ReadonlyArray<RunWarning>
}

/** Walks a graph, and returns its outcome and the reports. */
export const walk = (
  graph: { readonly nodes: unknown; readonly edges: unknown },
  inputs: Schema.JsonObject = {},
  options: {
    readonly outputSchema?: Schema.JsonObject
    readonly dryRun?: Schema.Json
    readonly limits?: Limits
    readonly person?: Person
    readonly correctable?: boolean
    readonly manualCaptcha?: boolean
    readonly recovery?: Partial<Recovery.RecoverySettings>
    readonly memories?: Memories
    readonly accounts?: ReadonlyArray<Account>
    readonly codes?: LoginCodes["Service"]
    readonly secrets?: Secrets
    readonly session?: Session.Session
    readonly strict?: boolean
    readonly plainForms?: ReadonlyArray<PlainForm>
  } = {}
) =>
  Effect.gen(function* () {
    const steps: Array<string> = []
    const loops: Array<ReadonlyArray<LoopTurn>> = []
    const pictures: Array<Picture> = []
    const files: Array<Seen["files"][number]> = []
    const marks: Array<string> = []
    const logins: Array<string> = []
    const analyses: Array<Analysis> = []
    const offers: Array<Offer> = []
    const misled: Array<PlainForm> = []
    const warnings: Array<RunWarning> = []
    const outcome = yield* Agent.run(
      {
        graph: Result.getOrThrowWith(
          GraphCheck.read(graph.nodes, graph.edges),
          (problems) => new Error(JSON.stringify(problems))
        ),
        inputs,
        outputSchema: options.outputSchema ?? {},
        dryRun: options.dryRun === undefined ? null : { addToOutput: options.dryRun },
        correctable: options.correctable ?? false,
        manualCaptcha: options.manualCaptcha ?? false,
        recovery: {
          settings: { ...Recovery.none, ...options.recovery },
          memories: options.memories ?? nothing
        },
        session: options.session ?? Session.empty,
        accounts: new Map((options.accounts ?? []).map((account) => [account.alias, account])),
        codes: options.codes ?? null,
        secrets: options.secrets ?? new Secrets(),
        strict: options.strict ?? false,
        ...(options.plainForms === undefined ? {} : { plainForms: options.plainForms })
      },
      {
        step: (node, _, turns) =>
          Effect.sync(() => {
            steps.push(node.name)
            loops.push(turns)
          }),
        picture: (picture) => Effect.sync(() => void pictures.push(picture)),
        file: ({ bytes, fileName, mediaType, metadata, node }) =>
          Effect.map(Effect.orDie(bytes), (read) => {
            files.push({ node: node.name, fileName, mediaType, metadata, text: new TextDecoder().decode(read) })
            return null
          }),
        before: (mark) => Effect.sync(() => void marks.push(mark)),
        login: (alias, phase) =>
          Effect.sync(() => void logins.push(`${alias} ${phase} at ${steps.at(-1) ?? "the start"}`)),
        analysed: (analysis) => Effect.sync(() => void analyses.push(analysis)),
        warned: (warning) => Effect.sync(() => void warnings.push(warning)),
        misled: (form) => Effect.sync(() => void misled.push(form)),
        offered: (offer) => Effect.sync(() => void offers.push(offer)),
        person: options.person ?? noPerson
      },
      options.limits
    )
    return { outcome, steps, loops, pictures, files, marks, logins, analyses, offers, misled, warnings } satisfies Seen
  })
