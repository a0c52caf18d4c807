/**
 * Carries out runs with the agent: it walks a graph in a browser, and reports the events of the run.
 */
import { Clock, Effect, Layer, Option, Redacted, Result, type Schema } from "effect"
import * as Agent from "../agent/Agent.ts"
import { kinds } from "../agent/Failure.ts"
import { RunLimits } from "../agent/Limits.ts"
import * as ModelAdvice from "../agent/model/Advising.ts"
import { ModelBudget } from "../agent/model/Budget.ts"
import { Model } from "../agent/model/Model.ts"
import * as ModelUse from "../agent/model/ModelUse.ts"
import type { Observer, Picture } from "../agent/Observer.ts"
import type { Failure } from "../agent/Outcome.ts"
import { Advisor } from "../agent/recovery/Advisor.ts"
import { Browser } from "../browser/Browser.ts"
import { FileSource } from "../browser/file/FileSource.ts"
import * as Session from "../browser/Session.ts"
import { Gates } from "../gate/Gates.ts"
import { Secrets } from "../redaction/Secrets.ts"
import { type Keeper, RunArtifacts } from "../run/artifact/RunArtifacts.ts"
import { Executor, type Reporter } from "../run/Executor.ts"
import type { Decision } from "../run/evidence/Decision.ts"
import { DecisionStore } from "../run/evidence/DecisionStore.ts"
import type { LeaseLost, RunError } from "../run/Run.ts"
import type { Claimed } from "../run/RunStore.ts"
import type { Outcome, Retry } from "../run/Transition.ts"
import * as StoreUnavailable from "../runtime/StoreUnavailable.ts"
import type { AccountUnavailable } from "../vault/Account.ts"
import { Accounts } from "../vault/Accounts.ts"
import { LoginCodes } from "../vault/otp/LoginCodes.ts"
import { Patches } from "../workflow/patch/Patches.ts"
import * as SavedGraph from "../workflow/SavedGraph.ts"
import * as Sandbox from "../workflow/sandbox/Sandbox.ts"
import type { Settings } from "../workflow/Workflow.ts"
import { Workflows } from "../workflow/Workflows.ts"
import { type ErrorCode, ErrorCodeStore } from "../workspace/ErrorCodes.ts"
import { Identifiers } from "../workspace/Identifiers.ts"
import type { RunId } from "../workspace/Ids.ts"
import * as Evidence from "./Evidence.ts"
import * as RemotePerson from "./RemotePerson.ts"
import * as RunAccounts from "./RunAccounts.ts"
import * as RunFiles from "./RunFiles.ts"
import * as RunRecovery from "./RunRecovery.ts"
import * as RunSession from "./RunSession.ts"
import { surviving } from "./Surviving.ts"

export const layer = Layer.effect(
  Executor,
  Effect.gen(function* () {
    const browser = yield* Browser
    const limits = yield* RunLimits
    const artifacts = yield* RunArtifacts
    const identifiers = yield* Identifiers
    const personOf = yield* RemotePerson.make
    const evidence = yield* Evidence.make
    const sourceOfFiles = yield* FileSource
    const errorCodes = yield* ErrorCodeStore
    const gates = yield* Gates
    const codes = yield* LoginCodes
    const openAccounts = yield* RunAccounts.make
    const sessionOf = yield* RunSession.make
    const recoveryOf = yield* RunRecovery.make
    const model = yield* Model
    const budget = yield* ModelBudget
    const decisions = yield* DecisionStore
    const forgetFailed = yield* RunAccounts.forgetting

    /** A file that cannot be stored is missing, and the run continues. */
    const kept = (id: RunId, secrets: Secrets) => (decision: Decision) =>
      decisions.keep(id, decision).pipe(surviving(secrets, "A decision of a model could not be kept"))

    const observer = (
      claimed: Claimed,
      reporter: Reporter,
      keeper: Keeper
    ): Observer<LeaseLost | StoreUnavailable.StoreUnavailable> => {
      const { run } = claimed
      const session = { session_id: run.id, workflow_id: run.workflowId }
      const upload = Effect.fnUntraced(function* (picture: Picture) {
        const { bytes, mediaType } = picture
        // A picture that cannot be stored is missing, and the run continues.
        const kept = yield* Effect.option(keeper.keep("screenshot", { bytes, mediaType, fileName: null }))
        if (Option.isNone(kept)) return null
        const id = kept.value
        yield* reporter.event({
          event: "screenshot.uploaded",
          payload: {
            ...session,
            screenshot_id: id,
            node_id: picture.node.id,
            node_display_name: picture.node.name,
            timestamp: iso(yield* Clock.currentTimeMillis),
            error_screenshot: picture.error,
            full_length_screenshot: picture.fullPage,
            retry_index: run.retries,
            metadata: picture.metadata
          }
        })
        return id
      })
      return {
        step: (node, following) =>
          reporter.event({
            event: "execution.step",
            payload: { ...session, current_step: node.name, next_step: following?.name ?? null }
          }),
        skipped: (node) =>
          reporter.event({
            event: "execution.step_skipped",
            payload: { ...session, current_step: node.name, node_id: node.id }
          }),
        picture: (picture) => Effect.asVoid(upload(picture)),
        file: RunFiles.keeping(claimed, reporter, keeper),
        before: (mark) => reporter.mark(mark === "acting" ? { acted: true } : { committed: true }),
        person: personOf(claimed, reporter, upload),
        login: (alias, phase) => (phase === "over" ? reporter.loggedIn(alias) : Effect.void)
      }
    }

    const carryOut = Effect.fnUntraced(function* (claimed: Claimed, reporter: Reporter, secrets: Secrets) {
      const { content } = claimed.version
      const accounts = yield* Effect.result(StoreUnavailable.waitUntilBack(openAccounts(claimed.run)))
      if (Result.isFailure(accounts)) {
        const error = yield* unopened(accounts.failure)
        return { _tag: "Failed", data: {}, errors: [error] } satisfies Outcome
      }
      const read = yield* Effect.result(SavedGraph.read(content))
      if (Result.isFailure(read)) {
        const error = yield* errorOf(RunSession.failureOfGraph(read.failure), null)
        return { _tag: "Failed", data: {}, errors: [error] } satisfies Outcome
      }
      const graph = read.success
      const dryRun = claimed.run.options.dry_run
      const begun = yield* Effect.result(
        StoreUnavailable.waitUntilBack(sessionOf(RunSession.ofRun(claimed, accounts.success.values())))
      )
      if (Result.isFailure(begun)) {
        const error = yield* errorOf(RunSession.failureOf(begun.failure), null)
        return { _tag: "Failed", data: {}, errors: [error] } satisfies Outcome
      }
      const { over, session } = begun.success
      const keeper = artifacts.of(claimed.run)
      for (const value of Session.secrets(session)) secrets.add(Redacted.value(value), "secret")
      const watching = observer(claimed, reporter, keeper)
      let committed = false
      const before: typeof watching.before = (mark) => {
        committed ||= mark === "committing"
        return watching.before(mark)
      }
      const recovering = yield* recoveryOf(claimed, reporter, secrets)
      const outcome = yield* Agent.run(
        {
          graph,
          inputs: claimed.run.input,
          outputSchema: content.output_schema,
          dryRun: dryRun?.enabled === true ? { addToOutput: asObject(dryRun.add_to_output) } : null,
          correctable: content.settings.enable_incorrect_form_input_recovery ?? false,
          manualCaptcha: content.settings.manual_captcha_solve ?? false,
          recovery: recovering.recovery,
          session,
          accounts: accounts.success,
          codes,
          secrets
        },
        evidence(claimed, secrets, keeper, reporter, { ...watching, ...recovering.observes, before, over }),
        limits
      ).pipe(
        Effect.provideService(Browser, browser),
        Effect.provideService(FileSource, sourceOfFiles),
        Effect.provideService(Model, model),
        Effect.provideService(Advisor, ModelAdvice.make(secrets)),
        Effect.provideService(ModelUse.ModelUse, ModelUse.make(budget, kept(claimed.run.id, secrets)))
      )
      yield* recovering.over
      if (outcome._tag === "Success") return { _tag: "Success", data: outcome.data } satisfies Outcome
      const code = yield* declaredCode(claimed, outcome.failure)
      const { failure } = outcome
      const requeued = code?.action !== "retry" && isRequeued(content.settings, failure)
      const message = requeued && committed ? `${failure.message}. ${notAgain}` : failure.message
      const error = yield* errorOf({ ...failure, message }, code)
      if (code?.action === "pause") yield* pause(claimed, code)
      const retry = code?.action === "retry" ? { retry: retryOf(code) } : requeued ? { retry: later } : {}
      const { failedLogin } = failure
      const login = failedLogin === null ? {} : { failedLogin }
      return { _tag: "Failed", data: outcome.data, errors: [error], ...retry, ...login } satisfies Outcome
    })

    /** A defect ends the attempt as itself, but without what the attempt knew to be secret. */
    const execute = Effect.fn("AgentExecutor.execute")((claimed: Claimed, reporter: Reporter) => {
      const secrets = new Secrets()
      return carryOut(claimed, reporter, secrets).pipe(
        Effect.provideService(Sandbox.Owner, claimed.run.workspaceId),
        Effect.tap((outcome) => forgetFailed(claimed.run, outcome)),
        Effect.catchDefect((defect) => Effect.die(new Error(secrets.describe(defect))))
      )
    })

    /** The failure of a run whose credential cannot be used: it ends before it opens a page. */
    const unopened = Effect.fnUntraced(function* ({ message, reason }: AccountUnavailable) {
      const code = "CREDENTIAL-E0001"
      return {
        error_id: yield* identifiers.uuid,
        message,
        created_at: iso(yield* Clock.currentTimeMillis),
        error_code: code,
        full_url: null,
        action_type: null,
        action_display_name: null,
        node_id: null,
        llm_error_category: kinds[code],
        original_error: reason
      } satisfies RunError
    })

    /** The error code that the failed node names, unless it has been removed since the workflow was saved. */
    const declaredCode = Effect.fnUntraced(function* ({ run }: Claimed, { errorCodeId }: Failure) {
      if (errorCodeId === null) return null
      return Option.getOrNull(yield* errorCodes.get(run.workspaceId, errorCodeId))
    })

    /** Pauses the workflow in the name of the user who saved the version with this error code. */
    const pause = ({ run, version }: Claimed, code: ErrorCode) =>
      gates
        .pause({ workspaceId: run.workspaceId, userId: version.createdBy, role: "Member" }, run.workflowId, {
          reason: `Paused by the error code ${code.name} of run ${run.id}`,
          until: null
        })
        .pipe(Effect.catchTag("WorkflowNotFound", () => Effect.void))

    const errorOf = Effect.fnUntraced(function* (failure: Failure, code: ErrorCode | null) {
      return {
        error_id: yield* identifiers.uuid,
        message: code === null ? failure.message : code.description || code.name,
        created_at: iso(yield* Clock.currentTimeMillis),
        error_code: code?.name ?? failure.code,
        full_url: failure.address,
        action_type: failure.node?.action ?? null,
        action_display_name: failure.node?.name ?? null,
        node_id: failure.node?.id ?? null,
        llm_error_category: failure.category,
        llm_error_sub_type: failure.subType,
        llm_error_description: failure.description,
        suggested_error_code: failure.suggestedErrorCode,
        original_error: code === null ? failure.original : failure.message,
        ...(failure.model === undefined ? {} : { llm_model: failure.model.name, prompt: failure.model.prompt })
      } satisfies RunError
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

/** As often as the workflow allows, each time after twice the time of the one before. */
const later: Retry = { times: null, delayMillis: null }

/** Why a run ends although a retry might have succeeded. */
const notAgain = "The run is not retried, because it passed a node that must not be repeated"

/** Whether a run that failed in a way that passes is to be tried again later. */
const isRequeued = (settings: Settings, { passing }: Failure): boolean =>
  passing && (settings.allow_requeue ?? settings.enable_service_unavailable_recovery ?? false)

const retryOf = ({ retries, retryAfterSeconds }: ErrorCode): Retry => ({
  times: retries,
  delayMillis: retryAfterSeconds === null ? null : Math.round(retryAfterSeconds * 1_000)
})

const asObject = (value: Schema.Json | undefined): Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Schema.JsonObject) : {}

const iso = (at: number): string => new Date(at).toISOString()
