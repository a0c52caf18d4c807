import { assert } from "@effect/vitest"
import { Clock, Effect, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as Gate from "../../../core/gate/Gate.ts"
import { GateStore } from "../../../core/gate/GateStore.ts"
import { chosen } from "../../../core/run/CredentialReferences.ts"
import type { Run } from "../../../core/run/Run.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as Slots from "../../../core/run/Slots.ts"
import * as Transition from "../../../core/run/Transition.ts"
import { VaultEntries } from "../../../core/vault/VaultEntries.ts"
import type { Fields, VaultEntry } from "../../../core/vault/VaultEntry.ts"
import type { RunId } from "../../../core/workspace/Ids.ts"
import { naming, site } from "../../kit/contracts/start/CredentialRuns.ts"
import { entryOf } from "../../support/entries.ts"
import { makeWorkflow, makeWorkspace, submission } from "../../support/fixtures.ts"
import { inSeries } from "../../support/series.ts"

const leaseMillis = 60_000

/** A command of the model. Numbers choose: the needs of a run, a run among the present ones, how many. */
const Command = Schema.Struct({
  kind: Schema.Literals([
    "submit",
    "submit",
    "submit",
    "claim",
    "claim",
    "claim",
    "finish",
    "signIn",
    "failLogin",
    "abandon",
    "interrupt",
    "loseWorkers",
    "stopOthers",
    "limit",
    "removeOrMake",
    "pauseOrNot"
  ]),
  number: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 59 }))
})
type Command = typeof Command.Type

/** A user of the model: how many runs it allows at a time, and how each signs in. */
interface User {
  limit: number
  readonly login: string | null
  readonly fields: Partial<Fields>
  exists: boolean
}

const several = { allow_multiple_sessions: true }
const makeUsers = (): Record<string, User> => ({
  one: { limit: 1, login: null, fields: {}, exists: true },
  two: {
    limit: 2,
    login: "two",
    fields: { ...several, max_concurrency: 2, prevent_concurrency_during_login: true },
    exists: true
  },
  many: { limit: Infinity, login: null, fields: several, exists: true },
  mail: { limit: Infinity, login: "mail", fields: { ...several, tfa_method: "EMAIL" }, exists: true },
  sms1: { limit: 1, login: "phone", fields: { tfa_method: "SMS" }, exists: true },
  sms2: { limit: 1, login: "phone", fields: { tfa_method: "SMS" }, exists: true },
  late: { limit: 1, login: null, fields: {}, exists: false }
})

const needs: ReadonlyArray<ReadonlyArray<string | ReadonlyArray<string>>> = [
  [],
  ["one"],
  ["two"],
  ["many"],
  ["mail"],
  ["sms1"],
  ["sms2"],
  ["late"],
  [["one", "many"]],
  [["sms1", "sms2"]],
  [["late", "two"]],
  ["one", "two"],
  ["mail", ["one", "late", "sms1"]],
  ["one", "one"]
]

const aliases = ["USER", "OTHER"]

const obey = (commands: ReadonlyArray<Command>) =>
  Effect.gen(function* () {
    const [runs, gates, entries] = [yield* RunStore, yield* GateStore, yield* VaultEntries]
    const caller = yield* makeWorkspace()
    const workflows = [yield* makeWorkflow(caller, { maxRetries: 1 }), yield* makeWorkflow(caller)]
    const users = makeUsers()
    const kept = new Map<string, VaultEntry>()
    const make = (name: string) => {
      const entry = entryOf(users[name]?.fields, {
        workspaceId: caller.workspaceId,
        permissionedUserId: name,
        domain: site
      })
      kept.set(name, entry)
      return entries.insert(caller.workspaceId, entry)
    }
    for (const [name, user] of Object.entries(users)) if (user.exists) yield* make(name)

    const all: Array<RunId> = []
    /** The users that each run has signed in with since it was last started. */
    const signedIn = new Map<string, Set<string>>()
    /** Users whose failed login is still to stop others. */
    const stopping = new Set<string>()
    let paused = false
    const mayStart = (run: Run) => !(paused && run.workflowId === workflows[1]?.workflow.id)

    const states = Effect.suspend(() =>
      Effect.forEach(all, (id) => Effect.map(runs.get(caller.workspaceId, id), ({ run }) => run))
    )
    const running = Effect.map(states, (list) => list.filter((run) => run.lease !== null))
    const pick = (list: ReadonlyArray<Run>, number: number) => list[number % (list.length || 1)]

    /** The users of a run, each once. */
    const usersOf = (run: Run) => [...new Set(run.credentials.flatMap((credential) => chosen(credential) ?? []))]
    const counted = (run: Run) => usersOf(run).filter((name) => run.credentials.some((one) => one.chosen === name))
    const loginsOf = (run: Run) => [
      ...new Set(
        run.credentials.flatMap(({ alias, chosen: name }) =>
          name === undefined || signedIn.get(run.id)?.has(alias) ? [] : (users[name]?.login ?? [])
        )
      )
    ]
    const count = (list: ReadonlyArray<Run>, name: string) => list.filter((run) => counted(run).includes(name)).length

    const couldStart = (run: Run, busy: ReadonlyArray<Run>) =>
      run.credentials.every(({ permissionedUserIds, tried = [] }) => {
        const left = permissionedUserIds.filter((name) => !tried.includes(name))
        const there = (left.length === 0 ? permissionedUserIds : left).filter((name) => users[name]?.exists)
        if (there.length === 0) return true
        return there.some((name) => {
          const user = users[name]
          if (user === undefined || (stopping.has(name) && permissionedUserIds.length === 1)) return false
          const isSigning = user.login !== null && busy.some((other) => loginsOf(other).includes(user.login ?? ""))
          return count(busy, name) < user.limit && !isSigning
        })
      })

    const claim = Effect.fnUntraced(function* (wanted: number) {
      const before = yield* running
      const claimed = yield* runs.claim({ worker: "w", limit: wanted, leaseMillis })
      for (const { run } of claimed) signedIn.set(run.id, new Set())
      const list = yield* states
      const busy = list.filter((run) => run.lease !== null)
      assert.strictEqual(busy.length, before.length + claimed.length)
      for (const { run } of claimed) {
        assert.isTrue(mayStart(run))
        for (const name of counted(run)) {
          assert.isAtMost(count(busy, name), users[name]?.limit ?? 0, `too many runs of ${name}`)
        }
        for (const login of loginsOf(run)) {
          assert.strictEqual(busy.filter((other) => loginsOf(other).includes(login)).length, 1, `two sign in: ${login}`)
        }
      }
      const waiting = list.filter((run) => run.lease === null && run.endedAt === null && mayStart(run))
      // One that has waited for several credentials for long may keep one of them free.
      const now = yield* Clock.currentTimeMillis
      const reserves = waiting.some((run) => run.credentials.length > 1 && now - run.notBefore >= Slots.patienceMillis)
      if (claimed.length < wanted && !reserves) {
        for (const run of waiting) {
          assert.isFalse(couldStart(run, busy), `${JSON.stringify(run.credentials)} was left behind`)
        }
      }
      // Of those that need the same the oldest is first.
      const place = (run: Run) => all.indexOf(run.id)
      const need = (run: Run) =>
        JSON.stringify([run.workflowId, run.credentials.map((one) => [one.permissionedUserIds, one.tried])])
      for (const { run } of claimed) {
        const earlier = before.length === 0 ? [] : waiting.filter((other) => place(other) < place(run))
        const fresh = list.find(({ id }) => id === run.id)
        if (fresh === undefined || fresh.attempts > 1) continue
        for (const other of earlier) {
          if (other.attempts === 0) assert.notStrictEqual(need(other), need(run), "overtaken")
        }
      }
      return claimed.length
    })

    const settle = (run: Run, outcome: Transition.Outcome) =>
      Effect.gen(function* () {
        const fence = run.lease?.fence ?? 0
        const change = yield* runs.settle({ id: run.id, fence }, (locked, at) => Transition.settle(locked, outcome, at))
        if (change.failedLogin?.stopsOthers) stopping.add(change.failedLogin.permissionedUserId)
        return change
      })

    const stopOthers = Effect.gen(function* () {
      while (yield* runs.stopAfterFailedLogins(2, Transition.stopAfter));
      stopping.clear()
    })

    for (const { kind, number } of commands) {
      switch (kind) {
        case "submit": {
          const sent = submission(workflows[number % 2] ?? (workflows[0] as never), {
            credentials: (needs[number % needs.length] ?? []).map((name, index) => naming(name, aliases[index]))
          })
          yield* runs.submit(sent)
          all.push(sent.id)
          break
        }
        case "claim":
          yield* claim(1 + (number % 5))
          break
        case "finish": {
          const run = pick(yield* running, number)
          if (run !== undefined) yield* settle(run, { _tag: "Success", data: {} })
          break
        }
        case "signIn": {
          const run = pick(yield* running, number)
          const alias = run?.credentials[number % (run.credentials.length || 1)]?.alias
          if (run === undefined || alias === undefined) break
          yield* runs.loggedIn({ id: run.id, fence: run.lease?.fence ?? 0 }, alias)
          signedIn.get(run.id)?.add(alias)
          break
        }
        case "failLogin": {
          const run = pick(yield* running, number)
          if (run !== undefined) yield* settle(run, { _tag: "Failed", data: {}, errors: [], failedLogin: "USER" })
          break
        }
        case "abandon": {
          const run = pick(yield* running, number)
          if (run === undefined) break
          const fence = run.lease?.fence ?? 0
          yield* runs.settle({ id: run.id, fence }, Transition.abandon)
          break
        }
        case "interrupt": {
          const run = pick(yield* states, number)
          if (run === undefined) break
          yield* Effect.ignore(runs.change(caller.workspaceId, run.id, Transition.interrupt))
          break
        }
        case "loseWorkers":
          yield* TestClock.adjust(leaseMillis)
          yield* runs.reap(100, Transition.reap)
          assert.deepStrictEqual(yield* running, [])
          break
        case "stopOthers":
          yield* stopOthers
          break
        case "limit": {
          const [entry, user] = [kept.get("two"), users.two]
          if (entry === undefined || user === undefined) break
          user.limit = 1 + (number % 3)
          yield* entries.change(caller.workspaceId, entry.id, (before) =>
            Result.succeed({ ...before, fields: { ...before.fields, max_concurrency: user.limit } })
          )
          break
        }
        case "removeOrMake": {
          const name = number % 2 === 0 ? "late" : "one"
          const user = users[name]
          if (user === undefined) break
          if (user.exists) yield* entries.remove(caller.workspaceId, kept.get(name)?.id ?? "")
          else yield* make(name)
          user.exists = !user.exists
          break
        }
        case "pauseOrNot":
          paused = !paused
          yield* gates.change(caller.workspaceId, workflows[1]?.workflow.id as never, (gate, at) =>
            Result.succeed(
              paused ? Gate.pause(gate, { at, by: caller.userId }, { reason: "test", until: null }) : Gate.unpause(gate)
            )
          )
          break
      }
    }

    // In the end nothing was leaked and no run forgotten: once what runs has ended, everything that waits has its turn.
    if (paused) {
      paused = false
      yield* gates.change(caller.workspaceId, workflows[1]?.workflow.id as never, (gate) =>
        Result.succeed(Gate.unpause(gate))
      )
    }
    yield* stopOthers
    for (let round = 0; round <= all.length; round++) {
      yield* TestClock.adjust(leaseMillis)
      yield* runs.reap(100, Transition.reap)
      while ((yield* claim(7)) === 7);
      for (const run of yield* running) yield* settle(run, { _tag: "Success", data: {} })
    }
    assert.deepStrictEqual(
      (yield* states).filter((run) => run.endedAt === null),
      []
    )
  })

inSeries("runs have the slots that they may have, none is lost, and every run gets its turn", Command, obey)
