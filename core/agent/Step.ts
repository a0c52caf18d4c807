/**
 * The inputs and results of an action. Each action is one function in the folder `action`.
 */
import type { Effect, Schema } from "effect"
import type { Port, SessionParts } from "../browser/Browser.ts"
import type { Download } from "../browser/file/DownloadPorts.ts"
import type { Shot } from "../browser/vision/Shot.ts"
import type { LoginCodes } from "../vault/otp/LoginCodes.ts"
import type { AllowedSites } from "../workflow/AllowedSites.ts"
import type { ActionName } from "../workflow/language/graph/Action.ts"
import type { NodeOf } from "../workflow/language/graph/Graph.ts"
import type { Compiling } from "./compile/Compiling.ts"
import type { StepFailed } from "./Failure.ts"
import type { NetworkRecorder } from "./network/NetworkRecorder.ts"
import type { Person, Question } from "./Person.ts"
import type { Memory } from "./variables/Memory.ts"
import type { Warning } from "./Warning.ts"

/** The context of one step, with the parts of the session that its action needs. */
export interface StepContext<P extends Port = Port> {
  readonly page: SessionParts<P>
  readonly memory: Memory
  /** Passes on a screenshot that the workflow asked for. */
  readonly shoot: (
    shot: Shot,
    options: { readonly fullPage: boolean; readonly metadata: Schema.JsonObject }
  ) => Effect.Effect<void>
  /** Passes on a file that the workflow asked for. */
  readonly keep: (file: Download, metadata: Schema.JsonObject) => Effect.Effect<void>
  /** Reports what the step is unsure of. In a strict execution the step fails by it. */
  readonly warn: (warning: Warning) => Effect.Effect<void, StepFailed>
  /** Finds the plain form of what a model does in the step. */
  readonly compiling: Compiling
  /** Asks a person, and waits. */
  readonly ask: (question: Omit<Question, "node">) => ReturnType<Person["ask"]>
  /** The option that a person named in place of the one that the list does not have. */
  readonly option: string | null
  /** The content of the region that the step waits for, before the last action; `null` where it waits for none. */
  readonly regionBefore: string | null
  /** The recorded network responses; `null` where the graph does not read them. */
  readonly heard: NetworkRecorder | null
  /** Whether a person may be asked to solve a captcha. */
  readonly manualCaptcha: boolean
  /** The source of one-time codes; `null` where a person is asked for each. */
  readonly codes: LoginCodes["Service"] | null
  /** The sites that it may visit. They also bound the requests that actions make outside of pages. */
  readonly allowedSites: AllowedSites
  /** When the attempt began. Codes sent before it are not for this login. */
  readonly began: number
}

/** The effects of a step that decide which edge is followed. */
export type Done =
  | { readonly _tag: "Next" }
  /** It added values to the context. */
  | { readonly _tag: "Found"; readonly found: Schema.JsonObject; readonly overwrite: ReadonlySet<string> }
  /** A person answered. */
  | { readonly _tag: "Answered"; readonly answer: Schema.JsonObject }
  /** It decided a condition. */
  | { readonly _tag: "Decided"; readonly holds: boolean }
  /** It changed the data of the run. */
  | { readonly _tag: "Rewrote"; readonly data: Schema.JsonObject; readonly answers: Schema.JsonObject }
  /** The condition under which it is done did not hold. */
  | { readonly _tag: "Skipped" }

export const next: Done = { _tag: "Next" }

/** The function of one action, with the ports of the session that it needs. */
export type Action<A extends ActionName, P extends Port = never> = (
  node: NodeOf<A>,
  context: StepContext<P>
) => Effect.Effect<Done, StepFailed>
