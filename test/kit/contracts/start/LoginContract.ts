/**
 * The promises of every store of runs about signing in: one run at a time where only one may, and runs that wait for a
 * credential that cannot be signed in with. They are about `loggedIn` and `stopAfterFailedLogins` of `RunStore`, on the data
 * of the stores of gates, workflows and of the vault.
 *
 * Each promise makes a new workspace and has its own clock, which begins at the epoch. It expects stores without runs that
 * wait: give each promise new stores, or empty them before it.
 */
import { Clock, Effect, Option, Result } from "effect"
import * as Gate from "../../../../core/gate/Gate.ts"
import { GateStore } from "../../../../core/gate/GateStore.ts"
import { type ClaimedRun, RunStore } from "../../../../core/run/RunStore.ts"
import * as Transition from "../../../../core/run/Transition.ts"
import { VaultEntries } from "../../../../core/vault/VaultEntries.ts"
import { WorkflowStore } from "../../../../core/workflow/WorkflowStore.ts"
import type { RunId } from "../../../../core/workspace/Ids.ts"
import * as assert from "../Assertions.ts"
import type * as Contract from "../Contract.ts"
import { daily, makeWorkflow, makeWorkspace, stored } from "../Fixtures.ts"
import {
  claim,
  failLogin,
  finish,
  held,
  ids,
  makeEntry,
  naming,
  promise,
  type Stores,
  site,
  status,
  stopAll,
  submit,
  users
} from "./CredentialRuns.ts"

/** The ports that the promises are about. */
export type { Stores }

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("one run at a time signs in where that is asked for, until it has or ends", (caller, workflow) =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      yield* makeEntry(caller, "a", { allow_multiple_sessions: true, prevent_concurrency_during_login: true })
      for (let index = 0; index < 4; index++) yield* submit(workflow, naming("a"))
      const [first, ...none] = yield* claim()
      assert.deepStrictEqual(none, [])
      assert.isTrue(yield* runs.loggedIn(held(first as ClaimedRun), "USER"))
      assert.isFalse(yield* runs.loggedIn(held(first as ClaimedRun), "USER"))
      const [second] = yield* claim()
      assert.deepStrictEqual(yield* claim(), [])
      yield* finish(second)
      assert.strictEqual((yield* claim()).length, 1)
      yield* finish(first)
      assert.deepStrictEqual(yield* claim(), [])
      assert.tagged(yield* Effect.flip(runs.loggedIn(held(first as ClaimedRun), "USER")), "LeaseLost")
    })
  ),
  promise("a waiting run waits for a slot or for a sign-in, which is told apart, and lists agree", (caller, workflow) =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      yield* makeEntry(caller, "one")
      yield* makeEntry(caller, "many", { allow_multiple_sessions: true, prevent_concurrency_during_login: true })
      const [slot, login, free] = [
        [yield* submit(workflow, naming("one")), yield* submit(workflow, naming("one"))],
        [yield* submit(workflow, naming("many", "SITE")), yield* submit(workflow, naming("many", "SITE"))],
        yield* submit(workflow)
      ] as const
      const awaited = (id: RunId) => runs.awaited(caller.workspaceId, id)
      for (const id of [...slot, ...login, free]) assert.isNull(yield* awaited(id))
      const claimed = yield* claim(3)
      assert.deepStrictEqual([...ids(claimed)].sort(), [slot[0], login[0], free].sort())
      for (const { run } of claimed) assert.isNull(yield* awaited(run.id))
      assert.deepStrictEqual(yield* awaited(slot[1]), { alias: "USER", isLogin: false })
      assert.deepStrictEqual(yield* awaited(login[1]), { alias: "SITE", isLogin: true })
      assert.isNull(yield* runs.awaited((yield* makeWorkspace()).workspaceId, slot[1]))
      const page = yield* runs.list(caller.workspaceId, { limit: 10, statuses: ["execution.queued"] })
      assert.deepStrictEqual(
        page.runs.map(({ holds, id }) => [id, holds]),
        [
          [login[1], ["credential"]],
          [slot[1], ["credential"]]
        ]
      )
      const first = claimed.find(({ run }) => run.id === login[0])
      assert.isTrue(yield* runs.loggedIn(held(first as ClaimedRun), "SITE"))
      assert.isNull(yield* awaited(login[1]))
    })
  ),
  promise("credentials that share a mailbox sign in one at a time, however they are written", (caller, workflow) =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const mailed = { allow_multiple_sessions: true, tfa_method: "EMAIL" } as const
      const bare = new URL(site).host
      for (const [user, domain] of [
        ["Ada", site],
        ["ada", site],
        ["ada", bare]
      ] as const) {
        yield* makeEntry(caller, user, mailed, domain)
        yield* submit(workflow, naming(user, "USER", domain))
      }
      for (let left = 3; left > 0; left--) {
        const [only, ...none] = yield* claim()
        assert.deepStrictEqual(none, [])
        assert.isTrue(yield* runs.loggedIn(held(only as ClaimedRun), "USER"))
      }
      assert.deepStrictEqual(yield* claim(), [])
    })
  ),
  promise(
    "a failed login stops those that wait for the credential and have no other, whatever holds them",
    (caller, workflow) =>
      Effect.gen(function* () {
        const [gates, runs] = [yield* GateStore, yield* RunStore]
        yield* makeEntry(caller, "a", { allow_multiple_sessions: true, max_concurrency: 2 })
        yield* makeEntry(caller, "b")
        const closed = yield* makeWorkflow(caller)
        yield* gates.change(caller.workspaceId, closed.workflow.id, (gate, at) =>
          Result.succeed(Gate.setWindow(gate, daily(9, 17), { at, by: caller.userId }))
        )
        const [failing, running] = [yield* submit(workflow, naming("a")), yield* submit(workflow, naming("a"))]
        const stopped = [
          yield* submit(workflow, naming("a")),
          yield* submit(closed, naming("a", "OTHER", "app.example.com")),
          yield* submit(workflow, naming("b"), naming("a", "OTHER")),
          yield* submit(workflow, naming("a"))
        ]
        const kept = [
          yield* submit(workflow, naming(["a", "b"])),
          yield* submit(workflow, naming("a", "USER", "https://elsewhere.example.com")),
          yield* submit(workflow)
        ]
        const [first] = yield* claim(2)
        const { failedLogin } = yield* failLogin(first)
        assert.isTrue(failedLogin?.stopsOthers)
        const late = yield* submit(workflow, naming("a"))
        // None of them starts meanwhile.
        const meanwhile = yield* claim(50)
        assert.deepStrictEqual(
          ids(meanwhile).filter((id) => stopped.includes(id)),
          []
        )
        assert.deepStrictEqual(ids(meanwhile).toSorted(), kept.toSorted())
        assert.deepStrictEqual(
          users(meanwhile).find(([user]) => user === "b"),
          ["b"]
        )
        yield* stopAll(1)
        for (const id of stopped) {
          const { run } = yield* runs.get(caller.workspaceId, id)
          assert.strictEqual(run.status, "execution.stopped")
          assert.strictEqual(run.errors[0]?.code, "INTERRUPTED-E0002")
          for (const named of ['"a"', site, failing]) assert.include(run.errors[0]?.message ?? "", named)
          const last = (yield* runs.events(id, 0)).at(-1)?.event
          assert.strictEqual(last?.event === "execution.stopped" ? last.causedBy : null, failing)
        }
        assert.strictEqual(yield* status(caller, failing), "execution.failed")
        assert.strictEqual(yield* status(caller, running), "execution.start")
        assert.deepStrictEqual(ids(yield* claim()), [late])
      })
  ),
  promise("a failed login that is retried stops no run", (caller, workflow) =>
    Effect.gen(function* () {
      yield* makeEntry(caller, "a")
      const [first, second] = [yield* submit(workflow, naming("a")), yield* submit(workflow, naming("a"))]
      const { failedLogin, run } = yield* failLogin((yield* claim())[0], { times: 1, delayMillis: 1_000 })
      assert.strictEqual(run.status, "execution.requeued")
      assert.isFalse(failedLogin?.stopsOthers)
      yield* stopAll()
      assert.deepStrictEqual(ids(yield* claim()), [second])
      assert.strictEqual(yield* status(caller, first), "execution.requeued")
    })
  ),
  promise(
    "a run of a pool continues with the next member where one cannot sign in, each once and at no retry",
    (caller, workflow, time) =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        for (const user of ["a", "b"]) yield* makeEntry(caller, user)
        yield* submit(workflow, naming(["a", "missing", "b"]))
        const tried: Array<string | null | undefined> = []
        for (const expected of ["execution.requeued", "execution.failed"]) {
          const [claimed] = yield* claim()
          tried.push(users([claimed as ClaimedRun])[0]?.[0])
          const { run } = yield* failLogin(claimed)
          assert.strictEqual(run.status, expected)
          assert.strictEqual(run.retries, 0)
        }
        assert.deepStrictEqual(tried, ["a", "b"])
        assert.deepStrictEqual(yield* claim(), [])
        // Neither is taken before one that never failed; a changed one counts as new.
        yield* stopAll()
        const c = yield* makeEntry(caller, "c")
        const works = Effect.gen(function* () {
          yield* submit(workflow, naming(["a", "b", "c"]))
          const [claimed] = yield* claim()
          yield* finish(claimed)
          return users([claimed as ClaimedRun])[0]?.[0]
        })
        assert.deepStrictEqual([yield* works, yield* works], ["c", "c"])
        yield* time.advance(1_000)
        const b = (yield* (yield* VaultEntries).list(caller.workspaceId)).find(
          (entry) => entry.permissionedUserId === "b"
        )
        yield* (yield* VaultEntries).change(caller.workspaceId, b?.id ?? "", (before) =>
          Result.succeed({ ...before, updatedAt: Number.MAX_SAFE_INTEGER / 4 })
        )
        assert.strictEqual(yield* works, "b")
        // So does one that was signed in with.
        assert.isTrue(Option.isSome(yield* (yield* VaultEntries).remove(caller.workspaceId, c.id)))
        yield* submit(workflow, naming("a"))
        const [signedIn] = yield* claim()
        yield* runs.loggedIn(held(signedIn as ClaimedRun), "USER")
        yield* finish(signedIn)
        assert.deepStrictEqual([yield* works, yield* works], ["b", "a"])
      })
  ),
  promise(
    "a run that began before its credential was changed stops no run when it cannot sign in",
    (caller, workflow, time) =>
      Effect.gen(function* () {
        const entries = yield* VaultEntries
        const entry = yield* makeEntry(caller, "a")
        yield* submit(workflow, naming("a"))
        const [second, stopped] = [yield* submit(workflow, naming("a")), yield* submit(workflow, naming("a"))]
        const [begun] = yield* claim()
        yield* time.advance(1_000)
        const now = yield* Clock.currentTimeMillis
        yield* entries.change(caller.workspaceId, entry.id, (before) => Result.succeed({ ...before, updatedAt: now }))
        yield* failLogin(begun)
        yield* stopAll()
        // A run that began since tells about the changed credential.
        const [next] = yield* claim()
        assert.strictEqual(next?.run.id, second)
        yield* failLogin(next)
        yield* stopAll()
        assert.strictEqual(yield* status(caller, stopped), "execution.stopped")
      })
  ),
  promise(
    "a credential that is changed while waiting runs are being stopped stops no further run",
    (caller, workflow, time) =>
      Effect.gen(function* () {
        const entries = yield* VaultEntries
        const entry = yield* makeEntry(caller, "a")
        yield* submit(workflow, naming("a"))
        const [stopped, kept] = [yield* submit(workflow, naming("a")), yield* submit(workflow, naming("a"))]
        yield* failLogin((yield* claim())[0])
        assert.isTrue(yield* (yield* RunStore).stopAfterFailedLogins(1, Transition.stopAfter))
        yield* time.advance(1_000)
        const now = yield* Clock.currentTimeMillis
        yield* entries.change(caller.workspaceId, entry.id, (before) => Result.succeed({ ...before, updatedAt: now }))
        yield* stopAll()
        assert.strictEqual(yield* status(caller, stopped), "execution.stopped")
        assert.deepStrictEqual(ids(yield* claim()), [kept])
      })
  ),
  promise("a run that passed a node marked as not repeatable is not tried with another member", (caller, workflow) =>
    Effect.gen(function* () {
      for (const user of ["a", "b"]) yield* makeEntry(caller, user)
      yield* submit(workflow, naming(["a", "b"]))
      const [claimed] = yield* claim()
      yield* (yield* RunStore).report(held(claimed as ClaimedRun), { events: [], progress: { committed: true } })
      const { failedLogin, run } = yield* failLogin(claimed)
      assert.strictEqual(run.status, "execution.failed")
      assert.isTrue(failedLogin?.stopsOthers)
    })
  ),
  promise("held runs with credentials are known before their gate opens, one for each need", (caller) =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const made = stored(caller)
      const content = { ...made.version.content, settings: { sign_in_check_minutes: 60 } }
      const asking = { ...made, version: { ...made.version, content } }
      yield* (yield* WorkflowStore).create(asking, () => Result.void)
      const other = yield* makeWorkflow(caller)
      const gates = yield* GateStore
      for (const { workflow } of [asking, other]) {
        yield* gates.change(caller.workspaceId, workflow.id, (gate, at) =>
          Result.succeed(Gate.setWindow(gate, daily(9, 17), { at, by: caller.userId }))
        )
      }
      const first = yield* submit(asking, naming("a"))
      yield* submit(asking, naming("a"))
      const second = yield* submit(asking, naming(["a", "b"]))
      yield* submit(asking)
      yield* submit(other, naming("a"))
      const hour = 3_600_000
      const own = (until: number) =>
        Effect.map(runs.opening(until), (all) => all.filter(({ run }) => run.workspaceId === caller.workspaceId))
      assert.deepStrictEqual(yield* own(9 * hour - 1), [])
      const found = yield* own(9 * hour)
      assert.deepStrictEqual(found.map(({ run }) => run.id).sort(), [first, second].sort())
      for (const { leadMillis, opensAt } of found) assert.deepStrictEqual([opensAt, leadMillis], [9 * hour, hour])
    })
  )
]
