import { assert, describe, it } from "@effect/vitest"
import { type Context, Effect, Layer } from "effect"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { GateStore } from "../../../core/gate/GateStore.ts"
import { NamedLimitStore } from "../../../core/run/limit/NamedLimit.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as Contract from "../../kit/contracts/Contract.ts"
import * as HoldContract from "../../kit/contracts/start/HoldContract.ts"
import * as LimitContract from "../../kit/contracts/start/LimitContract.ts"
import * as LoginContract from "../../kit/contracts/start/LoginContract.ts"
import * as PaceContract from "../../kit/contracts/start/PaceContract.ts"

type Stores = Layer.Success<typeof Memory.layer>

/** The stores in memory, of which one has a fault. */
const faulty = <Id, Shape>(port: Context.Key<Id, Shape>, fault: (store: Shape) => Shape) =>
  Layer.effect(port, Effect.map(port, fault)).pipe(Layer.provideMerge(Memory.layer))

const all = [...HoldContract.promises, ...PaceContract.promises, ...LoginContract.promises, ...LimitContract.promises]

/** Each fault, what it is, and the promises that it breaks. */
const faults: Readonly<Record<string, readonly [Layer.Layer<Stores>, ReadonlyArray<string>]>> = {
  "a queue in which every run is the first": [
    faulty(GateStore, (store) => ({ ...store, queue: (workflowId) => store.queue(workflowId) })),
    ["its queue is counted from one of its runs, with what has started and how long runs took"]
  ],
  "a queue that does not know how long runs take": [
    faulty(GateStore, (store) => ({
      ...store,
      queue: (...asked) => Effect.map(store.queue(...asked), (queue) => ({ ...queue, durationMillis: null }))
    })),
    ["its queue is counted from one of its runs, with what has started and how long runs took"]
  ],
  "paced workflows that were not asked about": [
    faulty(GateStore, (store) => ({
      ...store,
      paced: (workspaceId, _, limit) => store.paced(workspaceId, undefined, limit)
    })),
    ["its queue is counted from one of its runs, with what has started and how long runs took"]
  ],
  "more paced workflows than were asked for": [
    faulty(GateStore, (store) => ({
      ...store,
      paced: (workspaceId, workflowIds) => store.paced(workspaceId, workflowIds, 100)
    })),
    ["its queue is counted from one of its runs, with what has started and how long runs took"]
  ],
  "holds that are announced to every run": [
    faulty(RunStore, (store) => ({
      ...store,
      announceHolds: (limit, announcement) =>
        store.announceHolds(limit, { ...announcement, announcesToAll: () => Effect.succeed(true) })
    })),
    [
      "the announcement of holds tells the workflow once how many runs are held, and a run that is not watched nothing until it is"
    ]
  ],
  "holds that are announced to one piece of the runs": [
    faulty(RunStore, (store) => ({
      ...store,
      announceHolds: (...asked) => Effect.as(store.announceHolds(...asked), false)
    })),
    HoldContract.promises.map(({ title }) => title)
  ],
  "holds that no workflow is told of": [
    faulty(RunStore, (store) => ({
      ...store,
      announceHolds: (limit, announcement) => store.announceHolds(limit, { ...announcement, ofWorkflow: () => [] })
    })),
    [
      "the announcement of holds tells the workflow once how many runs are held, and a run that is not watched nothing until it is",
      "the announcement of holds tells all held runs where it is asked to, and announces to other workflows in between"
    ]
  ],
  "runs that are watched in name only": [
    faulty(RunStore, (store) => ({ ...store, watch: () => Effect.succeed(false) })),
    [
      "the announcement of holds tells the workflow once how many runs are held, and a run that is not watched nothing until it is",
      "the announcement of holds watches a run only for its workspace, and changes no run that is not waiting or not held"
    ]
  ],
  "strangers who may ask to watch": [
    faulty(RunStore, (store) => ({
      ...store,
      watch: (...asked) => Effect.catchTag(store.watch(...asked), "RunNotFound", () => Effect.succeed(false))
    })),
    [
      "the announcement of holds watches a run only for its workspace, and changes no run that is not waiting or not held"
    ]
  ],
  "logins that let no other run begin its own": [
    faulty(RunStore, (store) => ({ ...store, loggedIn: () => Effect.succeed(true) })),
    [
      "one run at a time signs in where that is asked for, until it has or ends",
      "a waiting run waits for a slot or for a sign-in, which is told apart, and lists agree",
      "credentials that share a mailbox sign in one at a time, however they are written",
      "a run of a pool continues with the next member where one cannot sign in, each once and at no retry"
    ]
  ],
  "waits for the sign-in of another run that look like waits for a slot": [
    faulty(RunStore, (store) => ({
      ...store,
      awaited: (...asked) =>
        Effect.map(store.awaited(...asked), (found) =>
          found === null || "limit" in found ? found : { ...found, isLogin: false }
        )
    })),
    ["a waiting run waits for a slot or for a sign-in, which is told apart, and lists agree"]
  ],
  "logins of workers that have lost their lease": [
    faulty(RunStore, (store) => ({
      ...store,
      loggedIn: (...said) => Effect.catchTag(store.loggedIn(...said), "LeaseLost", () => Effect.succeed(false))
    })),
    ["one run at a time signs in where that is asked for, until it has or ends"]
  ],
  "failed logins that stop no run": [
    faulty(RunStore, (store) => ({ ...store, stopAfterFailedLogins: () => Effect.succeed(false) })),
    [
      "a failed login stops those that wait for the credential and have no other, whatever holds them",
      "a run that began before its credential was changed stops no run when it cannot sign in",
      "a credential that is changed while waiting runs are being stopped stops no further run"
    ]
  ],
  "a claim that ignores limits": [
    faulty(NamedLimitStore, (store) => ({
      ...store,
      insert: (workspaceId, limit) =>
        store.insert(workspaceId, { ...limit, workflowIds: [], tags: [], credentialIds: [] })
    })),
    LimitContract.promises.map(({ title }) => title)
  ],
  "limits that are not resumed, raised or ended": [
    faulty(NamedLimitStore, (store) => ({
      ...store,
      change: (workspaceId, id) => store.get(workspaceId, id)
    })),
    [
      "a limit counts the runs that started before it, and one that is raised lets others start",
      "a paused limit starts nothing until it is resumed, and says so",
      "a run that is released past its window draws on limits"
    ]
  ],
  "runs that do not say which limit they wait for": [
    faulty(RunStore, (store) => ({
      ...store,
      awaited: (...asked) =>
        Effect.map(store.awaited(...asked), (found) => (found !== null && "limit" in found ? null : found))
    })),
    [
      "runs draw on a limit by a tag, and those behind them that do not are started",
      "runs draw on a limit by the credential that they are given, and take another of a pool",
      "a paused limit starts nothing until it is resumed, and says so",
      "an override is in force until its end, at which claims look again"
    ]
  ],
  "failed logins that stop the first run only": [
    faulty(RunStore, (store) => ({
      ...store,
      stopAfterFailedLogins: (...asked) => Effect.as(store.stopAfterFailedLogins(...asked), false)
    })),
    [
      "a failed login stops those that wait for the credential and have no other, whatever holds them",
      "a credential that is changed while waiting runs are being stopped stops no further run"
    ]
  ]
}

describe("the contracts of holds, paces, logins and limits", () => {
  it.live.each(Object.keys(faults))("find %s", (fault) =>
    Effect.gen(function* () {
      const [stores, titles] = faults[fault] ?? [Memory.layer, []]
      const broken = yield* Contract.broken(all, Effect.provide(stores))
      assert.deepStrictEqual(
        broken.map(({ title }) => title),
        [...titles]
      )
    })
  )
})
