import { assert, it } from "@effect/vitest"
import { Clock, Effect, type Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import type { GateStore } from "../../core/gate/GateStore.ts"
import { chosen } from "../../core/run/CredentialReferences.ts"
import { type ClaimedRun, RunStore } from "../../core/run/RunStore.ts"
import * as Slots from "../../core/run/Slots.ts"
import * as Transition from "../../core/run/Transition.ts"
import type { Signals } from "../../core/runtime/Signals.ts"
import { VaultEntries } from "../../core/vault/VaultEntries.ts"
import type { VaultEntry } from "../../core/vault/VaultEntry.ts"
import type { StoredWorkflow, WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import type { RunId } from "../../core/workspace/Ids.ts"
import type { Caller } from "../../core/workspace/Workspace.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import {
  claim,
  finish,
  held,
  ids,
  makeEntry,
  naming,
  settle,
  site,
  submit,
  users,
  withWorkflow
} from "../kit/contracts/start/CredentialRuns.ts"
import * as databases from "../support/databases.ts"
import { makeWorkflow, makeWorkspace } from "../support/fixtures.ts"
import { isAll } from "../support/scale.ts"
import { until } from "../support/waiting.ts"

type Stores = GateStore | RunStore | VaultEntries | WorkflowStore | WorkspaceStore | Signals

const edit = (entry: VaultEntry, fields: Partial<VaultEntry["fields"]>) =>
  Effect.flatMap(VaultEntries, (entries) =>
    entries.change(entry.workspaceId, entry.id, (before) =>
      Result.succeed({ ...before, updatedAt: before.updatedAt + 1, fields: { ...before.fields, ...fields } })
    )
  )

/** The promises of the stores about runs that name credentials. */
const suite = <E, R>(name: string, layer: Layer.Layer<Stores | R, E>, empty: Effect.Effect<unknown, never, R>) =>
  it.layer(layer)(`slots (${name})`, (it) => {
    const promise = <A, F>(
      title: string,
      test: (caller: Caller, workflow: StoredWorkflow) => Effect.Effect<A, F, Stores>
    ) => it.effect(title, () => Effect.andThen(empty, withWorkflow(test)))

    promise(
      "one run at a time has a credential, in the order of submission, and no other run waits for it",
      (caller, workflow) =>
        Effect.gen(function* () {
          yield* makeEntry(caller, "a")
          yield* makeEntry(caller, "b")
          const [a1, a2, a3] = [
            yield* submit(workflow, naming("a")),
            yield* submit(workflow, naming("a")),
            yield* submit(workflow, naming("a"))
          ]
          const b1 = yield* submit(workflow, naming("b"))
          const plain = yield* submit(workflow)
          const first = yield* claim()
          assert.deepStrictEqual(ids(first), [a1, b1, plain])
          assert.deepStrictEqual(yield* claim(), [])
          yield* finish(first[0])
          const second = yield* claim()
          assert.deepStrictEqual(ids(second), [a2])
          yield* finish(second[0])
          assert.deepStrictEqual(ids(yield* claim()), [a3])
        })
    )

    promise("with several sessions allowed, as many as its concurrency, or any number", (caller, workflow) =>
      Effect.gen(function* () {
        yield* makeEntry(caller, "two", { allow_multiple_sessions: true, max_concurrency: 2 })
        yield* makeEntry(caller, "many", { allow_multiple_sessions: true })
        yield* makeEntry(caller, "one", { max_concurrency: 5 })
        for (const user of ["two", "many", "one"]) {
          for (let index = 0; index < 4; index++) yield* submit(workflow, naming(user))
        }
        const counts = new Map<string, number>()
        for (const [user = ""] of users(yield* claim(50))) counts.set(user ?? "", (counts.get(user ?? "") ?? 0) + 1)
        assert.deepStrictEqual(Object.fromEntries(counts), { two: 2, many: 4, one: 1 })
      })
    )

    promise(
      "an entry is found by its site however the domain is written, and in its workspace alone",
      (caller, workflow) =>
        Effect.gen(function* () {
          yield* makeEntry(caller, "a", {}, "HTTPS://app.example.com:443/login")
          yield* makeEntry(caller, "a", {}, "https://app.example.com/other")
          yield* makeEntry(yield* makeWorkspace(), "a")
          const [one, , other] = [
            yield* submit(workflow, naming("a", "USER", "app.example.com")),
            yield* submit(workflow, naming("a", "USER", "https://app.example.com/login")),
            yield* submit(workflow, naming("a", "USER", "https://app.example.com/other"))
          ]
          assert.deepStrictEqual(ids(yield* claim()), [one, other])
        })
    )

    promise("all slots of a run or none: a run that waits for one of two leaves the other free", (caller, workflow) =>
      Effect.gen(function* () {
        yield* makeEntry(caller, "a")
        yield* makeEntry(caller, "b")
        yield* submit(workflow, naming("a"))
        const both = yield* submit(workflow, naming("a", "USER"), naming("b", "BANK"))
        const b = yield* submit(workflow, naming("b"))
        const [holdsA, holdsB] = yield* claim()
        assert.strictEqual(holdsB?.run.id, b)
        yield* finish(holdsB)
        assert.deepStrictEqual(yield* claim(), [])
        yield* finish(holdsA)
        assert.deepStrictEqual(ids(yield* claim()), [both])
      })
    )

    promise("a run that needs two and has waited for long gets its turn", (caller, workflow) =>
      Effect.gen(function* () {
        yield* makeEntry(caller, "a")
        yield* makeEntry(caller, "b")
        yield* submit(workflow, naming("a"))
        const [holdsA] = yield* claim()
        const both = yield* submit(workflow, naming("a"), naming("b", "BANK"))
        yield* submit(workflow, naming("b"))
        yield* TestClock.adjust(Slots.patienceMillis)
        assert.deepStrictEqual(yield* claim(), [])
        yield* finish(holdsA)
        assert.deepStrictEqual(ids(yield* claim()), [both])
      })
    )

    promise("two aliases of one entry need one slot of it", (caller, workflow) =>
      Effect.gen(function* () {
        yield* makeEntry(caller, "a")
        const sent = yield* submit(workflow, naming("a", "FIRST"), naming("a", "SECOND"))
        assert.deepStrictEqual(ids(yield* claim()), [sent])
      })
    )

    promise(
      "a slot comes back when its run ends, waits again, is interrupted, or loses its worker",
      (caller, workflow) =>
        Effect.gen(function* () {
          const runs = yield* RunStore
          yield* makeEntry(caller, "a")
          for (let index = 0; index < 6; index++) yield* submit(workflow, naming("a"))
          const one = Effect.map(claim(), (claimed) => {
            assert.strictEqual(claimed.length, 1)
            return claimed[0] as ClaimedRun
          })
          yield* finish(yield* one)
          yield* settle(yield* one, { _tag: "Failed", data: {}, errors: [] })
          const interrupted = yield* one
          yield* runs.change(caller.workspaceId, interrupted.run.id, Transition.interrupt)
          const abandoned = yield* one
          yield* runs.settle(held(abandoned), Transition.abandon)
          const again = yield* one
          assert.strictEqual(again.run.id, abandoned.run.id)
          yield* TestClock.adjust(30_000)
          // The end of the claim before may still read the run under a lock. Then it is left to the next call.
          yield* until("the end of a lease", runs.reap(10, Transition.reap), ({ length }) => length === 1)
          const last = yield* one
          assert.strictEqual(last.run.id, abandoned.run.id)
          yield* finish(last)
          assert.isNotNull(yield* one)
        })
    )

    promise("a pool gives its members in turn, those with a free slot, and says which it gave", (caller, workflow) =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        for (const user of ["a", "b", "c"]) yield* makeEntry(caller, user)
        const pool = naming(["a", "b", "c", "missing"])
        for (let index = 0; index < 7; index++) yield* submit(workflow, pool)
        const first = yield* claim()
        assert.deepStrictEqual(users(first), [["a"], ["b"], ["c"]])
        assert.deepStrictEqual(yield* claim(), [])
        yield* finish(first[1])
        const [second] = yield* claim()
        assert.deepStrictEqual(users([second as ClaimedRun]), [["b"]])
        yield* Effect.forEach([first[2], second, first[0]], finish)
        assert.deepStrictEqual(users(yield* claim(2)), [["a"], ["c"]])
        const { run } = yield* runs.get(caller.workspaceId, first[1]?.run.id as RunId)
        assert.strictEqual(chosen(run.credentials[0] as never), "b")
        const last = (yield* runs.events(run.id, 0)).at(-1)?.event
        assert.deepStrictEqual(last?.event === "execution.success" ? last.credentials : null, [
          { alias: "USER", permissionedUserIds: ["a", "b", "c", "missing"], chosen: "b", domain: site }
        ])
      })
    )

    promise("a run whose credential does not exist starts, and holds nothing", (_caller, workflow) =>
      Effect.gen(function* () {
        const sent = [
          yield* submit(workflow, naming("nobody")),
          yield* submit(workflow, naming("nobody")),
          yield* submit(workflow, naming(["nobody", "neither"]))
        ]
        const claimed = yield* claim()
        assert.deepStrictEqual(ids(claimed), sent)
        assert.deepStrictEqual(users(claimed), [["nobody"], ["nobody"], [null]])
      })
    )

    promise(
      "codes that are sent are for one at a time: by mailbox for mail, by workspace for text messages",
      (caller, workflow) =>
        Effect.gen(function* () {
          const runs = yield* RunStore
          const several = { allow_multiple_sessions: true }
          yield* makeEntry(caller, "mail", { ...several, tfa_method: "EMAIL" })
          yield* makeEntry(caller, "link", { ...several, tfa_method: "MAGIC_LINK" })
          yield* makeEntry(caller, "totp", { ...several, tfa_method: "AUTHENTICATOR", tfa_secret: "00" })
          yield* makeEntry(caller, "sms-1", { tfa_method: "SMS" })
          yield* makeEntry(caller, "sms-2", { tfa_method: "SMS" })
          const stranger = yield* makeWorkspace()
          yield* makeEntry(stranger, "sms-3", { tfa_method: "SMS" })
          for (const user of ["mail", "mail", "link", "link", "totp", "totp", "sms-1", "sms-2"]) {
            yield* submit(workflow, naming(user))
          }
          yield* submit(yield* makeWorkflow(stranger), naming("sms-3"))
          const claimed = yield* claim(50)
          assert.deepStrictEqual(users(claimed).flat().sort(), ["link", "mail", "sms-1", "sms-3", "totp", "totp"])
          assert.deepStrictEqual(yield* claim(50), [])
          for (const one of claimed) yield* runs.loggedIn(held(one), "USER")
          assert.deepStrictEqual(
            users(yield* claim(50))
              .flat()
              .sort(),
            ["link", "mail", "sms-2"]
          )
        })
    )

    promise(
      "an entry that is changed, removed or made again while runs hold it counts those runs",
      (caller, workflow) =>
        Effect.gen(function* () {
          const entries = yield* VaultEntries
          const entry = yield* makeEntry(caller, "a", { allow_multiple_sessions: true, max_concurrency: 2 })
          for (let index = 0; index < 5; index++) yield* submit(workflow, naming("a"))
          const [first, second] = yield* claim()
          yield* edit(entry, { max_concurrency: 1 })
          yield* finish(first)
          assert.deepStrictEqual(yield* claim(), [])
          yield* edit(entry, { max_concurrency: 2 })
          const [third, ...more] = yield* claim()
          assert.deepStrictEqual(more, [])
          yield* entries.remove(caller.workspaceId, entry.id)
          yield* makeEntry(caller, "a")
          yield* finish(second)
          assert.deepStrictEqual(yield* claim(), [])
          yield* finish(third)
          assert.strictEqual((yield* claim()).length, 1)
        })
    )

    promise("runs wait behind 200 that wait for one credential only if they need it too", (caller, workflow) =>
      Effect.gen(function* () {
        yield* makeEntry(caller, "busy")
        yield* makeEntry(caller, "free", { allow_multiple_sessions: true })
        for (let index = 0; index < 200; index++) yield* submit(workflow, naming("busy"))
        const behind = [
          yield* submit(workflow, naming("free")),
          yield* submit(workflow),
          yield* submit(workflow, naming("free")),
          yield* submit(workflow, naming("free"), naming("busy", "OTHER"))
        ]
        assert.deepStrictEqual(ids(yield* claim()).slice(1), behind.slice(0, 3))
        assert.deepStrictEqual(yield* claim(), [])
      })
    )

    promise("workflows whose runs all wait for a credential do not hide one that can start", (caller) =>
      Effect.gen(function* () {
        yield* makeEntry(caller, "busy")
        for (let index = 0; index < 12; index++) yield* submit(yield* makeWorkflow(caller), naming("busy"))
        assert.strictEqual((yield* claim(1)).length, 1)
        const sent = yield* submit(yield* makeWorkflow(caller))
        assert.deepStrictEqual(ids(yield* claim(1)), [sent])
      })
    )

    promise(
      "a run that was submitted while a claim found that others wait for a credential starts with the next claim",
      (caller, workflow) =>
        Effect.gen(function* () {
          const at = yield* Clock.currentTimeMillis
          yield* makeEntry(caller, "busy")
          yield* makeEntry(caller, "free")
          yield* submit(workflow, naming("busy"))
          yield* claim()
          yield* submit(workflow, naming("busy"))
          // By a process whose clock is ahead, or after the claim has read its own.
          yield* TestClock.setTime(at + 5)
          const late = yield* submit(workflow, naming("free"))
          yield* TestClock.setTime(at)
          assert.deepStrictEqual(yield* claim(), [])
          assert.deepStrictEqual(yield* claim(), [])
          yield* TestClock.setTime(at + 10)
          assert.deepStrictEqual(ids(yield* claim()), [late])
        })
    )

    promise(
      "a run that was submitted while a claim found only a postponed one starts with the next claim",
      (_caller, workflow) =>
        Effect.gen(function* () {
          const at = yield* Clock.currentTimeMillis
          yield* submit(workflow)
          const [first] = yield* claim()
          yield* settle(first, { _tag: "Failed", data: {}, errors: [], retry: { times: 1, delayMillis: 600_000 } })
          yield* TestClock.setTime(at + 5)
          const late = yield* submit(workflow)
          yield* TestClock.setTime(at)
          assert.deepStrictEqual(yield* claim(), [])
          assert.deepStrictEqual(yield* claim(), [])
          yield* TestClock.setTime(at + 10)
          assert.deepStrictEqual(ids(yield* claim()), [late])
        })
    )

    promise("a requeued run chooses again", (caller, workflow) =>
      Effect.gen(function* () {
        for (const user of ["a", "b"]) yield* makeEntry(caller, user)
        const sent = yield* submit(workflow, naming(["a", "b"]))
        const [claimed] = yield* claim()
        yield* settle(claimed, { _tag: "Failed", data: {}, errors: [], retry: { times: 1, delayMillis: 0 } })
        const { run } = yield* (yield* RunStore).get(caller.workspaceId, sent)
        assert.isNull(chosen(run.credentials[0] as never))
        assert.deepStrictEqual(users(yield* claim()), [["b"]])
      })
    )
  })

suite("memory", ...databases.memory)
if (isAll) suite("embedded", ...databases.embedded)
suite("postgres", ...databases.postgres)
