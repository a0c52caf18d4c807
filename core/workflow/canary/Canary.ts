/**
 * Canaries: a new version of a workflow gets a share of its runs at first, and the version before it gets the others.
 *
 * The new version is the latest one. When it does worse, the content of the version before is saved once more, as the
 * next version. Everything here is a function of its arguments; instants are epoch milliseconds.
 */
import { Result, Schema } from "effect"
import { VersionId } from "../../workspace/Ids.ts"
import { type Content, InvalidWorkflow, type WorkflowVersion } from "../Workflow.ts"
import * as Verdict from "./CanaryVerdict.ts"

const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/**
 * The terms of a canary. With a share of more than a half, the version before would have too few runs to compare with.
 */
export const Terms = Schema.Struct({
  /** The share of runs that the new version gets. */
  share: Schema.Finite.check(Schema.isBetween({ minimum: 0.01, maximum: 0.5 })),
  /** After so many ended runs of the new version it gets all of them. */
  runs: whole(1, 1_000),
  /** With so many failed runs of the new version it is rolled back, whatever the other version does. */
  max_failures: whole(1, 1_000)
}).annotate({ identifier: "CanaryTerms" })
export type Terms = typeof Terms.Type

const Compared = Schema.Struct({
  versionId: VersionId,
  versionNumber: Schema.Int,
  maxRetries: Schema.Int
})

/** How a canary ended. */
const End = Schema.Struct({
  at: Schema.Finite,
  /** The user who ended it; `null` where the runs decided. */
  by: Schema.NullOr(Schema.String),
  /** One sentence. */
  reason: Schema.String,
  evidence: Schema.NullOr(Verdict.Evidence),
  /** The version that has the former content again, where the canary was rolled back. */
  restored: Schema.NullOr(Schema.Int)
})

/**
 * The canary of a workflow. `stopped`: the former content is the latest version again. `replaced`: another version was
 * saved meanwhile.
 */
export const Canary = Schema.Struct({
  state: Schema.Literals(["running", "promoted", "stopped", "replaced"]),
  base: Compared,
  candidate: Compared,
  terms: Terms,
  startedAt: Schema.Finite,
  startedBy: Schema.String,
  end: Schema.NullOr(End)
})
export type Canary = typeof Canary.Type

/** Which of the two versions a run gets. */
export const Arm = Schema.Literals(["base", "candidate"])
export type Arm = typeof Arm.Type

/** The runs of the new version have the end of their id, read as a number, below this one. */
export const threshold = ({ share }: Terms): number => Math.round(share * 2 ** 32)

/**
 * The version that a run gets by its id, or by that of the run that it repeats; `null` when no canary is running. Ids end
 * in random digits.
 */
export const armOf = (canary: Canary | null, id: string): Arm | null => {
  if (canary?.state !== "running") return null
  return Number.parseInt(id.slice(-8), 16) < threshold(canary.terms) ? "candidate" : "base"
}

/** What a run keeps of the running canary that it is part of. */
export const ofRun = (canary: Canary | null, id: string): { readonly canary?: Arm } => {
  const arm = armOf(canary, id)
  return arm === null ? {} : { canary: arm }
}

/** What differs between the terms of runs of both versions. */
interface Assigned {
  readonly versionId: VersionId
  readonly content: Pick<Content, "max_retries">
}

/** The terms of the version that a run gets, where those of the latest version are given. */
export const assign = <A extends Assigned>(latest: A, canary: Canary | null, id: string): A => {
  if (canary === null || armOf(canary, id) !== "base") return latest
  const { maxRetries, versionId } = canary.base
  return { ...latest, versionId, content: { ...latest.content, max_retries: maxRetries } }
}

const compared = ({ content, versionId, versionNumber }: WorkflowVersion): typeof Compared.Type => ({
  versionId,
  versionNumber,
  maxRetries: content.max_retries
})

/**
 * Begins the canary of a version that is saved. A canary of the version before goes on with its base. Refused for a save that
 * changes nothing, and for a version that takes other inputs, as who submits a run does not know which version it gets.
 */
export const start = (
  before: { readonly version: WorkflowVersion; readonly canary: Canary | null },
  version: WorkflowVersion,
  terms: Terms,
  { at, by }: { readonly at: number; readonly by: string }
): Result.Result<Canary, InvalidWorkflow> => {
  const refuse = (message: string) => Result.fail(new InvalidWorkflow({ problems: [{ path: "canary", message }] }))
  if (version.versionId === before.version.versionId) {
    return refuse("Expected a change of the workflow to try, or no canary: this save changes nothing")
  }
  const [former, next] = [before.version, version].map(({ content: { input_schema, vault_schema } }) =>
    JSON.stringify([input_schema, vault_schema])
  )
  if (former !== next) {
    return refuse(
      `Expected the input_schema and the vault_schema of version ${before.version.versionNumber}, or no canary: who submits a run does not know which version it gets`
    )
  }
  return Result.succeed({
    state: "running",
    base: before.canary?.state === "running" ? before.canary.base : compared(before.version),
    candidate: compared(version),
    terms,
    startedAt: at,
    startedBy: by,
    end: null
  })
}

/** The canary after a save, which ends one whose version is not the latest any more. */
export const afterSave = (
  canary: Canary | null,
  latest: Pick<WorkflowVersion, "versionId" | "versionNumber">,
  at: number
): Canary | null =>
  canary?.state !== "running" || canary.candidate.versionId === latest.versionId
    ? canary
    : {
        ...canary,
        state: "replaced",
        end: {
          at,
          by: null,
          reason: `Version ${latest.versionNumber} was saved meanwhile`,
          evidence: null,
          restored: null
        }
      }

/** Whether a change rolls a canary back: then its runs that have not started get the restored version. */
export const isRollback = (before: Canary | null, after: Canary | null): boolean =>
  before?.state === "running" && after?.state === "stopped"
