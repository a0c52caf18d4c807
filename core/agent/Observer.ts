/**
 * The port that observes a running execution.
 */
import type { Effect, Schema, Scope } from "effect"
import type { BrowserSession } from "../browser/Browser.ts"
import type { Download } from "../browser/file/DownloadPorts.ts"
import type { Shot } from "../browser/vision/Shot.ts"
import type { LoopTurn } from "../event/LoopTurn.ts"
import type { RunWarning } from "../event/RunWarning.ts"
import type { Node } from "../workflow/language/graph/Graph.ts"
import type { Offer } from "../workflow/patch/Patch.ts"
import type { PlainForm } from "../workflow/patch/PlainForm.ts"
import type { Outcome } from "./Outcome.ts"
import type { Person } from "./Person.ts"
import type { Analysis } from "./recovery/RecoveryStrategy.ts"

/** A picture and the step it shows. `error` when it shows why a step failed. */
export interface Picture extends Shot {
  readonly node: Node
  readonly error: boolean
  readonly fullPage: boolean
  readonly metadata: Schema.JsonObject
}

/** A file that a step downloaded. Its bytes can be read while the observer is called with it. */
export interface DownloadedFile extends Pick<Download, "fileName" | "mediaType"> {
  readonly node: Node
  readonly metadata: Schema.JsonObject
  readonly bytes: Download["bytes"]
}

/** Called during an execution. An observer that fails ends the execution with its failure. */
export interface Observer<E> {
  /**
   * A step begins. `following` is the step after it, where that does not depend on what happens. `loops` are the turns of
   * the loops around it, the outermost first.
   */
  readonly step: (node: Node, following: Node | null, loops: ReadonlyArray<LoopTurn>) => Effect.Effect<void, E>
  readonly picture: (picture: Picture) => Effect.Effect<void, E>
  /** A step is skipped, because its condition does not hold. No other method is called for it. */
  readonly skipped?: (node: Node, loops: ReadonlyArray<LoopTurn>) => Effect.Effect<void, E>
  /** A file was downloaded by a step that has ended. Returns why the file is not kept; `null` when it is kept. */
  readonly file?: (file: DownloadedFile) => Effect.Effect<string | null, E>
  /** A step that has succeeded was unsure of something. */
  readonly warned?: (warning: RunWarning) => Effect.Effect<void, E>
  /** Awaited before each step, including END: a person may have control of the page. */
  readonly hold?: Effect.Effect<void, E>
  /** Awaited before the first step that acts on the site, and before each that must not be repeated. */
  readonly before: (mark: "acting" | "committing", node: Node) => Effect.Effect<void, E>
  /** Awaited after each step that must not be repeated has succeeded. */
  readonly committed?: (node: Node) => Effect.Effect<void, E>
  /**
   * The login with a credential begins or ends. The beginning is awaited. Each phase is reported at most once per
   * credential.
   */
  readonly login?: (alias: string, phase: "begins" | "over") => Effect.Effect<void, E>
  /** A recovery of a failed step, or the dismissal of a pop-up, and whether it helped. */
  readonly analysed?: (analysis: Analysis) => Effect.Effect<void, E>
  /** A change of the workflow that would have made a recovery, or a model, unnecessary. */
  readonly offered?: (offer: Offer) => Effect.Effect<void, E>
  /** A plain form did not do the step that it was offered for. */
  readonly misled?: (form: PlainForm) => Effect.Effect<void, E>
  /** Answers the questions of the execution. */
  readonly person: Person
  /** The session was opened. Fibers forked in the scope end with the session. */
  readonly opened?: (page: BrowserSession) => Effect.Effect<void, E, Scope.Scope>
  /** The page when a node begins, also when END succeeds, and again when a node has failed. */
  readonly seen?: (page: BrowserSession, node: Node, moment: "begins" | "failed") => Effect.Effect<void, E>
  /** How the execution ended, while its session is still open. Not called if it is interrupted. */
  readonly over?: (page: BrowserSession, outcome: Outcome) => Effect.Effect<void, E>
}
