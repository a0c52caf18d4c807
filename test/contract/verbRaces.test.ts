/**
 * Verbs for several runs, by ids and by filters, while workers, removals, edits and other users meet the same runs: what each
 * caller was answered is what the runs, and their events, say afterwards.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Gate from "../../core/gate/Gate.ts"
import { GateStore } from "../../core/gate/GateStore.ts"
import type { HoldReason } from "../../core/run/list/RunFilter.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import { RunRemovalStore } from "../../core/run/retention/RunRemovalStore.ts"
import { type RunSelection, RunVerbs } from "../../core/run/verb/RunVerbs.ts"
import type { Signals } from "../../core/runtime/Signals.ts"
import type { VaultEntries } from "../../core/vault/VaultEntries.ts"
import { WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import { Audit } from "../../core/workspace/audit/Audit.ts"
import type { RunId } from "../../core/workspace/Ids.ts"
import * as Json from "../../core/workspace/Json.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import { claim, finish, submit } from "../kit/contracts/start/CredentialRuns.ts"
import * as databases from "../support/databases.ts"
import { daily, makeWorkflow, makeWorkspace } from "../support/fixtures.ts"

type Stores = Audit | GateStore | RunRemovalStore | RunStore | Signals | VaultEntries | WorkflowStore | WorkspaceStore

const count = 16

/** Runs of a new workflow, held by a window that is closed at the epoch, where the clock of these tests stands. */
const heldRuns = Effect.gen(function* () {
  const caller = yield* makeWorkspace()
  const workflow = yield* makeWorkflow(caller)
  const { id, workspaceId } = workflow.workflow
  const change = (edit: (gate: Gate.Gate, actor: Gate.Actor) => Gate.Gate) =>
    Effect.flatMap(GateStore, (gates) =>
      gates.change(workspaceId, id, (gate, at) => Result.succeed(edit(gate, { at, by: caller.userId })))
    )
  yield* change((gate, actor) => Gate.setWindow(gate, daily(9, 17), actor))
  const all = yield* Effect.forEach(Array.from({ length: count }), () => submit(workflow))
  return { all, caller, change, workflow }
})

/** What a verb answered, by run. */
const byRun = <O extends { readonly sessionId: string }>(outcomes: ReadonlyArray<O>) =>
  new Map(outcomes.map((one) => [one.sessionId, one]))

const together = { concurrency: "unbounded" } as const

const suite = <E, R>(name: string, layer: Layer.Layer<Stores | R, E>) => {
  const verbs = RunVerbs.layer.pipe(Layer.provideMerge(Crypto.layer), Layer.provideMerge(layer))
  return it.layer(verbs)(`races of verbs (${name})`, (it) => {
    it.effect(
      "release, interrupt and tag answer what became of each run that is claimed, ended and unheld meanwhile",
      () =>
        Effect.gen(function* () {
          const { all, caller, change } = yield* heldRuns
          const [runs, verb] = [yield* RunStore, yield* RunVerbs]
          const half = { sessionIds: all.slice(0, count / 2), dryRun: false }
          const filtered = (hold: HoldReason) =>
            Effect.map(verb.select(caller, { holds: [hold], limit: 10_000 }), ({ ids }) => ({
              sessionIds: ids,
              dryRun: false
            }))
          const work = Effect.forEach(Array.from({ length: 8 }), () =>
            Effect.flatMap(claim(2), (some) => Effect.forEach(some, (one) => Effect.result(finish(one)), together))
          )
          const edits = Effect.andThen(
            change(Gate.removeWindow),
            change((gate, actor) => Gate.setWindow(gate, daily(9, 17), actor))
          )
          const release = (asked: RunSelection) => verb.release(caller, { ...asked, pastPause: false })
          const tag = (word: string) => (asked: RunSelection) => verb.tag(caller, { ...asked, add: [word], remove: [] })
          const [released, interrupted, tagged] = yield* Effect.all(
            [
              Effect.all([release(half), Effect.flatMap(filtered("run_window"), release)], together),
              Effect.flatMap(filtered("run_window"), (asked) =>
                verb.interrupt(caller, { dryRun: false, sessionIds: asked.sessionIds.slice(0, 6), reason: null })
              ),
              Effect.all([tag("ids")(half), Effect.flatMap(filtered("run_window"), tag("filter"))], together),
              work,
              edits
            ],
            together
          )
          const answered = { released: released.map(byRun), interrupted: byRun(interrupted), tagged: tagged.map(byRun) }
          for (const id of all) {
            const { run } = yield* runs.get(caller.workspaceId, id)
            const events = (yield* runs.events(id, 0)).map(({ event }) => event.event)
            const times = (kind: string) => events.filter((one) => one === kind).length
            const releases = answered.released.map((one) => one.get(id)?.outcome)
            assert.strictEqual(releases.filter((one) => one === "released").length, times("execution.released"), id)
            if (releases.includes("not_waiting"))
              assert.isTrue(times("execution.start") > 0 || run.endedAt !== null, id)
            const stop = answered.interrupted.get(id)
            assert.strictEqual(stop?.outcome === "interrupted", run.status === "execution.stopped", id)
            if (stop !== undefined) assert.strictEqual(stop.status, run.status, id)
            const words = ["ids", "filter"].filter((_, at) => answered.tagged[at]?.get(id)?.outcome === "tagged")
            assert.sameMembers([...run.tags], words, id)
            assert.isAtMost(times("execution.start"), 1, id)
          }
          // Each call that did something has one entry in the trail, with as many runs as it did it to.
          const audit = yield* Audit
          for (const [action, calls, did] of [
            ["run.release", released, "released"],
            ["run.interrupt", [interrupted], "interrupted"],
            ["run.tag", tagged, "tagged"]
          ] as const) {
            const entries = yield* audit.list(caller.workspaceId, { actions: [action], limit: 10 })
            const done = calls.map((one: ReadonlyArray<{ outcome: string }>) =>
              one.filter(({ outcome }) => outcome === did)
            )
            assert.sameMembers(
              entries.map(({ after }) => Json.objectOf(after).runs),
              done.map(({ length }) => length).filter((length) => length > 0)
            )
          }
        })
    )

    it.effect("retry and tag answer what became of each run that is removed, and of a workflow that is deleted", () =>
      Effect.gen(function* () {
        const { all, caller, workflow } = yield* heldRuns
        const [runs, removal, verb] = [yield* RunStore, yield* RunRemovalStore, yield* RunVerbs]
        yield* verb.interrupt(caller, { sessionIds: all, dryRun: false, reason: null })
        const asked = { sessionIds: all, dryRun: false }
        const filtered = Effect.map(
          verb.select(caller, { statuses: ["execution.stopped"], limit: 10_000 }),
          ({ ids }) => ({ sessionIds: ids, dryRun: false })
        )
        const retry = (version: "same" | "latest") => (selection: RunSelection) =>
          verb.retry(caller, { ...selection, version, input: {}, reason: null })
        const removed = all.filter((_, at) => at % 2 === 0)
        const [retries, tagged] = yield* Effect.all(
          [
            Effect.all([retry("same")(asked), Effect.flatMap(filtered, retry("latest"))], together),
            Effect.flatMap(filtered, (some) => verb.tag(caller, { ...some, add: ["seen"], remove: [] })),
            Effect.forEach(removed, (id) => removal.remove([id])),
            Effect.flatMap(WorkflowStore, (workflows) =>
              workflows.remove(caller.workspaceId, workflow.workflow.id)
            ).pipe(Effect.delay(0))
          ],
          together
        )
        for (const id of all) {
          const read = yield* Effect.result(runs.get(caller.workspaceId, id))
          const made = (yield* runs.retriesOf([id])).map(({ retry }) => retry)
          const answers = retries.flatMap((one) => byRun(one).get(id) ?? [])
          const of = (outcome: string) => answers.filter((one) => one.outcome === outcome)
          // One call at most made the retry, and all others name it.
          assert.deepStrictEqual(
            of("retried").map(({ retriedAs }) => retriedAs),
            made,
            id
          )
          for (const { retriedAs } of of("already_retried")) assert.deepStrictEqual([retriedAs], made, id)
          if (of("not_found").length > 0) assert.strictEqual(read._tag, "Failure", id)
          const rest = answers.filter(
            ({ outcome }) => !["retried", "already_retried", "not_found", "workflow_deleted"].includes(outcome)
          )
          assert.deepStrictEqual(rest, [], id)
          const tag = byRun(tagged).get(id)?.outcome
          if (read._tag === "Success")
            assert.deepStrictEqual(read.success.run.tags, tag === "tagged" ? ["seen"] : [], id)
          else assert.include(removed as ReadonlyArray<RunId>, id)
        }
        // A removal passes over runs that others have locked, and comes back to them.
        yield* removal.remove(removed)
        const late = yield* retry("same")(asked)
        for (const { outcome, sessionId } of late) {
          const wanted = (removed as ReadonlyArray<string>).includes(sessionId) ? "not_found" : "workflow_deleted"
          assert.strictEqual(outcome, wanted)
        }
      })
    )
  })
}

suite("memory", databases.memory[0])
suite("PostgreSQL", databases.postgres[0])
