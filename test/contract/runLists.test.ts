import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import * as RunFailure from "../../core/event/RunFailure.ts"
import { none, type RunWarning, type RunWarnings } from "../../core/event/RunWarning.ts"
import * as Gate from "../../core/gate/Gate.ts"
import { GateStore } from "../../core/gate/GateStore.ts"
import { type RunFilter, searchedCharacters } from "../../core/run/list/RunFilter.ts"
import { type ListPage, RunStore } from "../../core/run/RunStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import type { VaultEntries } from "../../core/vault/VaultEntries.ts"
import type { WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import type { WorkflowId, WorkspaceId } from "../../core/workspace/Ids.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import { makeEntry, naming } from "../kit/contracts/start/CredentialRuns.ts"
import * as databases from "../support/databases.ts"
import { daily, makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { isAll } from "../support/scale.ts"

type Stores = GateStore | RunStore | VaultEntries | WorkflowStore | WorkspaceStore

const hour = 3_600_000

const changeGate = Effect.fnUntraced(function* (
  workspaceId: WorkspaceId,
  id: WorkflowId,
  decide: (gate: Gate.Gate, at: number) => Gate.Gate
) {
  yield* (yield* GateStore).change(workspaceId, id, (gate, at) => Result.succeed(decide(gate, at)))
})

/** The category and the sub-type of the failures with a code. */
const classes: Readonly<Record<string, Pick<RunFailure.RunFailure, "category" | "subType">>> = {
  "SITE-1": { category: "XPATH_INCORRECT", subType: "SELECTOR_NO_MATCH" },
  "BROWSER-E0001": { category: "SERVICE_UNAVAILABLE", subType: null }
}

/** Ends the run that is claimed next, which is the oldest that may start. */
const finishNext = Effect.fnUntraced(function* (
  code: string | null,
  data: { readonly [key: string]: string } = {},
  warnings: RunWarnings = none
) {
  const runs = yield* RunStore
  const [claimed] = yield* runs.claim({ worker: "w", limit: 1, leaseMillis: hour })
  if (claimed === undefined) throw new Error("No run may start")
  const { id, lease } = claimed.run
  yield* runs.settle({ id, fence: lease.fence }, (locked, at) =>
    Transition.settle(
      locked,
      code === null
        ? { _tag: "Success", data, warnings }
        : {
            _tag: "Failed",
            data,
            errors: [
              {
                ...RunFailure.of({ code, message: 'No "Überweisung" \u0000 \ud800 found', ...classes[code] }),
                id: "1",
                at
              }
            ],
            retry: { times: null, delayMillis: hour }
          },
      at
    )
  )
  return id
})

/** A warning with characters that databases do not keep in texts of their own. */
const warning: RunWarning = {
  code: "FIGURE-W0001",
  message: "Read no number from \u0000 \ud800",
  node: { id: "n", name: "Read the total", action: "EXTRACT_DATAMODEL" },
  value: "5 of 12"
}

/** All runs of a filter, by pages of so many. */
const pagesOf = (workspaceId: WorkspaceId, limit: number) =>
  Effect.fnUntraced(function* (filter: RunFilter) {
    const runs = yield* RunStore
    const found: Array<string> = []
    let before: ListPage["next"] = null
    do {
      const page: ListPage = yield* runs.list(workspaceId, {
        ...filter,
        limit,
        ...(before === null ? {} : { before })
      })
      found.push(...page.runs.map(({ id }) => id))
      before = page.next
    } while (before !== null)
    return found
  })

const suite = <E, R>(name: string, layer: Layer.Layer<Stores | R, E>, empty: Effect.Effect<unknown, never, R>) =>
  it.layer(layer)(`lists of runs (${name})`, (it) => {
    const promise = <A, F>(title: string, test: () => Effect.Effect<A, F, Stores>) =>
      it.effect(title, () => Effect.andThen(empty, test()))

    promise("have the runs of each filter, of pairs of them, and their number", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const caller = yield* makeWorkspace()
        const { workspaceId } = caller
        yield* makeEntry(caller, "u-1")
        const retried = yield* makeWorkflow(caller, { maxRetries: 1 })
        const [open, closed, paused, both] = [
          yield* makeWorkflow(caller),
          yield* makeWorkflow(caller),
          yield* makeWorkflow(caller),
          yield* makeWorkflow(caller)
        ]
        const names = new Map<string, string>()
        const send = Effect.fnUntraced(function* (
          as: string,
          workflow: typeof open,
          overrides: Parameters<typeof submission>[1] = {}
        ) {
          const sent = submission(workflow, overrides)
          names.set(sent.id, as)
          yield* runs.submit(sent)
          yield* TestClock.adjust(1_000)
        })
        const shut = (gate: Gate.Gate, at: number) => Gate.setWindow(gate, daily(8, 9), { at, by: caller.userId })
        const pause = (gate: Gate.Gate, at: number) =>
          Gate.pause(gate, { at, by: caller.userId }, { reason: "Holidays", until: null })
        yield* changeGate(workspaceId, closed.workflow.id, shut)
        yield* changeGate(workspaceId, paused.workflow.id, pause)
        yield* changeGate(workspaceId, both.workflow.id, (gate, at) => pause(shut(gate, at), at))
        yield* send("done", open, {
          tags: ["a", "b"],
          trigger: "schedule",
          input: { Name: 'Ann "A"' },
          options: { reference: "order 7" }
        })
        const done = yield* finishNext(null, { city: "Bern" }, { kept: Array(120).fill(warning), count: 150 })
        yield* send("failed", open, { tags: ["a"] })
        yield* finishNext("SITE-1")
        yield* send("lost", retried)
        yield* finishNext("BROWSER-E0001")
        yield* send("holding", open, { credentials: [naming("u-1")] })
        yield* runs.claim({ worker: "w", limit: 1, leaseMillis: hour })
        yield* send("blocked", open, { credentials: [naming("u-1")], tags: ["b"] })
        yield* runs.claim({ worker: "w", limit: 1, leaseMillis: hour })
        yield* send("closed", closed, { tags: ["a"] })
        yield* send("paused", paused)
        yield* send("both", both, { trigger: "retry", priority: 3, startBy: 4_000_000_000_000 })
        yield* send("free", yield* makeWorkflow(caller))

        const found = Effect.fnUntraced(function* (filter: RunFilter) {
          const page = yield* runs.list(workspaceId, { limit: 100, ...filter })
          assert.deepStrictEqual(yield* runs.count(workspaceId, filter), { count: page.runs.length, isExact: true })
          const { holds, statuses, total } = yield* runs.counts(workspaceId, filter)
          assert.deepStrictEqual(total, { count: page.runs.length, isExact: true })
          for (const [status, { count }] of statuses) {
            assert.strictEqual(count, page.runs.filter((run) => run.status === status).length, status)
          }
          for (const [hold, { count }] of holds) {
            assert.strictEqual(count, page.runs.filter((run) => run.holds.includes(hold)).length, hold)
          }
          assert.strictEqual(page.next, null)
          return page.runs.map(({ id }) => names.get(id) ?? id)
        })
        const expected: ReadonlyArray<readonly [RunFilter, ReadonlyArray<string>]> = [
          [{}, ["free", "both", "paused", "closed", "blocked", "holding", "lost", "failed", "done"]],
          [{ statuses: ["execution.paused"] }, ["both", "paused", "closed"]],
          [{ statuses: ["execution.queued", "execution.failed"] }, ["free", "blocked", "failed"]],
          [{ statuses: ["execution.requeued", "execution.paused"] }, ["both", "paused", "closed", "lost"]],
          [{ statuses: ["execution.start"] }, ["holding"]],
          [{ holds: ["run_window"] }, ["both", "closed"]],
          [{ holds: ["manual"] }, ["both", "paused"]],
          [{ holds: ["manual", "run_window"] }, ["both", "paused", "closed"]],
          [{ holds: ["credential"] }, ["blocked"]],
          [{ holds: ["browser"] }, ["lost"]],
          [{ holds: ["capacity"] }, ["free"]],
          [{ holds: ["capacity", "manual"] }, ["free", "both", "paused"]],
          [{ holds: ["manual"], statuses: ["execution.queued"] }, []],
          [{ errorCodes: ["SITE-1"] }, ["failed"]],
          [{ errorCodes: ["SITE-1", "BROWSER-E0001"] }, ["lost", "failed"]],
          [{ errorCategories: ["XPATH_INCORRECT"] }, ["failed"]],
          [{ errorCategories: ["SERVICE_UNAVAILABLE"], holds: ["browser"] }, ["lost"]],
          [{ errorCategories: ["XPATH_INCORRECT", "SERVICE_UNAVAILABLE"], statuses: ["execution.failed"] }, ["failed"]],
          [{ errorCategories: ["PAGE_NOT_FOUND"] }, []],
          [{ errorSubTypes: ["SELECTOR_NO_MATCH"] }, ["failed"]],
          [{ errorSubTypes: ["SELECTOR_NO_MATCH"], errorCategories: ["SERVICE_UNAVAILABLE"] }, []],
          [{ errorSubTypes: ["XPATH_INCORRECT"] }, []],
          [{ credentials: ["u-1"] }, ["blocked", "holding"]],
          [{ tags: ["a"] }, ["closed", "failed", "done"]],
          [{ tags: ["b", "c"] }, ["blocked", "done"]],
          [{ tags: ["c"] }, []],
          [{ references: ["order 7"] }, ["done"]],
          [{ references: ["order 7", "other"], tags: ["b"] }, ["done"]],
          [{ references: ["order 7"], statuses: ["execution.failed"] }, []],
          [{ references: ["order"] }, []],
          [{ triggers: ["schedule", "retry"] }, ["both", "done"]],
          [{ workflowIds: [open.workflow.id] }, ["blocked", "holding", "failed", "done"]],
          [{ text: 'ANN "a' }, ["done"]],
          [{ text: "bern", tags: ["a"] }, ["done"]],
          [{ text: "Basel" }, []],
          [{ text: "site-1" }, ["failed"]],
          [{ text: 'no "Überweisung"' }, ["lost", "failed"]],
          [{ text: "found", tags: ["a"] }, ["failed"]],
          [{ text: "suggestedErrorCode" }, []],
          [{ tags: ["a"], statuses: ["execution.failed"] }, ["failed"]],
          [{ tags: ["a"], holds: ["run_window"] }, ["closed"]],
          [{ tags: ["b"], credentials: ["u-1"] }, ["blocked"]],
          [{ triggers: ["api"], statuses: ["execution.success", "execution.start"] }, ["holding"]],
          [{ workflowIds: [open.workflow.id], statuses: ["execution.queued"] }, ["blocked"]],
          [{ from: 8_000 }, ["free"]],
          [{ from: 8_000, waitingOfAnyAge: true }, ["free", "both", "paused", "closed", "blocked", "lost"]],
          [{ from: 8_000, waitingOfAnyAge: true, tags: ["a"] }, ["closed"]],
          [{ from: 8_000, waitingOfAnyAge: true, triggers: ["retry"] }, ["both"]],
          [{ from: 1_000, to: 3_000 }, ["holding", "lost", "failed"]],
          [{ hasWarnings: true }, ["done"]],
          [{ hasWarnings: true, statuses: ["execution.success"] }, ["done"]],
          [{ hasWarnings: true, statuses: ["execution.failed"] }, []],
          [{ hasWarnings: true, text: "bern", tags: ["a"] }, ["done"]],
          [{ hasWarnings: false }, ["free", "both", "paused", "closed", "blocked", "holding", "lost", "failed"]],
          [{ hasWarnings: false, tags: ["a"] }, ["closed", "failed"]],
          [{ hasWarnings: false, statuses: ["execution.success", "execution.failed"] }, ["failed"]]
        ]
        for (const [filter, sought] of expected) {
          assert.deepStrictEqual(yield* found(filter), sought, JSON.stringify(filter))
        }
        // Filters with several parameters have the runs that each parameter has alone. Some of them, to save time.
        const single = expected.filter(([filter]) => "waitingOfAnyAge" in filter || Object.keys(filter).length === 1)
        const parts = single.filter((_, at) => at % 3 === 1)
        for (const [index, [one, ofOne]] of parts.entries()) {
          for (const [other, ofOther] of parts.slice(index + 1)) {
            if (Object.keys(one).some((key) => key in other)) continue
            const filter = { ...one, ...other }
            const page = yield* runs.list(workspaceId, { limit: 2, ...filter })
            assert.deepStrictEqual(
              page.runs.map(({ id }) => names.get(id) ?? id),
              ofOne.filter((name) => ofOther.includes(name)).slice(0, 2),
              JSON.stringify(filter)
            )
          }
        }
        const { run } = yield* runs.get(workspaceId, done)
        assert.deepStrictEqual([run.warnings, run.warningCount], [Array(100).fill(warning), 150])
        const listed = (yield* runs.list(workspaceId, { limit: 100 })).runs
        assert.deepStrictEqual(
          listed.filter(({ warningCount }) => warningCount > 0).map(({ id, warningCount }) => [id, warningCount]),
          [[done, 150]]
        )
        const { errorCodes, isComplete, runs: counted, tags, workflows } = yield* runs.tally(workspaceId, {})
        assert.deepInclude({ counted, isComplete }, { counted: 9, isComplete: true })
        assert.deepStrictEqual(workflows[0], { id: open.workflow.id, name: "Nightly", count: 4 })
        assert.sameMembers(
          workflows.map(({ count }) => count),
          [4, 1, 1, 1, 1, 1]
        )
        assert.deepStrictEqual(errorCodes, [
          { value: "BROWSER-E0001", count: 1 },
          { value: "SITE-1", count: 1 }
        ])
        assert.deepStrictEqual(tags, [
          { value: "a", count: 3 },
          { value: "b", count: 2 }
        ])
        const { runs: rows } = yield* runs.list(workspaceId, { limit: 100 })
        const row = (as: string) => rows.find(({ id }) => names.get(id) === as)
        assert.deepInclude(row("both"), { holds: ["run_window", "manual"], workflowName: "Nightly", error: null })
        assert.deepInclude(row("lost"), { holds: ["browser"], status: "execution.requeued" })
        assert.deepInclude(row("blocked"), { holds: ["credential"], tags: ["b"], trigger: "api" })
        assert.deepInclude(row("blocked"), { priority: 0, startBy: null })
        assert.deepInclude(row("both"), { priority: 3, startBy: 4_000_000_000_000 })
        assert.deepInclude(row("failed"), { holds: [], status: "execution.failed" })
        assert.strictEqual(row("failed")?.error?.code, "SITE-1")
      })
    )

    promise("go on behind each page of any filter, and end", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const caller = yield* makeWorkspace()
        const workflows = [yield* makeWorkflow(caller), yield* makeWorkflow(caller)] as const
        const sent = Array.from({ length: 12 }, (_, at) =>
          submission(workflows[at % 2 === 0 ? 0 : 1], { tags: at % 3 === 0 ? ["x"] : [], input: { at: `n${at % 4}` } })
        )
        yield* Effect.forEach(sent, runs.submit)
        const pages = pagesOf(caller.workspaceId, 2)
        const all = sent.map(({ id }) => id).reverse()
        const ids = workflows.map(({ workflow }) => workflow.id)
        assert.deepStrictEqual(yield* pages({}), all)
        assert.deepStrictEqual(yield* pages({ workflowIds: ids, statuses: ["execution.queued"] }), all)
        assert.deepStrictEqual(
          yield* pages({ tags: ["x"] }),
          all.filter((_, at) => (11 - at) % 3 === 0)
        )
        assert.deepStrictEqual(
          yield* pages({ text: "N3" }),
          all.filter((_, at) => (11 - at) % 4 === 3)
        )
      })
    )

    promise("search a text in the first characters of an input, however many bytes they have", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const caller = yield* makeWorkspace()
        const { workspaceId } = caller
        const [open, held] = [yield* makeWorkflow(caller), yield* makeWorkflow(caller)]
        const most = searchedCharacters - '{"at":"Needle'.length
        const inputs = ["a", "ß", "字", "😀", "a b"].flatMap((one) =>
          [most, most + 1].map((count) => ({ at: `${Array.from(one.repeat(count)).slice(0, count).join("")}Needle` }))
        )
        const sent = [open, held].flatMap((workflow) =>
          inputs.map((input) => submission(workflow, { input, tags: ["x"] }))
        )
        yield* Effect.forEach(sent, runs.submit)
        yield* changeGate(workspaceId, held.workflow.id, (gate, at) =>
          Gate.pause(gate, { at, by: caller.userId }, { reason: "Holidays", until: null })
        )
        const near = sent.filter((_, at) => at % 2 === 0).map(({ id }) => id)
        const [ofOpen, ofHeld] = [near.slice(0, inputs.length / 2), near.slice(inputs.length / 2)]
        const expected: ReadonlyArray<readonly [RunFilter, ReadonlyArray<string>]> = [
          [{}, near],
          [{ tags: ["x"] }, near],
          [{ triggers: ["api"] }, near],
          [{ workflowIds: [open.workflow.id] }, ofOpen],
          [{ workflowIds: [open.workflow.id, held.workflow.id] }, near],
          [{ statuses: ["execution.paused"] }, ofHeld],
          [{ statuses: ["execution.queued"] }, ofOpen],
          [{ holds: ["manual"], workflowIds: [open.workflow.id, held.workflow.id] }, ofHeld]
        ]
        for (const [rest, found] of expected) {
          const filter = { ...rest, text: "nEEDLE" }
          assert.deepStrictEqual(yield* pagesOf(workspaceId, 3)(filter), [...found].reverse(), JSON.stringify(rest))
          assert.deepStrictEqual(yield* runs.count(workspaceId, filter), { count: found.length, isExact: true })
          const { isComplete, runs: counted, tags } = yield* runs.tally(workspaceId, filter)
          assert.deepStrictEqual(
            { counted, isComplete, tags },
            { counted: found.length, isComplete: true, tags: [{ value: "x", count: found.length }] }
          )
        }
      })
    )

    promise("find the few runs of a tag that satisfy another condition, behind many that do not", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const caller = yield* makeWorkspace()
        const { workspaceId } = caller
        const [open, held] = [yield* makeWorkflow(caller), yield* makeWorkflow(caller)]
        const sent = Array.from({ length: 30 }, (_, at) => submission(at < 2 ? open : held, { tags: ["x"] }))
        yield* Effect.forEach(sent, runs.submit)
        yield* changeGate(workspaceId, held.workflow.id, (gate, at) =>
          Gate.pause(gate, { at, by: caller.userId }, { reason: "Holidays", until: null })
        )
        const failed = yield* finishNext("SITE-1")
        const pages = pagesOf(workspaceId, 1)
        const [first, second, ...others] = sent.map(({ id }) => id)
        assert.strictEqual(failed, first)
        const expected: ReadonlyArray<readonly [RunFilter, ReadonlyArray<string | undefined>]> = [
          [{ statuses: ["execution.failed"] }, [first]],
          [{ statuses: ["execution.failed", "execution.queued"] }, [second, first]],
          [{ statuses: ["execution.success"] }, []],
          [{ holds: ["capacity"] }, [second]],
          [{ holds: ["manual"], workflowIds: [open.workflow.id] }, []],
          [{ statuses: ["execution.paused"] }, others.reverse()]
        ]
        for (const [filter, sought] of expected) {
          assert.deepStrictEqual(yield* pages({ ...filter, tags: ["x"] }), sought, JSON.stringify(filter))
        }
      })
    )
  })

suite("memory", ...databases.memory)
if (isAll) suite("embedded", ...databases.embedded)
suite("postgres", ...databases.postgres)
