/**
 * The browser as the agent uses it: verbs of a person at a page.
 *
 * Every verb is bounded in time. A verb on an element waits until exactly one element matches, and until that is visible,
 * enabled and still; it never waits a fixed time. A selector is an XPath, or `css=`, `role=` or `text=` and a selector of
 * that kind.
 */
import { Context, type Effect, type Schema, type Scope } from "effect"
import type { Begun, Exchange } from "./Exchange.ts"
import type { ExtractionPlan } from "./element/Extraction.ts"
import type { Inspection } from "./element/Inspection.ts"
import type { ClickKind, Target } from "./element/Target.ts"
import type { Transfers } from "./file/Transfers.ts"
import type { PageFailure } from "./PageFailure.ts"
import type { Requests } from "./Requests.ts"
import type { Remembered, Session } from "./Session.ts"
import type { Gesture } from "./vision/Pointer.ts"
import type { RemoteHand } from "./vision/RemoteHand.ts"
import type { Screencast } from "./vision/Screencast.ts"
import type { Scrolling } from "./vision/Scrolling.ts"
import type { Framing, Shot } from "./vision/Shot.ts"
import type { Sight } from "./vision/Sight.ts"
import type { Typing } from "./vision/Typing.ts"
import type { Windows } from "./Windows.ts"

/** What a page shows of a field for a one-time code. */
export interface CodeField {
  /** How many elements match. */
  readonly matched: number
  /** Whether the first one is a box for a single character. */
  readonly split: boolean
  /** Whether the first one can be seen and typed into. */
  readonly shown: boolean
  readonly empty: boolean
  /** What is complained about it: that it is marked as invalid, and the texts of errors near it. */
  readonly complaint: string
  /** Names the document; another one after every load. */
  readonly document: string
  /** Whether the document is still being read. */
  readonly loading: boolean
}

/** One page of one isolated session: its own cookies and storage, shared with no other run. */
export interface Page extends Windows, Scrolling, Transfers, Inspection, RemoteHand, Screencast, Sight, Requests {
  /** Loads an address and waits for its document. */
  readonly goto: (url: string) => Effect.Effect<void, PageFailure>
  readonly back: Effect.Effect<void, PageFailure>
  /** The address of the page, also when it has crashed. */
  readonly address: Effect.Effect<string>
  /** The whole document as HTML, without scripts and styles when `sanitized`. */
  readonly html: (options: { readonly sanitized: boolean }) => Effect.Effect<string, PageFailure>
  /** Clicks, or hovers. With a gesture, the mouse gets there as a hand would move it. */
  readonly click: (target: Target, kind: ClickKind, gesture?: Gesture) => Effect.Effect<void, PageFailure>
  /** Types into an element, or where the focus is when there is no target. */
  readonly type: (target: Target | null, typing: Typing) => Effect.Effect<void, PageFailure>
  /** Chooses the option whose value, or else whose text, is `value`; with `fuzzy`, the one that is most like it. */
  readonly select: (target: Target, value: string, fuzzy: boolean) => Effect.Effect<void, PageFailure>
  /** Waits until exactly one element matches. */
  readonly find: (target: Target) => Effect.Effect<void, PageFailure>
  /** What the page shows at this moment of the field for a code. */
  readonly codeField: (selector: string) => Effect.Effect<CodeField, PageFailure>
  /** The text of the first match, waiting for one; `null` when there is none in time. An attribute has its value as text. */
  readonly read: (target: Target) => Effect.Effect<string | null, PageFailure>
  /** Carries out a plan in one visit to the page. */
  readonly extract: (plan: ExtractionPlan) => Effect.Effect<Schema.Json, PageFailure>
  readonly clearCookies: Effect.Effect<void, PageFailure>
  readonly screenshot: (framing: Framing) => Effect.Effect<Shot, PageFailure>
  /** What the page shows at this moment, at the least cost, also while it is loading something else. */
  readonly glimpse: Effect.Effect<Shot, PageFailure>
  /**
   * The whole page as one HTML document that shows what a person sees and does nothing: documents of frames, of
   * other origins too, and open shadow roots in their places, what stands in fields as attributes (never what stands in a password
   * field), no script. Larger than `maxBytes`, the rest is left out, and the document says so.
   */
  readonly snapshot: (options: { readonly maxBytes: number }) => Effect.Effect<string, PageFailure>
  /**
   * Reports every request of the session from now on, once it is answered or has failed, until the scope closes.
   * Closing waits briefly for answers that are still being read, and then reports the unfinished requests.
   */
  readonly watchNetwork: (
    tell: (exchange: Exchange) => void,
    options?: {
      /** Called for each request when it begins. The later exchange has the same address and instant. */
      readonly begun?: (request: Begun) => void
      /** Maximum length of an answer that is reported with its text, in bytes. */
      readonly largestBody?: number
    }
  ) => Effect.Effect<void, never, Scope.Scope>
  /**
   * All cookies that the session has, and the storage of those of its origins that are `wanted`. The session is of no
   * other use afterwards: the page may be another one.
   */
  readonly remembered: (wanted: (origin: string) => boolean) => Effect.Effect<Remembered, PageFailure>
}

export class Browser extends Context.Service<
  Browser,
  {
    /**
     * Opens an isolated session with an empty page, with nothing but what is given. A cookie that browsers do not accept
     * is left out. When the scope closes, nothing of the session is left.
     */
    readonly open: (session: Session) => Effect.Effect<Page, PageFailure, Scope.Scope>
  }
>()("sluice/core/browser/Browser") {}
