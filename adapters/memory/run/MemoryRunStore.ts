/** Runs and their events in memory. */
import { Clock, Effect, Layer, type Schema } from "effect"
import type { InProgress } from "../../../core/run/hold/PlaceLimit.ts"
import * as Run from "../../../core/run/Run.ts"
import {
  AlreadyRetried,
  type GatedRun,
  type LeaseRef,
  ReferenceTaken,
  RunStore,
  VersionOutdated
} from "../../../core/run/RunStore.ts"
import * as Slots from "../../../core/run/Slots.ts"
import * as Transition from "../../../core/run/Transition.ts"
import * as FieldLimit from "../../../core/workflow/FieldLimit.ts"
import { type RunId, RunNotFound, WorkflowNotFound, type WorkspaceId } from "../../../core/workspace/Ids.ts"
import { atomicStore } from "../Atomic.ts"
import * as MemoryClaim from "../claim/MemoryClaim.ts"
import * as MemoryDueRuns from "../claim/MemoryDueRuns.ts"
import * as MemoryOpenings from "../claim/MemoryOpenings.ts"
import { pageOf } from "../event/Page.ts"
import * as MemoryRunList from "../list/MemoryRunList.ts"
import { append, gateIn, gateOf, lockedOf, Tables, versionIdFor, write } from "../Tables.ts"
import * as MemoryHoldAnnouncements from "./MemoryHoldAnnouncements.ts"
import * as MemoryNamedLimits from "./MemoryNamedLimits.ts"
import * as MemorySlots from "./MemorySlots.ts"

export const layer = Layer.effect(
  RunStore,
  Effect.gen(function* () {
    const tables = yield* Tables
    const lists = MemoryRunList.make(tables)
    const due = MemoryDueRuns.make(tables)

    const gated = (run: Run.Run): GatedRun => ({ run, gate: gateOf(tables, run) })

    const find = Effect.fnUntraced(function* (workspaceId: WorkspaceId, id: RunId) {
      const run = tables.runs.get(id)
      return run?.workspaceId === workspaceId ? run : yield* new RunNotFound({ sessionId: id })
    })

    const owned = Effect.fnUntraced(function* ({ fence, id }: LeaseRef) {
      const run = tables.runs.get(id)
      return run !== undefined && Run.isRunning(run) && run.lease.fence === fence
        ? run
        : yield* new Run.LeaseLost({ sessionId: id, fence })
    })

    const holderOf = (workspaceId: WorkspaceId, reference: string) =>
      [...tables.runs.values()].find((run) => run.workspaceId === workspaceId && Run.ownReference(run) === reference)

    const submit = Effect.fnUntraced(function* (submission: Transition.Submission, isLatest: boolean) {
      const at = yield* Clock.currentTimeMillis
      const gate = gateIn(tables, submission.workspaceId, submission.workflowId)
      if (gate === undefined) return yield* new WorkflowNotFound({ workflowId: submission.workflowId })
      const { versionId, workflowId } = submission
      if (isLatest && versionIdFor(tables, workflowId, submission.retry?.of ?? submission.id) !== versionId)
        return yield* new VersionOutdated({ versionId })
      yield* Effect.fromResult(FieldLimit.refuse(tooLarge(submission.options.dryRun?.addToOutput)))
      const change = Transition.submit(submission, gate, at)
      const reference = Run.ownReference(change.run)
      const holder = reference === null ? undefined : holderOf(submission.workspaceId, reference)
      if (reference !== null && holder !== undefined) {
        return yield* new ReferenceTaken({ reference, sessionId: holder.id })
      }
      write(tables, change, at)
      return { run: change.run, gate } satisfies GatedRun
    })

    const retriesOf = (ids: ReadonlyArray<RunId>) =>
      [...tables.runs.values()].flatMap(({ id, retry }) =>
        retry !== null && ids.includes(retry.of) ? [{ of: retry.of, retry: id }] : []
      )

    return RunStore.of({
      ...lists,
      ...due,
      claim: MemoryClaim.make(tables),
      submit: Effect.fn("RunStore.submit")((submission) => submit(submission, true)),
      retry: Effect.fn("RunStore.retry")(function* (submission, { isLatest }) {
        const { of, reason } = submission.retry
        yield* find(submission.workspaceId, of)
        const [before] = retriesOf([of])
        if (before !== undefined && reason === null) {
          return yield* new AlreadyRetried({ sessionId: of, retriedAs: before.retry })
        }
        // A retry has no reference to itself.
        return yield* submit(submission, isLatest).pipe(Effect.catchTag("ReferenceTaken", Effect.die))
      }),
      retriesOf: Effect.fn("RunStore.retriesOf")((ids) => Effect.sync(() => retriesOf(ids))),
      weigh: Effect.fn("RunStore.weigh")((_workspaceId, addToOutput) => Effect.sync(() => tooLarge(addToOutput))),
      get: Effect.fn("RunStore.get")((workspaceId, id) => Effect.map(find(workspaceId, id), gated)),
      awaited: Effect.fn("RunStore.awaited")((workspaceId, id) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const run = tables.runs.get(id)
          return run?.workspaceId === workspaceId ? MemoryNamedLimits.awaited(tables, run, now) : null
        })
      ),
      inProgress: Effect.fn("RunStore.inProgress")((workspaceId) =>
        Effect.sync(() => {
          const found = new Map<string, InProgress>()
          for (const { lease, workspaceId: its } of tables.runs.values()) {
            if (lease === null) continue
            const { own, runs } = found.get(lease.worker) ?? { own: 0, runs: 0 }
            found.set(lease.worker, {
              worker: lease.worker,
              runs: runs + 1,
              own: its === workspaceId ? own + 1 : own
            })
          }
          return [...found.values()]
        })
      ),
      events: Effect.fn("RunStore.events")((id, after) =>
        Effect.sync(() =>
          pageOf(tables.events.filter((event) => event.runId === id && event.sequence > after && tables.runs.has(id)))
        )
      ),
      changeAll: Effect.fn("RunStore.changeAll")((workspaceId, ids, decide, { dryRun }) =>
        Effect.map(Clock.currentTimeMillis, (at) =>
          ids.map((id) => {
            const run = tables.runs.get(id)
            if (run?.workspaceId !== workspaceId) return null
            const decision = decide(lockedOf(tables, run), at)
            if (decision.change !== null && !dryRun) write(tables, decision.change, at)
            return decision
          })
        )
      ),
      changeTags: Effect.fn("RunStore.changeTags")((workspaceId, ids, decide, { dryRun }) =>
        Effect.map(Clock.currentTimeMillis, (at) =>
          ids.map((id) => {
            const run = tables.runs.get(id)
            if (run?.workspaceId !== workspaceId) return null
            const after = decide(run.tags)
            if (after !== null && !dryRun) tables.runs.set(id, { ...run, tags: after })
            return { status: Run.statusAt(run, gateOf(tables, run), at), before: run.tags }
          })
        )
      ),
      change: Effect.fn("RunStore.change")(function* (workspaceId, id, decide) {
        const run = yield* find(workspaceId, id)
        const at = yield* Clock.currentTimeMillis
        const change = yield* Effect.fromResult(decide(lockedOf(tables, run), at))
        write(tables, change, at)
        return change
      }),
      announceHolds: Effect.fn("RunStore.announceHolds")((limit, announcement) =>
        MemoryHoldAnnouncements.announce(tables, limit, announcement)
      ),
      watch: Effect.fn("RunStore.watch")(function* (workspaceId, id, ofRun) {
        const run = yield* find(workspaceId, id)
        return MemoryHoldAnnouncements.watch(tables, gated(run), yield* Clock.currentTimeMillis, ofRun)
      }),
      renew: Effect.fn("RunStore.renew")(function* (leases, leaseMillis) {
        const until = (yield* Clock.currentTimeMillis) + leaseMillis
        return leases.filter(({ fence, id }) => {
          const run = tables.runs.get(id)
          if (run === undefined || !Run.isRunning(run) || run.lease.fence !== fence) return true
          tables.runs.set(id, { ...run, lease: { ...run.lease, until } })
          return false
        })
      }),
      report: Effect.fn("RunStore.report")(function* (lease, { events, progress }) {
        const at = yield* Clock.currentTimeMillis
        const run = Transition.progress(yield* owned(lease), progress ?? {})
        tables.runs.set(run.id, run)
        append(tables, run.id, events, at)
      }),
      loggedIn: Effect.fn("RunStore.loggedIn")(function* (lease, alias) {
        const run = yield* owned(lease)
        const before = Slots.names(run.credentials)
        MemorySlots.worked(tables, run, alias)
        const change = Transition.loggedIn(run, alias)
        write(tables, change, yield* Clock.currentTimeMillis)
        return Slots.names(change.run.credentials).length < before.length
      }),
      opening: Effect.fn("RunStore.opening")((until) =>
        Effect.map(Clock.currentTimeMillis, (now) => MemoryOpenings.opening(tables, now, until))
      ),
      stopAfterFailedLogins: Effect.fn("RunStore.stopAfterFailedLogins")((limit, decide) =>
        Effect.map(Clock.currentTimeMillis, (now) => MemorySlots.stopAfterFailedLogins(tables, limit, decide, now))
      ),
      settle: Effect.fn("RunStore.settle")(function* (lease, decide) {
        const run = yield* owned(lease)
        const at = yield* Clock.currentTimeMillis
        const change = decide(lockedOf(tables, run), at)
        write(tables, change, at)
        MemorySlots.noteFailure(tables, change, at)
        return change
      })
    })
  }).pipe(Effect.map(atomicStore))
)

const tooLarge = (added: Schema.Json | undefined): ReadonlyArray<FieldLimit.FieldTooLarge> => {
  const size = added === undefined ? 0 : new TextEncoder().encode(JSON.stringify(added)).length
  return FieldLimit.overBytes({ "dry_run.add_to_output": size })
}
