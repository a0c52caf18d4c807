/** Runs and their events in memory. */
import { Clock, Effect, Layer } from "effect"
import * as Gate from "../../../core/gate/Gate.ts"
import * as Pace from "../../../core/gate/Pace.ts"
import { codeOf } from "../../../core/run/evidence/ErrorReports.ts"
import * as RunCounts from "../../../core/run/list/RunCounts.ts"
import * as RunFilter from "../../../core/run/list/RunFilter.ts"
import * as Run from "../../../core/run/Run.ts"
import {
  AlreadyRetried,
  byCount,
  type ClaimedRun,
  type Filter,
  type GatedRun,
  type LeaseRef,
  type ListedRun,
  type ListPage,
  mostCounted,
  mostNamed,
  RunStore,
  type Tally,
  type Total,
  type ValueCount,
  VersionOutdated
} from "../../../core/run/RunStore.ts"
import * as Slots from "../../../core/run/Slots.ts"
import * as Start from "../../../core/run/start/Start.ts"
import * as Transition from "../../../core/run/Transition.ts"
import * as FieldLimit from "../../../core/workflow/FieldLimit.ts"
import { type RunId, RunNotFound, WorkflowId, WorkflowNotFound, type WorkspaceId } from "../../../core/workspace/Ids.ts"
import { atomicStore } from "../Atomic.ts"
import { pageOf } from "../event/Page.ts"
import * as MemoryStartLedger from "../start/MemoryStartLedger.ts"
import { append, filesOf, gateIn, gateOf, progressOf, Tables, waitingOf, write } from "../Tables.ts"
import * as MemoryHoldAnnouncements from "./MemoryHoldAnnouncements.ts"
import * as MemorySlots from "./MemorySlots.ts"

export const layer = Layer.effect(
  RunStore,
  Effect.gen(function* () {
    const tables = yield* Tables

    const gated = (run: Run.Run): GatedRun => ({ run, gate: gateOf(tables, run) })

    const locked = <R extends Run.Run>(run: R): Transition.LockedRun<R> => ({
      run,
      gate: gateOf(tables, run),
      files: filesOf(tables, run.id)
    })

    const newestFirst = (workspaceId: WorkspaceId) =>
      [...tables.runs.values()]
        .reverse()
        .filter((run) => run.workspaceId === workspaceId)
        .sort((a, b) => b.createdAt - a.createdAt)

    const facts = (run: Run.Run, at: number): RunFilter.Facts => ({
      run,
      gate: gateOf(tables, run),
      awaitsCredential: MemorySlots.awaitsCredential(tables, run),
      at
    })

    const listed = (run: Run.Run, at: number): ListedRun => ({
      ...run,
      status: Run.statusAt(run, gateOf(tables, run), at),
      workflowName: tables.workflows.get(run.workflowId)?.name ?? "",
      holds: RunFilter.holdsOf(facts(run, at)),
      error: run.errors.at(-1) ?? null
    })

    const isRemoved = (run: Run.Run) => gateOf(tables, run).removedAt !== null

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

    /**
     * One run of each workflow in turn, those served longest ago first. Of each workflow the highest priority comes first,
     * and of equal ones the oldest.
     */
    const inTurn = (now: number): ReadonlyArray<Run.WaitingRun> => {
      const queues = [...tables.gates]
        .map(([workflowId, gate]) => ({
          served: tables.served.get(workflowId) ?? 0,
          runs: waitingOf(tables, workflowId)
            .filter((run) => run.notBefore <= now && !Run.isTooLate(run, now) && Run.mayStart(run, gate, now))
            .toSorted(Run.byPriority)
        }))
        .sort((a, b) => a.served - b.served)
      const longest = Math.max(0, ...queues.map(({ runs }) => runs.length))
      return Array.from({ length: longest }, (_, round) => queues.flatMap(({ runs }) => runs[round] ?? [])).flat()
    }

    const submit = Effect.fnUntraced(function* (submission: Transition.Submission, isLatest: boolean) {
      const at = yield* Clock.currentTimeMillis
      const gate = gateIn(tables, submission.workspaceId, submission.workflowId)
      if (gate === undefined) return yield* new WorkflowNotFound({ workflowId: submission.workflowId })
      const { versionId, workflowId } = submission
      if (isLatest && tables.versions.get(workflowId)?.at(-1)?.versionId !== versionId)
        return yield* new VersionOutdated({ versionId })
      yield* Effect.fromResult(FieldLimit.refuse(tooLargeIn(submission)))
      const change = Transition.submit(submission, gate, at)
      write(tables, change, at)
      return { run: change.run, gate } satisfies GatedRun
    })

    const retriesOf = (ids: ReadonlyArray<RunId>) =>
      [...tables.runs.values()].flatMap(({ id, retry }) =>
        retry !== null && ids.includes(retry.of) ? [{ of: retry.of, retry: id }] : []
      )

    const count = Effect.fn("RunStore.count")((workspaceId: WorkspaceId, filter: RunFilter.RunFilter) =>
      Effect.map(Clock.currentTimeMillis, (now): Total => {
        const { text, ...others } = filter
        const selected = newestFirst(workspaceId).filter((run) => RunFilter.matches(others, facts(run, now)))
        if (text === undefined) {
          return { count: Math.min(selected.length, mostCounted), isExact: selected.length <= mostCounted }
        }
        const examined = selected.slice(0, RunFilter.searchedRuns)
        const count = examined.filter((run) => RunFilter.contains(run, text)).length
        return { count, isExact: examined.length === selected.length }
      })
    )

    return RunStore.of({
      submit: Effect.fn("RunStore.submit")((submission) => submit(submission, true)),
      retry: Effect.fn("RunStore.retry")(function* (submission, { isLatest }) {
        const { of, reason } = submission.retry
        yield* find(submission.workspaceId, of)
        const [before] = retriesOf([of])
        if (before !== undefined && reason === null) {
          return yield* new AlreadyRetried({ sessionId: of, retriedAs: before.retry })
        }
        return yield* submit(submission, isLatest)
      }),
      retriesOf: Effect.fn("RunStore.retriesOf")((ids) => Effect.sync(() => retriesOf(ids))),
      weigh: Effect.fn("RunStore.weigh")((submission) => Effect.sync(() => tooLargeIn(submission))),
      get: Effect.fn("RunStore.get")((workspaceId, id) => Effect.map(find(workspaceId, id), gated)),
      list: Effect.fn("RunStore.list")((workspaceId, filter) =>
        Effect.map(Clock.currentTimeMillis, (now): ListPage => {
          const { limit, text, ...others } = filter
          const selected = newestFirst(workspaceId)
            .filter(behind(filter.before))
            .filter((run) => RunFilter.matches(others, facts(run, now)))
          const examined = text === undefined ? selected : selected.slice(0, RunFilter.searchedRuns)
          const found = examined.filter((run) => text === undefined || RunFilter.contains(run, text))
          const shown = found.slice(0, limit)
          const last = found.length > limit ? shown.at(-1) : examined.length < selected.length ? examined.at(-1) : null
          return {
            runs: shown.map((run) => listed(run, now)),
            next: last == null ? null : { at: last.createdAt, id: last.id }
          }
        })
      ),
      counts: Effect.fn("RunStore.counts")((workspaceId, filter) =>
        RunCounts.by(filter, (one) => count(workspaceId, one))
      ),
      count,
      tally: Effect.fn("RunStore.tally")((workspaceId, filter) =>
        Effect.map(Clock.currentTimeMillis, (now): Tally => {
          const selected = newestFirst(workspaceId).filter((run) => RunFilter.matches(filter, facts(run, now)))
          const counted = selected.slice(0, mostCounted)
          const workflows = tallied(counted, (run) => [run.workflowId])
          return {
            runs: counted.length,
            isComplete: counted.length === selected.length,
            workflows: workflows.map(({ count, value }) => ({
              id: WorkflowId.make(value),
              name: tables.workflows.get(value)?.name ?? "",
              count
            })),
            errorCodes: tallied(counted, ({ errors, id }) => (tables.uncounted.has(id) ? [] : errors.map(codeOf))),
            tags: tallied(counted, ({ tags }) => tags)
          }
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
            const decision = decide(locked(run), at)
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
        const change = yield* Effect.fromResult(decide(locked(run), at))
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
      claim: Effect.fn("RunStore.claim")(function* ({ leaseMillis, limit, worker }) {
        const now = yield* Clock.currentTimeMillis
        const claimed: Array<ClaimedRun> = []
        const assign = MemorySlots.assigner(tables, now)
        for (const run of inTurn(now)) {
          if (claimed.length === limit) break
          const { pace } = gateOf(tables, run)
          if (pace !== null && Pace.allowance(pace, progressOf(tables, run.workflowId), now) <= 0) continue
          const credentials = assign(run)
          if (credentials === null) continue
          const lease = { worker, fence: ++tables.lastFence, until: now + leaseMillis }
          const change = Transition.claim(run, gateOf(tables, run), lease, now, credentials)
          if (change === null) continue
          write(tables, change, now)
          const takenUntil = Pace.afterStarts(pace, tables.paces.get(run.workflowId) ?? 0, 1, now)
          if (pace !== null) tables.paces.set(run.workflowId, takenUntil)
          const gate = gateOf(tables, run)
          const windowHash = MemoryStartLedger.hashOf(gate.runWindow)
          tables.starts.push(
            Start.of(change.run, gate, {
              at: now,
              windowHash,
              zoneData: process.versions.tz ?? "unknown",
              isOpen: Gate.mayStart(gate, now)
            })
          )
          MemorySlots.serve(tables, credentials, lease.fence)
          tables.served.set(run.workflowId, lease.fence)
          const version = tables.versions.get(run.workflowId)?.find((one) => one.versionId === run.versionId)
          if (version === undefined) throw new Error(`Run ${run.id} has no version`)
          const next = Pace.nextStartAt(pace, takenUntil, now)
          claimed.push({ run: change.run, version, ...(next > now ? { pacedUntil: next } : {}) })
        }
        return claimed
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
      stopAfterFailedLogins: Effect.fn("RunStore.stopAfterFailedLogins")((limit, decide) =>
        Effect.map(Clock.currentTimeMillis, (now) => MemorySlots.stopAfterFailedLogins(tables, limit, decide, now))
      ),
      settle: Effect.fn("RunStore.settle")(function* (lease, decide) {
        const run = yield* owned(lease)
        const at = yield* Clock.currentTimeMillis
        const change = decide(locked(run), at)
        write(tables, change, at)
        MemorySlots.noteFailure(tables, change, at)
        return change
      }),
      reap: Effect.fn("RunStore.reap")(function* (limit, decide) {
        const now = yield* Clock.currentTimeMillis
        const due = [...tables.runs.values()].filter(
          (run) =>
            (run.lease !== null && run.lease.until <= now) ||
            (Run.isWaiting(run) &&
              (isRemoved(run) || Run.isTooLate(run, now) || (run.expiresAt !== null && run.expiresAt <= now)))
        )
        return due.slice(0, limit).flatMap((run) => {
          const change = decide(locked(run), now)
          if (change !== null) write(tables, change, now)
          return change?.run ?? []
        })
      }),
      nextDue: Effect.fn("RunStore.nextDue")((after) =>
        Effect.sync(() => {
          const dues = [...tables.runs.values()].flatMap((run) => {
            if (run.lease !== null) return [run.lease.until]
            if (!Run.isWaiting(run)) return []
            return [
              ...(isRemoved(run) ? [gateOf(tables, run).removedAt ?? 0] : []),
              ...(run.expiresAt === null ? [] : [run.expiresAt]),
              ...(run.startBy === null || run.startedAt !== null ? [] : [run.startBy]),
              ...(run.notBefore > after ? [run.notBefore] : [])
            ]
          })
          return dues.length === 0 ? null : Math.min(...dues)
        })
      )
    })
  }).pipe(Effect.map(atomicStore))
)

/** How many runs have each value. */
const tallied = (
  runs: ReadonlyArray<Run.Run>,
  valuesOf: (run: Run.Run) => ReadonlyArray<string>
): ReadonlyArray<ValueCount> => {
  const counts = new Map<string, number>()
  for (const run of runs) {
    for (const value of new Set(valuesOf(run))) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort(byCount)
    .slice(0, mostNamed)
}

/** The runs of a sorted list that stand after the place where the page before ended. */
const behind = (before: Filter["before"]) => (run: Run.Run, index: number, sorted: ReadonlyArray<Run.Run>) => {
  if (before === undefined || run.createdAt < before.at) return true
  const place = sorted.findIndex(({ createdAt, id }) => createdAt === before.at && id === before.id)
  return run.createdAt === before.at && place >= 0 && index > place
}

const tooLargeIn = ({ options }: Transition.Submission): ReadonlyArray<FieldLimit.FieldTooLarge> => {
  const added = options.dryRun?.addToOutput
  const size = added === undefined ? 0 : new TextEncoder().encode(JSON.stringify(added)).length
  return FieldLimit.overBytes({ "dry_run.add_to_output": size })
}
