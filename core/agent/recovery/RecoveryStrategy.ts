/**
 * The input and the result of a recovery.
 */
import type { Effect, Result } from "effect"
import type { BrowserSession } from "../../browser/Browser.ts"
import type { Appearance } from "../../browser/element/Appearance.ts"
import type { Survey } from "../../browser/element/Survey.ts"
import type { Secrets } from "../../redaction/Secrets.ts"
import type { Graph, Node } from "../../workflow/language/graph/Graph.ts"
import type { Offer } from "../../workflow/patch/Patch.ts"
import type { StepFailed } from "../Failure.ts"
import type { Person } from "../Person.ts"
import type { Position } from "../Position.ts"
import type * as Memory from "../variables/Memory.ts"
import type { Classification } from "./Classification.ts"
import type { RecoverySettings } from "./RecoverySettings.ts"

/** The kinds of recoveries, in the order in which they are tried. */
export const kinds = ["unavailable", "timing", "popup", "demand", "form", "selector", "modal"] as const
export type Kind = (typeof kinds)[number]

/** Those that take a pop-up away. */
export const dismissals: ReadonlyArray<Kind> = ["popup", "modal"]

/** A step that acted on an element of the page, and that succeeded. */
export interface CompletedStep {
  readonly node: Exclude<Node, { action: "END" }>
  readonly position: Position
  readonly selector: string
}

/** A failed step and the present page. */
export interface FailedStep {
  readonly node: Node
  readonly failure: StepFailed
  readonly memory: Memory.Memory
  /** The page as the step sees it: an element that an earlier recovery found replaces the original one. */
  readonly page: BrowserSession
  readonly survey: Survey
  readonly classification: Classification
  /** The steps before that acted on elements, oldest first. */
  readonly trail: ReadonlyArray<CompletedStep>
  /** Whether an account was signed in earlier in the execution. */
  readonly signedIn: boolean
  /** How often the kind that is asked has been tried for this step. */
  readonly tried: number
}

/** What persons chose to be taken again, by the question that it answers. */
export type Choices = Map<string, string>

/** The context of recoveries, the same for all steps of an execution. */
export interface RecoveryContext {
  readonly graph: Graph
  readonly settings: RecoverySettings
  readonly person: Person
  readonly secrets: Secrets
  /** Whether a person may be asked for corrections. */
  readonly correctable: boolean
  /** Kept for the rest of the execution. */
  readonly choices: Choices
  /** The appearance of the element of a node when the node last succeeded. */
  readonly remembered: (node: Node) => Effect.Effect<Appearance | null>
  /** Does an earlier step again. */
  readonly redo: (
    step: CompletedStep,
    memory: Memory.Memory,
    page: BrowserSession
  ) => Effect.Effect<Result.Result<unknown, StepFailed>>
}

/** The report on a recovery. */
export interface Analysis {
  readonly node: Node
  readonly kind: Kind | "inputs" | "popup_xpaths"
  readonly classification: Classification
  /** The action that was taken, in a sentence. */
  readonly remedy: string
  readonly outcome: "success" | "failure"
  /** The reason given by a model; `null` where none was asked. */
  readonly byModel: string | null
  readonly popup: PopupFacts | null
}

/** Additional facts about a pop-up. */
export interface PopupFacts {
  readonly phase: "modal_decision_dispatched" | "popup_dismiss_verified"
  readonly action: string | null
  readonly label: string | null
  readonly responseMillis: number | null
  readonly host: string | null
  readonly signature: string
}

/** The result of a recovery that applies. */
export type Remedy =
  /** The step is tried again. */
  | {
      readonly _tag: "Again"
      readonly remedy: string
      readonly page?: BrowserSession
      readonly memory?: Memory.Memory
      readonly popup?: PopupFacts
      readonly byModel?: string
      /** The change of the workflow that would make the recovery unnecessary. */
      readonly offer?: Offer
    }
  /** Nothing helps: this is why. */
  | { readonly _tag: "End"; readonly remedy: string; readonly failure: StepFailed }

/** Answers `null` when it has nothing to offer for this trouble. */
export type RecoveryStrategy = (trouble: FailedStep, means: RecoveryContext) => Effect.Effect<Remedy | null>

/** Returns whether a failure is that an element could not be found or used. */
export const isAboutElement = ({ code }: StepFailed): boolean => code === "SELECTOR-E0001" || code === "SELECTOR-E0002"
