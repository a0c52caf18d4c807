/**
 * The script of the page that shows a run: reads the stream, and passes on what a person does while they have control.
 */
import { listen as listenToControl } from "./Control.ts"
import { hint, say } from "./Elements.ts"
import { listen as listenToGestures } from "./Gestures.ts"
import { enterWith, isIn, trade } from "./Service.ts"
import { follow } from "./Watching.ts"

const enter = async (token: string): Promise<void> => {
  if (isIn()) return
  const { body, ok } = await trade(token)
  if (!ok || body.ticket === undefined) {
    say("Not connected")
    hint(body.message ?? "")
    return
  }
  enterWith(body.ticket)
  await follow()
}

listenToControl()
listenToGestures()

const given = new URLSearchParams(location.hash.slice(1))
const [ticket, token] = [given.get("view"), given.get("token")]
history.replaceState(null, "", location.pathname)
if (ticket !== null) {
  enterWith(ticket)
  follow()
} else if (token !== null) enter(token)
else {
  say("Not connected")
  hint("This view needs a token: GET /live/sessions/{session_id}/connection returns an address with one")
}

addEventListener("message", ({ data }) => {
  if (data !== null && typeof data === "object" && typeof data.authToken === "string") enter(data.authToken)
})
