/** Accepts runs of the latest version of a workflow. */
import { Effect, Schema } from "effect"
import * as Gate from "../../gate/Gate.ts"
import { Signals } from "../../runtime/Signals.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import * as Trace from "../../runtime/Trace.ts"
import { VaultEntries } from "../../vault/VaultEntries.ts"
import { inOneSentence } from "../../window/Problems.ts"
import { RunWindowIssue } from "../../window/RunWindow.ts"
import * as InputContract from "../../workflow/contract/InputContract.ts"
import * as FieldLimit from "../../workflow/FieldLimit.ts"
import type { Problem } from "../../workflow/Workflow.ts"
import { type RunTerms, WorkflowStore } from "../../workflow/WorkflowStore.ts"
import { WorkflowId, WorkflowNotFound } from "../../workspace/Ids.ts"
import type { Caller } from "../../workspace/Workspace.ts"
import * as Run from "../Run.ts"
import { type GatedRun, type ReferenceTaken, RunStore } from "../RunStore.ts"
import * as CredentialCheck from "./CredentialCheck.ts"
import * as Drafting from "./Drafting.ts"

/** A submission: a workflow, its input and how to run it. */
export interface Request extends Partial<Run.Terms> {
  /** A text that is no id is that of no workflow; `null` where the submission names none, as `problems` say. */
  readonly workflowId: string | null
  readonly input: Schema.JsonObject
  readonly options: Run.Options
  /** Problems that were found in the rest of it. If there are any, the submission is refused with all of them. */
  readonly problems?: ReadonlyArray<Problem>
}

/** Raised for a submission that has more wrong than its input or its workflow. */
export class InvalidSubmission extends Schema.TaggedError<InvalidSubmission>()("InvalidSubmission", {
  /** All that is wrong, the errors of the input included. */
  problems: Schema.Array(RunWindowIssue),
  errors: Schema.Array(InputContract.InputError),
  inputSchema: Schema.JsonObject
}) {
  override get message() {
    return inOneSentence(this.problems)
  }
}

/** What `Runs.submit` does. */
export const make = Effect.gen(function* () {
  const runs = yield* RunStore
  const workflows = yield* WorkflowStore
  const { draft } = yield* Drafting.make
  const signals = yield* Signals
  const entries = yield* VaultEntries

  /** The problems of a submission that neither its workflow nor its input has. */
  const others = Effect.fnUntraced(function* ({ workspaceId }: Caller, { options, problems = [] }: Request) {
    const added = options.dryRun?.addToOutput
    const tooLarge = added === undefined ? [] : yield* runs.weigh(workspaceId, added)
    return [...problems, ...FieldLimit.asProblems(tooLarge)]
  })

  const submitWith = Effect.fnUntraced(function* (
    version: RunTerms,
    caller: Caller,
    request: Request & { readonly workflowId: WorkflowId }
  ) {
    const { content } = version
    const { problems = [], ...submitted } = request
    // An input that has not even its form breaks every rule of the schema.
    const isFormless = problems.some(({ path }) => path.split(".")[0] === "run_input_variables")
    const errors = isFormless
      ? []
      : [
          ...(yield* Drafting.checkInput(caller.workspaceId, version, request.input)),
          ...(yield* CredentialCheck.errors(entries, caller.workspaceId, content, request.input))
        ]
    const submission = yield* draft(version, {
      ...submitted,
      workspaceId: caller.workspaceId,
      options: { ...request.options, ...(yield* Trace.origin), ...Run.submittedBy(caller) }
    })
    if (errors.length === 0 && problems.length === 0) return yield* runs.submit(submission)
    const more = yield* others(caller, request)
    const inputSchema = InputContract.effectiveSchema(content)
    if (more.length === 0) return yield* new InputContract.InvalidInput({ errors, inputSchema })
    return yield* new InvalidSubmission({
      problems: [...more, ...errors.map(InputContract.asProblem)],
      errors,
      inputSchema
    })
  })

  const again = (
    caller: Caller,
    request: Request & { readonly workflowId: WorkflowId }
  ): Effect.Effect<
    GatedRun,
    | WorkflowNotFound
    | FieldLimit.FieldsTooLarge
    | ReferenceTaken
    | InputContract.InvalidInput
    | InvalidSubmission
    | StoreUnavailable
  > =>
    Effect.gen(function* () {
      const { canary, version } = yield* workflows.get(caller.workspaceId, request.workflowId)
      return yield* submitWith({ ...version, canary }, caller, request)
    }).pipe(Effect.catchTag("VersionOutdated", () => again(caller, request)))

  const submitTo = Effect.fnUntraced(function* (
    caller: Caller,
    request: Request & { readonly workflowId: WorkflowId }
  ) {
    // The version may not be the latest any more; then it is found out, and asked for again.
    const recent = yield* workflows.recentTerms(caller.workspaceId, request.workflowId)
    const refused = Effect.fnUntraced(function* (error: InputContract.InvalidInput | InvalidSubmission) {
      const { version } = yield* workflows.get(caller.workspaceId, request.workflowId)
      // Checked once more by another version only: a check may take seconds.
      return yield* version.versionId === recent.versionId ? error : again(caller, request)
    })
    const { run, gate } = yield* submitWith(recent, caller, request).pipe(
      Effect.catchTags({
        VersionOutdated: () => again(caller, request),
        InvalidInput: refused,
        InvalidSubmission: refused
      })
    )
    const mayStart = Gate.mayStart(gate, run.createdAt)
    yield* signals.publish({ _tag: mayStart ? "work" : "due" })
    // The scheduler may have to end it before anything else is due.
    if (mayStart && run.startBy !== null) yield* signals.publish({ _tag: "due" })
    yield* signals.publish({ _tag: "events" })
    return run
  })

  /** Without a workflow there is no contract for the input; everything else is checked all the same. */
  const nowhere = Effect.fnUntraced(function* (caller: Caller, request: Request, notFound: WorkflowNotFound | null) {
    const more = yield* others(caller, request)
    if (notFound !== null && more.length === 0) return yield* notFound
    const unknown = notFound === null ? [] : [{ path: "workflow_id", message: notFound.message }]
    return yield* new InvalidSubmission({ problems: [...more, ...unknown], errors: [], inputSchema: {} })
  })

  return Effect.fnUntraced(function* (caller: Caller, request: Request) {
    const { workflowId } = request
    if (workflowId === null) return yield* nowhere(caller, request, null)
    if (!isWorkflowId(workflowId)) return yield* nowhere(caller, request, new WorkflowNotFound({ workflowId }))
    return yield* submitTo(caller, { ...request, workflowId }).pipe(
      Effect.catchTag("WorkflowNotFound", (notFound) => nowhere(caller, request, notFound))
    )
  })
})

const isWorkflowId = Schema.is(WorkflowId)
