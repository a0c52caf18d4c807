import { assert, describe, it } from "@effect/vitest"
import { Clock, type Context, Effect, Fiber, Layer } from "effect"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as MemoryArtifacts from "../../../adapters/memory/run/MemoryArtifacts.ts"
import { ElementMemory } from "../../../core/agent/recovery/ElementMemory.ts"
import { BuilderStore } from "../../../core/builder/BuilderStore.ts"
import { EventLog } from "../../../core/event/EventLog.ts"
import { RunSubscriptionStore } from "../../../core/event/notification/KeptSubscription.ts"
import { Deliveries } from "../../../core/event/webhook/Deliveries.ts"
import { WebhookStore } from "../../../core/event/webhook/Webhook.ts"
import { LiveChannel } from "../../../core/execution/live/LiveChannel.ts"
import { LiveStore } from "../../../core/execution/live/LiveStore.ts"
import { ArtifactFiles } from "../../../core/run/artifact/ArtifactFiles.ts"
import { ArtifactStore } from "../../../core/run/artifact/ArtifactStore.ts"
import { DecisionStore } from "../../../core/run/evidence/DecisionStore.ts"
import { ErrorReports } from "../../../core/run/evidence/ErrorReports.ts"
import { EvidenceStore } from "../../../core/run/evidence/EvidenceStore.ts"
import { InteractionStore } from "../../../core/run/interaction/InteractionStore.ts"
import { LeaseLost } from "../../../core/run/Run.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import { RetentionStore } from "../../../core/run/retention/RetentionStore.ts"
import { RunRemovalStore } from "../../../core/run/retention/RunRemovalStore.ts"
import { StartLedger } from "../../../core/run/start/StartLedger.ts"
import { Signals } from "../../../core/runtime/Signals.ts"
import { ScheduleStore } from "../../../core/schedule/ScheduleStore.ts"
import { Mailboxes } from "../../../core/vault/inbox/Mailboxes.ts"
import { ReencryptionWalks } from "../../../core/vault/keys/Reencryption.ts"
import { SealedColumns } from "../../../core/vault/keys/ReencryptionTargets.ts"
import { WrappedKeys } from "../../../core/vault/keys/WrappedKeys.ts"
import { PhoneNumberStore } from "../../../core/vault/otp/PhoneNumbers.ts"
import { TimeSteps } from "../../../core/vault/otp/TimeSteps.ts"
import { FormerSecrets } from "../../../core/vault/site/FormerSecrets.ts"
import { ComponentStore } from "../../../core/workflow/component/ComponentStore.ts"
import { PatchStore } from "../../../core/workflow/patch/PatchStore.ts"
import { Audit } from "../../../core/workspace/audit/Audit.ts"
import { ErrorCodeStore } from "../../../core/workspace/ErrorCodes.ts"
import { WorkspaceId } from "../../../core/workspace/Ids.ts"
import { InvitationStore } from "../../../core/workspace/invitation/Invitations.ts"
import { IdempotencyStore } from "../../../core/workspace/request/Idempotency.ts"
import { SignInStore } from "../../../core/workspace/signin/SignInStore.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import * as SteppingClock from "../../kit/clocks/SteppingClock.ts"
import * as Contract from "../../kit/contracts/Contract.ts"
import * as DeliveryContract from "../../kit/contracts/event/DeliveryContract.ts"
import * as EventLogContract from "../../kit/contracts/event/EventLogContract.ts"
import * as ArtifactContract from "../../kit/contracts/run/ArtifactContract.ts"
import * as ArtifactRecordContract from "../../kit/contracts/run/ArtifactRecordContract.ts"
import * as DecisionContract from "../../kit/contracts/run/DecisionContract.ts"
import * as EvidenceContract from "../../kit/contracts/run/EvidenceContract.ts"
import * as InteractionContract from "../../kit/contracts/run/InteractionContract.ts"
import * as LiveContract from "../../kit/contracts/run/LiveContract.ts"
import * as RemovalContract from "../../kit/contracts/run/RemovalContract.ts"
import * as ScheduleContract from "../../kit/contracts/run/ScheduleContract.ts"
import * as StartContract from "../../kit/contracts/run/StartContract.ts"
import * as StoreContract from "../../kit/contracts/run/StoreContract.ts"
import * as ClockContract from "../../kit/contracts/runtime/ClockContract.ts"
import * as SignalsContract from "../../kit/contracts/runtime/SignalsContract.ts"
import * as InboxContract from "../../kit/contracts/vault/InboxContract.ts"
import * as SealedContract from "../../kit/contracts/vault/SealedContract.ts"
import * as TimeStepContract from "../../kit/contracts/vault/TimeStepContract.ts"
import * as VaultContract from "../../kit/contracts/vault/VaultContract.ts"
import * as ComponentContract from "../../kit/contracts/workflow/ComponentContract.ts"
import * as FindingsContract from "../../kit/contracts/workflow/FindingsContract.ts"
import * as AuditContract from "../../kit/contracts/workspace/AuditContract.ts"
import * as CollectionContract from "../../kit/contracts/workspace/CollectionContract.ts"
import * as ConversationContract from "../../kit/contracts/workspace/ConversationContract.ts"
import * as IdempotencyContract from "../../kit/contracts/workspace/IdempotencyContract.ts"
import * as SignInContract from "../../kit/contracts/workspace/SignInContract.ts"
import * as WorkspaceContract from "../../kit/contracts/workspace/WorkspaceContract.ts"
import * as VirtualTime from "../../kit/simulation/VirtualTime.ts"
import * as Weeks from "../../kit/simulation/Weeks.ts"
import * as WindowTesting from "../../kit/windows/WindowGenerators.ts"
import { mutants } from "../../simulation/mutants.ts"

const hour = 3_600_000

/** Wakes every hour, without end. */
const hourly = (woken: Array<number>) =>
  Effect.forever(
    Effect.sleep("1 hour").pipe(
      Effect.andThen(Clock.currentTimeMillis),
      Effect.tap((at) => Effect.sync(() => woken.push(at / hour)))
    )
  )

describe("the contract of the stores", () => {
  it.effect("is kept by the stores in memory, and names what a faulty store breaks", () =>
    Effect.gen(function* () {
      const sound = yield* Contract.broken(StoreContract.promises, (keeps) => Effect.provide(keeps, Memory.layer))
      assert.deepStrictEqual(sound, [])
      const faulty = Layer.effect(
        RunStore,
        Effect.map(RunStore, (store) =>
          RunStore.of({ ...store, settle: ({ id }) => Effect.fail(new LeaseLost({ sessionId: id, fence: 0 })) })
        )
      ).pipe(Layer.provideMerge(Memory.layer))
      const broken = yield* Contract.broken(StoreContract.promises, (keeps) => Effect.provide(keeps, faulty))
      const titles = broken.map(({ title }) => title)
      assert.include(titles, "accept what the holder of a lease brings, and refuse it from any other")
      assert.notInclude(titles, "change nothing when a decision fails")
      for (const { reason } of broken) assert.match(reason, /LeaseLost/)
    })
  )
})

/** A store with a fault, on the stores in memory. */
const faulty = <Id, Shape>(port: Context.Key<Id, Shape>, fault: (store: Shape) => Shape) =>
  Layer.effect(port, Effect.map(port, fault)).pipe(Layer.provideMerge(Memory.layer))

describe("the contracts of the other stores", () => {
  const broken = <E>(
    promises: ReadonlyArray<Contract.ContractPromise<Layer.Success<typeof Memory.layer>>>,
    stores: Layer.Layer<Layer.Success<typeof Memory.layer>, E>
  ) => Effect.map(Contract.broken(promises, Effect.provide(stores)), (all) => all.map(({ title }) => title))

  it.live("name what faulty stores of what belongs to runs break", () =>
    Effect.gen(function* () {
      const sparing = faulty(ScheduleStore, (store) => ({
        ...store,
        commit: (step) => store.commit({ ...step, replaces: [] })
      }))
      assert.deepStrictEqual(yield* broken(ScheduleContract.promises, sparing), [
        "schedules stop the run that a firing replaces, together with its submission"
      ])
      const hoarding = faulty(InteractionStore, (store) => ({ ...store, forget: () => Effect.succeed(1) }))
      assert.deepStrictEqual(yield* broken(InteractionContract.promises, hoarding), [
        "the questions of runs forget answers that no run took, and no others"
      ])
      const newestFirst = faulty(DecisionStore, (store) => ({
        ...store,
        of: (runId) => Effect.map(store.of(runId), (all) => all.toReversed())
      }))
      assert.include(
        yield* broken(DecisionContract.promises, newestFirst),
        "decisions of models are kept run by run, in their order, as they are"
      )
      const whole = faulty(EvidenceStore, (store) => ({ ...store, closeLog: (runId) => store.closeLog(runId, false) }))
      assert.deepStrictEqual(yield* broken(EvidenceContract.promises, whole), [
        "what runs leave behind marks a network log as truncated when its worker was lost, or left something out"
      ])
      const uncounted = faulty(ErrorReports, (reports) => ({
        report: (workspaceId, frame) =>
          Effect.map(reports.report(workspaceId, frame), (all) =>
            all.map((one) => ({ ...one, count: one.errors.length }))
          )
      }))
      assert.deepStrictEqual(yield* broken(EvidenceContract.promises, uncounted), [
        "what runs leave behind counts all failures within a frame by their code, and shows the newest"
      ])
      const shared = faulty(LiveStore, (store) => ({ ...store, release: () => Effect.succeed(true) }))
      assert.deepStrictEqual(yield* broken(LiveContract.promises, shared), [
        "the viewers of runs control it from one page at a time, as long as it keeps control"
      ])
      const forgiving = faulty(BuilderStore, (store) => ({ ...store, renew: () => Effect.succeed([]) }))
      const open = faulty(SignInStore, (store) => ({ ...store, remove: store.get }))
      assert.include(
        yield* broken(SignInContract.promises, open),
        "a store of sign-ins gives back a sign-in as it was kept, and gives it to one of those that remove it"
      )
      const short = faulty(Audit, (audit) => ({ ...audit, recording: (_caller, change) => change }))
      assert.deepStrictEqual(yield* broken(AuditContract.promises, short), [
        "the audit trail holds an entry of each change that was made, and of none that was refused or undone"
      ])
      assert.deepStrictEqual(yield* broken(ConversationContract.promises, forgiving), [
        "conversations are held by a lease that is prolonged, and lost to a later one or when it is given back"
      ])
    })
  )

  it.live("name what faulty stores break", () =>
    Effect.gen(function* () {
      const reversed = faulty(EventLog, (log) => ({
        ...log,
        read: (position, limit) =>
          Effect.map(log.read(position, limit), (read) => ({ ...read, entries: read.entries.toReversed() }))
      }))
      const ordered = "the log of events loses nothing and keeps the order of each run, however many append at once"
      const only = EventLogContract.promises.filter(({ title }) => title === ordered)
      assert.deepStrictEqual(yield* broken(only, reversed), [ordered])
      const open = faulty(Deliveries, (deliveries) => ({
        ...deliveries,
        get: (_workspaceId, id) => deliveries.get(WorkspaceId.make(id), id)
      }))
      assert.include(
        yield* broken(DeliveryContract.promises, open),
        "deliveries are retried at the request of a user when they are dead, and only then"
      )
      const exact = faulty(WrappedKeys, (keys) => ({ ...keys, retire: () => Effect.succeed(true) }))
      assert.deepStrictEqual(yield* broken(VaultContract.promises, exact), [
        "the stores of the vault rewrap a key once under concurrent calls, and remove none that is not retired"
      ])
      const trusting = faulty(WorkspaceStore, (store) => ({
        ...store,
        revokeKey: (workspaceId, id, at) => store.revokeKey(workspaceId, id, at)
      }))
      assert.deepStrictEqual(yield* broken(WorkspaceContract.promises, trusting), [
        "a store of workspaces asks about a revocation beside the keys that are left, under concurrent revocations"
      ])
      const forgetful = faulty(IdempotencyStore, (store) => ({
        ...store,
        once: (request, effect, judge) => store.once({ ...request, digest: "same" }, effect, judge)
      }))
      assert.deepStrictEqual(yield* broken(IdempotencyContract.promises, forgetful), [
        "a store of answers carries out a request once, and answers it again from what was kept"
      ])
      const files = Layer.effect(
        ArtifactFiles,
        Effect.map(ArtifactFiles, (inner) => ({ ...inner, remove: () => Effect.void }))
      ).pipe(Layer.provide(MemoryArtifacts.layer))
      const leftover = yield* Contract.broken(ArtifactContract.promises, Effect.provide(files))
      assert.deepStrictEqual(
        leftover.map(({ title }) => title),
        ["artifacts take the place of the one before, and are gone once removed"]
      )
    })
  )
})

describe("the contracts of collections, findings, starts, removal, secrets and signals", () => {
  type Stores = Layer.Success<typeof Memory.layer>

  /** Each fault, with the one promise that it breaks and the contract that must find it. */
  const faults: ReadonlyArray<readonly [string, ReadonlyArray<Contract.ContractPromise<Stores>>, Layer.Layer<Stores>]> =
    [
      [
        "error codes are removed, and their keys are free again",
        CollectionContract.promises,
        faulty(ErrorCodeStore, (store) => ({ ...store, remove: store.get }))
      ],
      [
        "invitations have keys that are unique within a workspace, under concurrent inserts",
        CollectionContract.promises,
        faulty(InvitationStore, (store) => ({ ...store, insert: (...args) => Effect.ignore(store.insert(...args)) }))
      ],
      [
        "subscriptions to runs are gone through in pages, each once, with how many are left",
        CollectionContract.promises,
        faulty(RunSubscriptionStore, (store) => ({ ...store, left: (workspaceId) => store.left(workspaceId, null) }))
      ],
      [
        "webhooks change one at a time, and not at all when the decision fails or the key is taken",
        CollectionContract.promises,
        faulty(WebhookStore, (store) => ({ ...store, change: (workspaceId, id) => store.get(workspaceId, id) }))
      ],
      [
        "former secrets change one at a time, and not at all when the decision fails or the key is taken",
        CollectionContract.promises,
        faulty(FormerSecrets, (store) => ({ ...store, change: (workspaceId, id) => store.get(workspaceId, id) }))
      ],
      [
        "the progress of re-encryption is kept once for a workspace",
        CollectionContract.promises,
        faulty(ReencryptionWalks, (store) => ({ ...store, list: () => Effect.succeed([]) }))
      ],
      [
        "patches are kept by workflow, in their order, and one change is kept once",
        FindingsContract.promises,
        faulty(PatchStore, (store) => ({ ...store, ofWorkflow: (workspaceId) => store.list(workspaceId) }))
      ],
      [
        "elements are remembered by node: the one that was seen last, of this workflow only",
        FindingsContract.promises,
        faulty(ElementMemory, (memory) => ({
          ...memory,
          keep: (workspaceId, workflowId, seen) =>
            memory.keep(
              workspaceId,
              workflowId,
              seen.map((one) => ({ ...one, seenAt: one.seenAt === 5 ? 50 : one.seenAt }))
            )
        }))
      ],
      [
        "components are carried into each workflow that holds them, and those that cannot follow are reported",
        ComponentContract.promises,
        faulty(ComponentStore, (store) => ({
          ...store,
          save: (...args) => Effect.map(store.save(...args), (saved) => ({ ...saved, skipped: [] }))
        }))
      ],
      [
        "the ledger of starts is read page by page by its own workspace, and misses a start that was taken out",
        StartContract.promises,
        faulty(StartLedger, (ledger) => ({ ...ledger, missing: () => Effect.succeed([]) }))
      ],
      [
        "the removal of runs finds the runs of a workspace that ended before an instant",
        RemovalContract.promises,
        faulty(RunRemovalStore, (store) => ({
          ...store,
          ended: (workspaceId, before, limit) => store.ended(workspaceId, Math.max(before, 4e12), limit)
        }))
      ],
      [
        "the removal of runs takes parts of ended runs behind those that were passed, and leaves the runs and pending deliveries",
        RemovalContract.promises,
        faulty(RetentionStore, (store) => ({ ...store, passed: () => Effect.void }))
      ],
      [
        "the record of artifacts gives each that is to be removed to one of many, and to another when that one is lost",
        ArtifactRecordContract.promises,
        faulty(ArtifactStore, (store) => ({ ...store, removed: () => Effect.void }))
      ],
      [
        "the stores of the inbox find the workspaces of a mailbox, as long as an entry has it",
        InboxContract.promises,
        faulty(Mailboxes, () => ({ ownersOf: () => Effect.succeed([]) }))
      ],
      [
        "the stores of the inbox give each number to one workspace, and each workspace one number",
        InboxContract.promises,
        faulty(PhoneNumberStore, (store) => ({ ...store, set: (...args) => Effect.ignore(store.set(...args)) }))
      ],
      [
        "used time steps are marked by every use, which never brings an earlier one back",
        TimeStepContract.promises,
        faulty(TimeSteps, (steps) => ({ ...steps, mark: () => Effect.void }))
      ],
      [
        "the places of sealed values exchange the values that still stand, and leave all else as it is",
        SealedContract.promises,
        faulty(SealedColumns, (places) => places.map((place) => ({ ...place, replace: () => Effect.void })))
      ],
      [
        "signals reach every subscriber that was there before, as they were sent",
        SignalsContract.promises,
        faulty(Signals, (signals) => ({
          ...signals,
          publish: (signal) => signals.publish("clientId" in signal ? { ...signal, clientId: "" } : signal)
        }))
      ],
      [
        "messages to the worker of a watched run are heard in their order, however many there are",
        SignalsContract.promises,
        faulty(LiveChannel, (channel) => ({
          ...channel,
          send: (runId, text) => channel.send(runId, text.startsWith("7") ? text.slice(1) : text)
        }))
      ]
    ]

  it.live("find the fault that is planted in each port", () =>
    Effect.forEach(
      faults,
      ([title, promises, stores]) =>
        Effect.gen(function* () {
          const only = promises.filter((one) => one.title === title)
          assert.lengthOf(only, 1, title)
          const broken = yield* Effect.provideService(
            Contract.broken(only, Effect.provide(stores)),
            Contract.Patience,
            1_000
          )
          assert.deepStrictEqual(
            broken.map((one) => one.title),
            [title]
          )
        }),
      { discard: true }
    )
  )
})

describe("the stepping clock", () => {
  it.live("misses no timer of a fiber that sets one after the other", () =>
    Effect.gen(function* () {
      const time = SteppingClock.make(0)
      const woken: Array<number> = []
      const fiber = yield* Effect.forkChild(Effect.provideService(hourly(woken), Clock.Clock, time.clock))
      yield* time.advance(5 * hour + 1)
      assert.deepStrictEqual(woken, [1, 2, 3, 4, 5])
      assert.strictEqual(time.now(), 5 * hour + 1)
      yield* Fiber.interrupt(fiber)
    })
  )
})

/** The time of simulations as a clock that a test moves, by way of each timer. */
const virtualTime = (at: number): ClockContract.MovedClock["Service"] => {
  const time = VirtualTime.make(at)
  const turns = Effect.repeat(Effect.yieldNow, { times: 63 })
  return {
    clock: time.clockOf(VirtualTime.exact),
    advance: Effect.fnUntraced(function* (millis) {
      const until = time.now() + millis
      yield* turns
      while (time.next("any") <= until) {
        time.step()
        yield* turns
      }
      time.jump(until)
    })
  }
}

describe("the contract of a clock that a test moves", () => {
  const brokenBy = (make: () => ClockContract.MovedClock["Service"]) =>
    Contract.broken(ClockContract.promises, (keeps) =>
      Effect.suspend(() => Effect.provideService(keeps, ClockContract.MovedClock, make()))
    )

  it.live("is kept by the stepping clock", () =>
    Effect.map(
      brokenBy(() => SteppingClock.make(1_000)),
      (broken) => assert.deepStrictEqual(broken, [])
    )
  )

  it.live("is kept by the time of simulations", () =>
    Effect.map(
      brokenBy(() => virtualTime(1_000)),
      (broken) => assert.deepStrictEqual(broken, [])
    )
  )

  it.live("is broken by a clock that jumps over the instants of timers", () =>
    Effect.map(
      brokenBy(() => {
        const clock = WindowTesting.movableClock(1_000)
        return {
          clock,
          advance: (millis) =>
            Effect.andThen(
              Effect.sync(() => clock.advance(millis)),
              Effect.yieldNow
            )
        }
      }),
      (broken) =>
        assert.deepStrictEqual(
          broken.map(({ title }) => title),
          [
            "wake sleepers in the order of their instants, each at its own",
            "miss no timer that a fiber sets after it was woken"
          ]
        )
    )
  )
})

describe("a simulated program", () => {
  it("passes four weeks at once, with every timer", () => {
    const woken: Array<number> = []
    const { at, exit, timers } = SteppingClock.simulate(hourly(woken), { from: 0, until: 672 * hour })
    assert.deepStrictEqual({ at, exit, timers }, { at: 672 * hour, exit: null, timers: 672 })
    assert.deepStrictEqual(woken.at(-1), 672)
  })

  it("answers how the program ended, and when", () => {
    const ends = Effect.as(Effect.sleep("2 hours"), "done")
    const { at, exit } = SteppingClock.simulate(ends, { from: hour, until: 9 * hour })
    assert.strictEqual(at, 3 * hour)
    assert.deepInclude(exit, { _tag: "Success", value: "done" })
  })
})

describe("simulated weeks", () => {
  it("break no promise on the stores in memory, and show the shortest part that breaks one", () => {
    const sound = Weeks.simulate(Memory.layer, { weeks: 2, actions: 20 })
    assert.deepStrictEqual(sound.broken, [])
    assert.isAbove(sound.attempts, 0)
    const mutant = mutants["the event of an end is lost"]
    const { broken } = Weeks.simulate(mutant?.stores ?? Memory.layer, { weeks: 1, actions: 8 })
    assert.deepStrictEqual(
      broken.map(({ seed, shortest }) => [seed, shortest.steps.map(({ _tag }) => _tag)]),
      [[1, ["submit"]]]
    )
  })
})
