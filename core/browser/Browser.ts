/**
 * The browser as the agent uses it: verbs of a person at a page, in four ports.
 *
 * Every verb is bounded in time.
 */
import { Context, type Effect, type Scope } from "effect"
import type { Elements } from "./Elements.ts"
import type { Navigation } from "./Navigation.ts"
import type { Observation } from "./Observation.ts"
import type { PageFailure } from "./PageFailure.ts"
import type { Session } from "./Session.ts"
import type { Vision } from "./Vision.ts"

/** One isolated session: its own cookies and storage, shared with no other run. Its verbs act on the active tab. */
export interface BrowserSession {
  readonly navigation: Navigation
  readonly elements: Elements
  readonly vision: Vision
  readonly observation: Observation
}

/** The ports of a session, by their names. */
export type Port = keyof BrowserSession

/** As much of a session as something needs. */
export type Using<P extends Port> = Pick<BrowserSession, P>

export class Browser extends Context.Service<
  Browser,
  {
    /**
     * Opens an isolated session with an empty page, with nothing but what is given. A cookie that browsers do not
     * accept is left out. When the scope closes, all state of the session is deleted.
     */
    readonly open: (session: Session) => Effect.Effect<BrowserSession, PageFailure, Scope.Scope>
  }
>()("sluice/core/browser/Browser") {}
