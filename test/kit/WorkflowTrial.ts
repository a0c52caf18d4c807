/**
 * Tries workflows in code on pages that are written as data, without a service and without Chromium.
 */
import { Clock, Effect, Redacted, type Schema } from "effect"
import * as Agent from "../../core/agent/Agent.ts"
import type { Outcome } from "../../core/agent/Outcome.ts"
import type { Person } from "../../core/agent/Person.ts"
import { nothing } from "../../core/agent/recovery/ElementMemory.ts"
import * as Recovery from "../../core/agent/recovery/RecoverySettings.ts"
import * as Session from "../../core/browser/Session.ts"
import { Secrets } from "../../core/redaction/Secrets.ts"
import type { Account } from "../../core/vault/Account.ts"
import * as Code from "../../core/workflow/code/WorkflowCode.ts"
import * as SaveBody from "../../core/workflow/SaveBody.ts"
import * as SavedGraph from "../../core/workflow/SavedGraph.ts"
import { UserId, WorkspaceId } from "../../core/workspace/Ids.ts"
import * as ScriptedBrowser from "./browser/ScriptedBrowser.ts"
import { vaultEntry } from "./contracts/Fixtures.ts"

/** The secrets of a credential. */
export interface Credential {
  readonly userName?: string
  readonly password?: string
}

/** What a run is given. */
export interface Given {
  readonly inputs?: Schema.JsonObject
  /** The credentials by their aliases. */
  readonly credentials?: Readonly<Record<string, Credential>>
  /** The network of the site beside its pages. */
  readonly network?: ScriptedBrowser.ScriptedNetwork
  /** The answers of a person to the questions of the run. Nobody answers when left out. */
  readonly answers?: Schema.JsonObject
}

/** How a run ended, and the names of the steps before its END in their order. */
export interface Trial {
  readonly outcome: Outcome
  readonly steps: ReadonlyArray<string>
}

/**
 * Checks a workflow as a save does, then runs it on a site. A page lists its elements by the selectors of the workflow.
 * Fails with `InvalidWorkflow` or `FieldsTooLarge` for a workflow that could not be saved. Codes of a second factor are
 * not made: a step that needs one fails.
 */
export const run = Effect.fnUntraced(function* (
  code: Code.WorkflowCode,
  site: ScriptedBrowser.ScriptedSite,
  { answers, credentials = {}, inputs = {}, network }: Given = {}
) {
  const draft = SaveBody.read(Code.body(code), yield* Clock.currentTimeMillis)
  yield* Effect.fromResult(SaveBody.verdict(draft, null))
  const graph = yield* SavedGraph.read(draft.content)
  const steps: Array<string> = []
  const accounts = Object.entries(credentials).map(([alias, secrets]) =>
    accountOf(alias, secrets, draft.content.vault_schema)
  )
  const outcome = yield* Agent.run(
    {
      graph,
      inputs,
      outputSchema: draft.content.output_schema,
      dryRun: null,
      correctable: false,
      recovery: { settings: Recovery.of(draft.content.settings), memories: nothing },
      accounts: new Map(accounts.map((account) => [account.alias, account])),
      codes: null,
      secrets: new Secrets(),
      session: Session.empty,
      strict: draft.content.settings.strict ?? false
    },
    {
      step: (node) => Effect.sync(() => void steps.push(node.name)),
      picture: () => Effect.void,
      before: () => Effect.void,
      person: personWith(answers ?? null)
    }
  ).pipe(Effect.provide(ScriptedBrowser.layer(site, network)))
  return { outcome, steps } satisfies Trial
})

const personWith = (answers: Schema.JsonObject | null): Person => ({
  ask: () => Effect.succeed(answers),
  correct: () => Effect.succeed(null),
  approve: () => Effect.succeed(answers === null ? { _tag: "Unanswered" } : { _tag: "Approved" })
})

const caller = {
  workspaceId: WorkspaceId.make("00000000-0000-4000-8000-000000000001"),
  userId: UserId.make("00000000-0000-4000-8000-000000000002")
}

const accountOf = (alias: string, { password, userName }: Credential, vault: Schema.JsonObject): Account => {
  const redacted = (value: string | undefined) => (value === undefined ? null : Redacted.make(value))
  const { domain } = vault[alias] as { readonly domain: string }
  return {
    alias,
    entry: vaultEntry(caller, {}, { domain, permissionedUserId: alias }),
    secrets: Effect.succeed({ userName: redacted(userName), password: redacted(password), tfaSecret: null })
  }
}
