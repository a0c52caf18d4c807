/**
 * The questions of runs, as callers read and answer them.
 */
import { Clock, Context, Effect, Layer, Option, Redacted, Result, type Schema } from "effect"
import { Signals } from "../../runtime/Signals.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Sealing } from "../../vault/keys/Sealing.ts"
import * as Sandbox from "../../workflow/sandbox/Sandbox.ts"
import type { Problem } from "../../workflow/Workflow.ts"
import { Audit, type Draft } from "../../workspace/audit/Audit.ts"
import type { RunId, RunNotFound } from "../../workspace/Ids.ts"
import * as Permissions from "../../workspace/Permissions.ts"
import type { Caller, RoleForbids } from "../../workspace/Workspace.ts"
import type { Run } from "../Run.ts"
import { RunStore } from "../RunStore.ts"
import * as Interaction from "./Interaction.ts"
import { InteractionStore } from "./InteractionStore.ts"

/** The violations of the schema of a question. */
const problemsOf = (
  { workspaceId }: Caller,
  { schema }: Interaction.AskedQuestion,
  value: Schema.JsonObject | null
): Effect.Effect<ReadonlyArray<Problem>> =>
  value === null
    ? Effect.succeed([])
    : Sandbox.run(workspaceId, "problems", { schema, value }).pipe(
        Effect.catchTag(
          "TooCostly",
          Sandbox.refused((message) => Effect.succeed([{ path: "", message }]))
        )
      )

/** Another question has replaced the answered one. */
class AskedAnew {
  readonly _tag = "AskedAnew"
}

export class Interactions extends Context.Service<
  Interactions,
  {
    /** The open question of a run at this instant. */
    readonly open: (
      caller: Caller,
      id: RunId
    ) => Effect.Effect<Interaction.Interaction, RunNotFound | Interaction.NotWaiting | StoreUnavailable>

    /**
     * Answers the question of a run, which continues within milliseconds. Of two answers only the first is accepted.
     */
    readonly answer: (
      caller: Caller,
      id: RunId,
      data: Schema.JsonObject
    ) => Effect.Effect<
      void,
      RunNotFound | Interaction.NotWaiting | Interaction.InvalidAnswer | RoleForbids | StoreUnavailable
    >

    /** Gives a run corrections of inputs that it could not use. */
    readonly correct: (
      caller: Caller,
      id: RunId,
      correction: Interaction.Correction
    ) => Effect.Effect<
      void,
      RunNotFound | Interaction.NotWaiting | Interaction.InvalidAnswer | RoleForbids | StoreUnavailable
    >

    /**
     * Approves or refuses the act that a run waits with. The caller must have the role that the step names, and is not the
     * key that submitted the run. The decision is recorded in the audit trail.
     */
    readonly decide: (
      caller: Caller,
      id: RunId,
      decision: Interaction.Decision
    ) => Effect.Effect<
      void,
      RunNotFound | Interaction.NotWaiting | Interaction.OwnApproval | RoleForbids | StoreUnavailable
    >
  }
>()("sluice/core/run/interaction/Interactions") {
  static readonly layer = Layer.effect(
    Interactions,
    Effect.gen(function* () {
      const runs = yield* RunStore
      const store = yield* InteractionStore
      const signals = yield* Signals
      const sealing = yield* Sealing
      const audit = yield* Audit

      const open = Effect.fn("Interactions.open")(function* (caller: Caller, id: RunId) {
        const { run } = yield* runs.get(caller.workspaceId, id)
        const latest = Option.getOrNull(yield* store.get(caller.workspaceId, id))
        const reason = Interaction.closedTo(latest, run, yield* Clock.currentTimeMillis)
        if (latest !== null && reason === null) return latest
        return yield* new Interaction.NotWaiting({ sessionId: id, reason: reason ?? "NOTHING_ASKED" })
      })

      const change = Effect.fnUntraced(function* <E>(
        caller: Caller,
        id: RunId,
        given: (before: Interaction.AskedQuestion) => Schema.JsonObject | null,
        decide: (
          before: Interaction.AskedQuestion,
          run: Run,
          now: number,
          judge: Interaction.Judge
        ) => Result.Result<Interaction.AnsweredQuestion, E>,
        describe: (answered: Interaction.AskedQuestion) => ReadonlyArray<Draft> = () => []
      ) {
        const { run } = yield* runs.get(caller.workspaceId, id)
        const attempt = Effect.gen(function* () {
          const latest = Option.getOrNull(yield* store.get(caller.workspaceId, id))
          if (latest === null) {
            const reason = Interaction.closedTo(null, run, 0) ?? "NOTHING_ASKED"
            return yield* new Interaction.NotWaiting({ sessionId: id, reason })
          }
          const problems = yield* problemsOf(caller, latest, given(latest))
          const judge = () => problems
          // Sealed values are opened before the question is locked. The decision is made again under the lock.
          const { answer } = yield* Effect.fromResult(decide(latest, run, yield* Clock.currentTimeMillis, judge))
          const sealed = yield* sealing.seal(caller.workspaceId, Redacted.make(answer))
          const changed = store.change(
            id,
            (before, now): Result.Result<Interaction.Interaction, E | AskedAnew> =>
              before.id === latest.id
                ? Result.map(decide(before, run, now, judge), (after) => ({ ...after, answer: sealed }))
                : Result.fail(new AskedAnew())
          )
          yield* audit.recording(caller, changed, (change) =>
            Option.match(change, { onNone: () => [], onSome: ({ after }) => describe(after) })
          )
        })
        yield* attempt.pipe(
          Effect.retry({ while: (error) => error instanceof AskedAnew, times: 10 }),
          Effect.catchIf((error): error is AskedAnew => error instanceof AskedAnew, Effect.die)
        )
        yield* signals.publish({ _tag: "answered", runId: id })
      })

      return Interactions.of({
        open,
        answer: Effect.fn("Interactions.answer")((caller, id, data) =>
          change(
            caller,
            id,
            () => data,
            (before, run, now, judge) => Interaction.answer(before, run, data, now, judge)
          )
        ),
        correct: Effect.fn("Interactions.correct")((caller, id, correction) =>
          change(
            caller,
            id,
            ({ subject }) =>
              correction._tag === "inputs" && subject._tag === "input_required"
                ? { ...subject.inputs, ...correction.inputs }
                : null,
            (before, run, now, judge) => Interaction.correct(before, run, correction, now, judge)
          )
        ),
        decide: Effect.fn("Interactions.decide")(function* (caller, id, decision) {
          const { subject } = yield* open(caller, id)
          if (subject._tag === "approval") {
            yield* Permissions.require(caller, subject.by === "Owner" ? "manage" : "run")
          }
          const { run } = yield* runs.get(caller.workspaceId, id)
          if (caller.keyId !== undefined && run.options.submittedBy === caller.keyId) {
            return yield* new Interaction.OwnApproval({ sessionId: id })
          }
          yield* change(
            caller,
            id,
            () => null,
            (before, run, now) => Interaction.decide(before, run, decision, caller.userId, now),
            (answered) => [decided(answered, decision)]
          )
        })
      })
    }).pipe(
      Permissions.checked<Interactions["Service"]>({ open: "read", answer: "run", correct: "run", decide: "run" })
    )
  )
}

const decided = (
  { node, runId, subject }: Interaction.AskedQuestion,
  { approved, digest, reason }: Interaction.Decision
): Draft => ({
  action: approved ? "run.approve" : "run.refuse",
  resourceId: runId,
  resourceName: node.name,
  reason,
  before: null,
  after: subject._tag === "approval" ? { digest, by: subject.by, act: { ...subject.told } } : { digest }
})
