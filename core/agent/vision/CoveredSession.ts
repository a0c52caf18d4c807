/**
 * A session whose pictures cover passwords and what the secrets of a run hide in texts. Where the page cannot be searched for
 * them, there is no picture.
 */
import type { BrowserSession } from "../../browser/Browser.ts"
import type { Secrets } from "../../redaction/Secrets.ts"
import * as PageView from "./PageView.ts"

export const make = (session: BrowserSession, secrets: Secrets): BrowserSession => {
  const { elements, observation } = session
  // A run that knows no secret yet may know one at its next picture.
  const covered = () => (secrets.isEmpty ? undefined : PageView.coveredBy(secrets))
  return {
    ...session,
    observation: { ...observation, glimpse: () => observation.glimpse(covered()) },
    elements: {
      ...elements,
      screenshot: (query, framing) => elements.screenshot(query, { ...framing, covered: covered() })
    }
  }
}
