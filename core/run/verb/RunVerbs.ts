/**
 * What users do to several runs in one call, named by their ids: release, interrupt, retry, tag.
 *
 * Each run has its own outcome, and one that cannot be done leaves the others alone. A call is no single step: it may be
 * sent again after it broke off, and then says of what was done that it was. With `dryRun` nothing is done, and the outcomes
 * are what they would be.
 */
import { Context, Effect, Layer, Result, Schema } from "effect"
import { Signals } from "../../runtime/Signals.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { Problem } from "../../workflow/Workflow.ts"
import { Audit } from "../../workspace/audit/Audit.ts"
import type { AuditAction } from "../../workspace/audit/AuditAction.ts"
import { RunId, RunNotFound, type WorkflowId } from "../../workspace/Ids.ts"
import * as Permissions from "../../workspace/Permissions.ts"
import { most as mostTags } from "../../workspace/request/Tags.ts"
import type { Caller, RoleForbids } from "../../workspace/Workspace.ts"
import * as Run from "../Run.ts"
import { type Decision, type Filter, type ListPage, RunStore } from "../RunStore.ts"
import * as Transition from "../Transition.ts"
import * as Retry from "./Retry.ts"
import * as RunTags from "./RunTags.ts"

/** The runs that a call is for, once each, and whether it only shows what it would do. */
export interface RunSelection {
  readonly sessionIds: ReadonlyArray<string>
  readonly dryRun: boolean
}

/** The outcome for one run. */
export interface Outcome<Kind extends string> {
  /** As it was asked for. */
  readonly sessionId: string
  readonly outcome: Kind | "not_found"
  /** The status of the run as it reads afterwards; `null` for one that does not exist. */
  readonly status: Run.Status | null
  /** Why nothing was done; `null` where it was. */
  readonly message: string | null
}

export type ReleaseOutcome = Outcome<Transition.Released>
export type InterruptOutcome = Outcome<"interrupted" | "already_ended">
export type RetryOutcome = Outcome<Retry.Kind> & {
  /** The new run, or the one that retries it already. */
  readonly retriedAs: string | null
  /** The workflow of the run; `null` for one that does not exist. */
  readonly workflowId: WorkflowId | null
  /** What is wrong with the input where that is the outcome, each at its path. */
  readonly problems: ReadonlyArray<Problem>
}

export type TagOutcome = Outcome<"tagged" | "unchanged" | "too_many_tags">

type Doing<O> = Effect.Effect<ReadonlyArray<O>, RoleForbids | StoreUnavailable>

export class RunVerbs extends Context.Service<
  RunVerbs,
  {
    /** Lets waiting runs start now, past their run window, and past a manual pause if `pastPause` is set. */
    readonly release: (caller: Caller, asked: RunSelection & { readonly pastPause: boolean }) => Doing<ReleaseOutcome>

    /** Ends waiting and running runs as stopped. `reason` is what their errors say then. */
    readonly interrupt: (
      caller: Caller,
      asked: RunSelection & { readonly reason: string | null }
    ) => Doing<InterruptOutcome>

    /** Gives tags to runs and takes tags from them: see `RunTags`. */
    readonly tag: (caller: Caller, asked: RunSelection & RunTags.Edit) => Doing<TagOutcome>

    /** The ids of the runs that satisfy a filter, newest first, up to its limit, and the place behind them. */
    readonly select: (
      caller: Caller,
      filter: Filter
    ) => Effect.Effect<{ readonly ids: ReadonlyArray<RunId>; readonly next: ListPage["next"] }, StoreUnavailable>

    /** Submits ended runs again: see `Retry`. */
    readonly retry: (caller: Caller, asked: RunSelection & Retry.Terms) => Doing<RetryOutcome>
  }
>()("sluice/core/run/verb/RunVerbs") {
  static readonly layer = Layer.effect(
    RunVerbs,
    Effect.gen(function* () {
      const runs = yield* RunStore
      const signals = yield* Signals
      const audit = yield* Audit
      const retryOne = yield* Retry.make

      /** Decides about each run. `decided` gets the decisions of the runs that exist. */
      const forEach = Effect.fnUntraced(function* <Kind extends string>(
        caller: Caller,
        { dryRun, sessionIds }: RunSelection,
        decide: (locked: Transition.LockedRun, now: number) => Decided<Kind>
      ) {
        const ids = new Map(sessionIds.map((asked) => [asked, readId(asked)]))
        const known = [...new Set(ids.values())].filter((id) => id !== null)
        const decisions = yield* runs.changeAll(
          caller.workspaceId,
          known,
          (locked, now) => {
            const decision = decide(locked, now)
            const status = Run.statusAt((dryRun ? null : decision.change?.run) ?? locked.run, locked.gate, now)
            return { ...decision, before: locked.run, status }
          },
          { dryRun }
        )
        const found = new Map(known.map((id, index) => [id, decisions[index] ?? null]))
        const outcomes = [...ids].map(([sessionId, id]): Outcome<Kind> => {
          const decision = id === null ? null : (found.get(id) ?? null)
          if (decision === null) return notFound(sessionId)
          return { sessionId, outcome: decision.outcome, status: decision.status, message: decision.message }
        })
        return { outcomes, changed: dryRun ? [] : decisions.filter((one) => one !== null && one.change !== null) }
      })

      const release = Effect.fn("RunVerbs.release")(function* (
        caller: Caller,
        asked: RunSelection & { readonly pastPause: boolean }
      ) {
        const { changed, outcomes } = yield* forEach(caller, asked, (locked, at) => {
          const { change, outcome } = Transition.release(locked, { at, by: caller.userId }, asked.pastPause)
          return { change, outcome, message: releaseMessages[outcome] }
        })
        if (changed.length > 0) {
          yield* signals.publish({ _tag: "work" })
          yield* signals.publish({ _tag: "events" })
        }
        return outcomes
      })

      const interrupt = Effect.fn("RunVerbs.interrupt")(function* (
        caller: Caller,
        asked: RunSelection & { readonly reason: string | null }
      ) {
        const why = Transition.interruptedByUser(asked.reason)
        const { changed, outcomes } = yield* forEach(
          caller,
          asked,
          (locked, at): Decided<"interrupted" | "already_ended"> =>
            Result.match(Transition.interrupt(locked, at, why), {
              onSuccess: (change) => ({ change, outcome: "interrupted", message: null }),
              onFailure: ({ message }) => ({ change: null, outcome: "already_ended", message })
            })
        )
        for (const one of changed) {
          if (one !== null && Run.isRunning(one.before)) {
            yield* signals.publish({ _tag: "ended", runId: one.before.id })
          }
        }
        if (changed.length > 0) {
          // Their slots of credentials are free.
          yield* signals.publish({ _tag: "work" })
          yield* signals.publish({ _tag: "events" })
        }
        return outcomes
      })

      const retry = Effect.fn("RunVerbs.retry")(function* (caller: Caller, asked: RunSelection & Retry.Terms) {
        const outcomes = yield* Effect.forEach(
          new Set(asked.sessionIds),
          (sessionId) => {
            const id = readId(sessionId)
            return id === null
              ? Effect.succeed({ ...notFound(sessionId), retriedAs: null, workflowId: null, problems: [] })
              : Effect.map(retryOne(caller, id, asked), (outcome): RetryOutcome => ({ ...outcome, sessionId }))
          },
          { concurrency: retriedTogether }
        )
        if (!asked.dryRun && outcomes.some(({ outcome }) => outcome === "retried")) {
          yield* signals.publish({ _tag: "work" })
          yield* signals.publish({ _tag: "due" })
          yield* signals.publish({ _tag: "events" })
        }
        return outcomes
      })

      const tag = tagging(runs)
      const select = selecting(runs)

      /** Appends one entry for a call that did something, with the first of the runs to which it did. */
      const audited =
        <A extends RunSelection, O extends Outcome<string>>(
          action: AuditAction,
          did: O["outcome"],
          verb: (caller: Caller, asked: A) => Effect.Effect<ReadonlyArray<O>, StoreUnavailable>,
          more: (asked: A) => { readonly reason?: string | null; readonly terms: Schema.JsonObject }
        ) =>
        (caller: Caller, asked: A) =>
          Effect.gen(function* () {
            const outcomes = yield* verb(caller, asked)
            const done = outcomes.filter(({ outcome }) => outcome === did).map(({ sessionId }) => sessionId)
            if (asked.dryRun || done.length === 0) return outcomes
            const { reason = null, terms } = more(asked)
            const after = { ...terms, runs: done.length, session_ids: done.slice(0, mostAudited) }
            yield* audit.record(caller, { action, resourceId: null, reason, before: null, after })
            return outcomes
          }).pipe(Effect.uninterruptible)

      return RunVerbs.of({
        release: audited("run.release", "released", release, ({ pastPause }) => ({ terms: { past_pause: pastPause } })),
        interrupt: audited("run.interrupt", "interrupted", interrupt, ({ reason }) => ({ reason, terms: {} })),
        retry: audited("run.retry", "retried", retry, ({ reason, version }) => ({ reason, terms: { version } })),
        tag: audited("run.tag", "tagged", tag, ({ add, remove }) => ({ terms: { add, remove } })),
        select
      })
    }).pipe(
      Permissions.checked<RunVerbs["Service"]>({
        release: "run",
        interrupt: "run",
        retry: "run",
        tag: "run",
        select: "read"
      })
    )
  )
}

const tagging = (runs: RunStore["Service"]) =>
  Effect.fn("RunVerbs.tag")(function* (caller: Caller, asked: RunSelection & RunTags.Edit) {
    const ids = new Map(asked.sessionIds.map((sessionId) => [sessionId, readId(sessionId)]))
    const known = [...new Set(ids.values())].filter((id) => id !== null)
    const decisions = yield* runs.changeTags(
      caller.workspaceId,
      known,
      (tags) => {
        const after = RunTags.edited(tags, asked)
        return after === null || areEqual(after, tags) ? null : after
      },
      asked
    )
    const found = new Map(known.map((id, index) => [id, decisions[index] ?? null]))
    return [...ids].map(([sessionId, id]): TagOutcome => {
      const decision = id === null ? null : (found.get(id) ?? null)
      if (decision === null) return notFound(sessionId)
      const after = RunTags.edited(decision.before, asked)
      const outcome = after === null ? "too_many_tags" : areEqual(after, decision.before) ? "unchanged" : "tagged"
      return { sessionId, outcome, status: decision.status, message: tagMessages[outcome] }
    })
  })

const selecting = (runs: RunStore["Service"]) =>
  Effect.fn("RunVerbs.select")(function* (caller: Caller, filter: Filter) {
    const ids: Array<RunId> = []
    const pageOf = (more: Partial<Filter>) =>
      runs.list(caller.workspaceId, { ...filter, ...more, limit: Math.min(listed, filter.limit - ids.length) })
    let page = yield* pageOf({})
    ids.push(...page.runs.map(({ id }) => id))
    while (page.next !== null && ids.length < filter.limit) {
      page = yield* pageOf({ before: page.next })
      ids.push(...page.runs.map(({ id }) => id))
    }
    return { ids, next: page.next }
  })

interface Decided<Kind extends string> extends Decision {
  readonly outcome: Kind
  readonly message: string | null
}

/** How many runs are retried at once, each in its own transaction. */
const retriedTogether = 8

/** How many runs an entry of the audit trail names. */
const mostAudited = 1_000

/** How many runs of a filter are listed at once. */
const listed = 1_000

const areEqual = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((tag, index) => tag === other[index])

const tagMessages: Readonly<Record<Exclude<TagOutcome["outcome"], "not_found">, string | null>> = {
  tagged: null,
  unchanged: "It has these tags already",
  too_many_tags: `A run has at most ${mostTags} tags: remove some in the same request`
}

const isRunId = Schema.is(RunId)

/** The id that a text names; `null` for a text that is no id, which no run has. */
const readId = (text: string): RunId | null => {
  const id = text.toLowerCase()
  return isRunId(id) ? id : null
}

/** The outcome for a run that does not exist in the workspace. */
const notFound = (sessionId: string) => ({
  sessionId,
  outcome: "not_found" as const,
  status: null,
  message: new RunNotFound({ sessionId }).message
})

const releaseMessages: Readonly<Record<Transition.Released, string | null>> = {
  released: null,
  already_released: "It was released before, and starts when a worker and its credentials are free",
  held_by_pause: "A manual pause holds it: send past_pause true to release it past that, or end the pause first",
  not_waiting: "It does not wait to start"
}
