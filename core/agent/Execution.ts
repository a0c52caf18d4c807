/**
 * The input of the agent.
 */
import type { Schema } from "effect"
import type { Session } from "../browser/Session.ts"
import type { Secrets } from "../redaction/Secrets.ts"
import type { Account } from "../vault/Account.ts"
import type { LoginCodes } from "../vault/otp/LoginCodes.ts"
import type { Graph } from "../workflow/language/graph/Graph.ts"
import type { PlainForm } from "../workflow/patch/PlainForm.ts"
import type { Memories } from "./recovery/ElementMemory.ts"
import type { RecoverySettings } from "./recovery/RecoverySettings.ts"

/** The graph and its inputs. */
export interface Execution {
  readonly graph: Graph
  readonly inputs: Schema.JsonObject
  readonly outputSchema: Schema.JsonObject
  /** Present in a dry run: the value that is added to its output. */
  readonly dryRun: { readonly addToOutput: Schema.Json } | null
  /** Whether a person may correct inputs that a step cannot use. */
  readonly correctable: boolean
  /** The recoveries that it may try, and the fingerprints of elements; no recovery where it is omitted. */
  readonly recovery?: { readonly settings: RecoverySettings; readonly memories: Memories }
  /** The plain forms that steps of a model are done by; absent where the workflow does without them. */
  readonly plainForms?: ReadonlyArray<PlainForm>
  /** The credentials that it signs in with, by the aliases that the graph knows them by. */
  readonly accounts: ReadonlyMap<string, Account>
  /** Whether a step fails by its first warning. @default {false} */
  readonly strict?: boolean
  /** Whether a person may be asked to solve a captcha. @default {false} */
  readonly manualCaptcha?: boolean
  /** The source of its one-time codes; `null` when a person is asked for each. */
  readonly codes: LoginCodes["Service"] | null
  /** Collects secrets that the execution learns, and hides them in the outcome and in all reports to observers. */
  readonly secrets: Secrets
  /** The initial state of the browser. */
  readonly session: Session
  /** The alias of the credential that it only signs in with: it ends as soon as the site has let the account in. */
  readonly signInOnly?: string
}
