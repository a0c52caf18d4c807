/** Sessions of a browser with some of their verbs replaced. */
import type { BrowserSession, Port } from "../../core/browser/Browser.ts"

export const altered = (
  session: BrowserSession,
  verbs: { readonly [P in Port]?: Partial<BrowserSession[P]> }
): BrowserSession => ({
  navigation: { ...session.navigation, ...verbs.navigation },
  elements: { ...session.elements, ...verbs.elements },
  vision: { ...session.vision, ...verbs.vision },
  observation: { ...session.observation, ...verbs.observation }
})
