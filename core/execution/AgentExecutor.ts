/** Executes the graph of a run in a browser with the agent, and reports the events of the run. */
import { Effect, Layer, Redacted, Ref, Result } from "effect"
import * as Agent from "../agent/Agent.ts"
import { CaptchaSolver } from "../agent/action/CaptchaSolver.ts"
import { RunLimits } from "../agent/Limits.ts"
import { ModelBudget } from "../agent/model/Budget.ts"
import { Model } from "../agent/model/Model.ts"
import * as ModelAdvice from "../agent/model/ModelAdvisor.ts"
import * as ModelUse from "../agent/model/ModelUse.ts"
import * as Outcome from "../agent/Outcome.ts"
import { Advisor } from "../agent/recovery/Advisor.ts"
import * as SpendReservation from "../agent/spending/SpendReservation.ts"
import { Browser } from "../browser/Browser.ts"
import { FileSource } from "../browser/file/FileSource.ts"
import * as Session from "../browser/Session.ts"
import { mostKept, type RunWarning } from "../event/RunWarning.ts"
import { Gates } from "../gate/Gates.ts"
import { Secrets } from "../redaction/Secrets.ts"
import { RunArtifacts } from "../run/artifact/RunArtifacts.ts"
import { Executor, type Reporter } from "../run/Executor.ts"
import type { Decision } from "../run/evidence/Decision.ts"
import { DecisionStore } from "../run/evidence/DecisionStore.ts"
import type { ClaimedRun } from "../run/RunStore.ts"
import type * as Transition from "../run/Transition.ts"
import * as StoreUnavailable from "../runtime/StoreUnavailable.ts"
import type { AccountUnavailable } from "../vault/Account.ts"
import { Accounts } from "../vault/Accounts.ts"
import { LoginCodes } from "../vault/otp/LoginCodes.ts"
import * as Legacy from "../workflow/Legacy.ts"
import { Patches } from "../workflow/patch/Patches.ts"
import * as SavedGraph from "../workflow/SavedGraph.ts"
import * as Sandbox from "../workflow/sandbox/Sandbox.ts"
import { Workflows } from "../workflow/Workflows.ts"
import type { RunId } from "../workspace/Ids.ts"
import { bestEffort } from "./BestEffort.ts"
import * as EvidenceRecorder from "./EvidenceRecorder.ts"
import * as RunAccounts from "./RunAccounts.ts"
import * as RunObserver from "./RunObserver.ts"
import * as RunRecovery from "./RunRecovery.ts"
import * as RunSession from "./RunSession.ts"
import * as RunVerdict from "./RunVerdict.ts"
import * as ReplayRecorder from "./replay/ReplayRecorder.ts"
import * as SignInWatch from "./SignInWatch.ts"

export const layer = Layer.effect(
  Executor,
  Effect.gen(function* () {
    const browser = yield* Browser
    const limits = yield* RunLimits
    const artifacts = yield* RunArtifacts
    const observerOf = yield* RunObserver.make
    const evidence = yield* EvidenceRecorder.make
    const sourceOfFiles = yield* FileSource
    const solver = yield* CaptchaSolver
    const sandbox = yield* Sandbox.Sandbox
    const codes = yield* LoginCodes
    const openAccounts = yield* RunAccounts.make
    const sessionOf = yield* RunSession.make
    const recoveryOf = yield* RunRecovery.make
    const verdictOf = yield* RunVerdict.make
    const model = yield* Model
    const budget = yield* ModelBudget
    const decisions = yield* DecisionStore
    const reserveFor = yield* SpendReservation.make
    const replayRecorderOf = yield* ReplayRecorder.make
    const forgetFailed = yield* RunAccounts.forgetting
    const signInWatchOf = yield* SignInWatch.make

    /** Stores a decision of a model. The run continues if that fails. */
    const kept = (id: RunId, secrets: Secrets) => (decision: Decision) =>
      decisions.keep(id, decision).pipe(bestEffort(secrets, "A decision of a model could not be kept"))

    /** Opens the credentials, the graph and the session of an attempt. A failure ends the run before a page is opened. */
    const begin = Effect.fnUntraced(function* (claimed: ClaimedRun) {
      const accounts = yield* StoreUnavailable.waitUntilBack(openAccounts(claimed.run))
      const graph = yield* SavedGraph.read(claimed.version.content)
      const request = RunSession.ofRun(claimed, accounts.values())
      return { accounts, graph, ...(yield* StoreUnavailable.waitUntilBack(sessionOf(request))) }
    }, Effect.mapError(startFailure))

    const carryOut = Effect.fnUntraced(function* (claimed: ClaimedRun, reporter: Reporter, secrets: Secrets) {
      const { content } = claimed.version
      const begun = yield* Effect.result(begin(claimed))
      if (Result.isFailure(begun)) {
        return yield* StoreUnavailable.waitUntilBack(
          verdictOf(claimed, { failure: begun.failure, data: {}, acted: false, committed: false })
        )
      }
      const { accounts, graph, over, session } = begun.success
      const { additionalContext, check, dryRun } = claimed.run.options
      const writer = artifacts.of(claimed.run)
      for (const value of Session.secrets(session)) secrets.add(Redacted.value(value), "secret")
      yield* secrets.prepared
      const signIns = signInWatchOf(claimed, accounts)
      const watching = signIns.observes(observerOf(claimed, signIns.hearing(reporter), writer))
      let acted = false
      let committed = false
      const warnings = { kept: [] as Array<RunWarning>, count: 0 }
      const warned: typeof watching.warned = (warning) =>
        Effect.sync(() => {
          if (warnings.count++ < mostKept) warnings.kept.push(warning)
        })
      const before: typeof watching.before = (mark, node) => {
        acted ||= mark === "acting"
        committed ||= mark === "committing"
        return watching.before(mark, node)
      }
      const recovering = yield* recoveryOf(claimed, reporter, secrets)
      const inputs = { ...Legacy.defaultInputs(content.nodes), ...claimed.run.input }
      const { plainForms } = recovering
      const recorder = yield* replayRecorderOf(claimed, accounts, inputs, secrets, { browser, model, plainForms })
      const observed = { ...watching, ...recovering.observes, before, over, warned }
      const use = ModelUse.make(budget, kept(claimed.run.id, secrets), additionalContext, reserveFor(claimed.run))
      const outcome = yield* Agent.run(
        {
          graph,
          inputs,
          outputSchema: content.output_schema,
          dryRun: dryRun?.enabled === true ? { addToOutput: dryRun.addToOutput ?? {} } : null,
          correctable: content.settings.enable_incorrect_form_input_recovery ?? false,
          strict: content.settings.strict ?? false,
          manualCaptcha: content.settings.manual_captcha_solve ?? false,
          recovery: { ...recovering.recovery, memories: recorder.memories(recovering.recovery.memories) },
          ...(plainForms === undefined ? {} : { plainForms }),
          session,
          accounts,
          codes,
          secrets,
          ...(check === undefined ? {} : { signInOnly: check.alias })
        },
        recorder.observes(evidence(claimed, secrets, writer, reporter, observed)),
        limits
      ).pipe(
        Effect.provideService(Browser, recorder.browser),
        Effect.provideService(FileSource, sourceOfFiles),
        Effect.provideService(CaptchaSolver, solver),
        Effect.provideService(Model, recorder.model),
        Effect.provideService(Advisor, ModelAdvice.make(secrets)),
        Effect.provideService(ModelUse.ModelUse, use)
      )
      yield* recovering.over
      yield* signIns.over(outcome)
      yield* recorder.keep(outcome, writer)
      const modelCalls = { spent: (yield* Ref.get(use.spent)).calls, saved: yield* Ref.get(use.saved) }
      if (outcome._tag === "Success") {
        return { _tag: "Success", data: outcome.data, warnings, modelCalls } satisfies Transition.Outcome
      }
      const verdict = yield* StoreUnavailable.waitUntilBack(verdictOf(claimed, { ...outcome, acted, committed }))
      return { ...verdict, warnings, modelCalls } satisfies Transition.Outcome
    })

    /** A defect ends the attempt as a defect, with the secrets of the attempt removed from its message. */
    const execute = Effect.fn("AgentExecutor.execute")((claimed: ClaimedRun, reporter: Reporter) => {
      const secrets = new Secrets()
      return carryOut(claimed, reporter, secrets).pipe(
        Effect.provideService(Sandbox.Owner, claimed.run.workspaceId),
        Effect.provideService(Sandbox.Sandbox, sandbox),
        Effect.tap((outcome) => forgetFailed(claimed.run, outcome)),
        Effect.catchDefect((defect) => Effect.die(new Error(secrets.describe(defect))))
      )
    })

    return Executor.of({ execute })
  })
).pipe(
  Layer.provide([
    Gates.layer,
    Accounts.layer,
    LoginCodes.layer,
    RunArtifacts.layer,
    Patches.layer.pipe(Layer.provide(Workflows.layer))
  ])
)

/** Why an execution ended before it opened a page. */
const startFailure = (error: AccountUnavailable | Sandbox.TooCostly | RunSession.NoProxy): Outcome.Failure => {
  switch (error._tag) {
    case "AccountUnavailable":
      return Outcome.neverBegun("CREDENTIAL-E0001", error.message, error.reason)
    case "TooCostly":
      return Outcome.neverBegun("LIMIT-E0007", `Cannot read the graph of the workflow: ${error.message}`)
    case "NoProxy":
      return Outcome.neverBegun("PROXY-E0001", error.message)
  }
}
