/**
 * The page that shows a run while it goes on. It is the same for every run: which one it shows stands in its address,
 * and what lets it in stands in the fragment, which is sent to no server, or is posted by the page around it.
 */
import { createHash } from "node:crypto"

const style = `
  :root { color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif }
  body { margin: 0; min-height: 100vh; display: flex; flex-direction: column }
  header { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: .6rem 1rem; border-bottom: 1px solid #8884 }
  #status { font-weight: 600 }
  main { flex: 1; display: grid; place-items: center; padding: 1rem; min-height: 0 }
  img { max-width: 100%; max-height: calc(100vh - 5rem); border: 1px solid #8884; border-radius: 4px }
  [hidden] { display: none }
`

const script = `
  const element = (id) => document.getElementById(id)
  const words = {
    "execution.queued": "Waiting to start", "execution.requeued": "Waiting to be tried again",
    "execution.paused": "Held", "execution.start": "Running", "execution.success": "Succeeded",
    "execution.failed": "Failed", "execution.stopped": "Stopped"
  }
  const path = location.pathname.replace(/\\/$/, "") + "/view"
  let ticket = null
  let seen = { event: 0, frame: 0 }
  let misses = 0

  const say = (text) => { element("status").textContent = text }
  const hint = (text) => { element("hint").textContent = text; element("hint").hidden = false; element("picture").hidden = true }

  const look = async () => {
    const answer = await fetch(path + "?event=" + seen.event + "&frame=" + seen.frame, {
      headers: { authorization: "Bearer " + ticket }, cache: "no-store"
    })
    const body = await answer.json()
    if (!answer.ok) { say("Not connected"); hint(body.message); return answer.status >= 500 }
    ticket = body.ticket
    seen = body.seen
    say(words[body.status] || body.status)
    if (body.step !== null) element("step").textContent = body.step
    if (body.picture !== null) {
      element("picture").src = body.picture
      element("picture").hidden = false
      element("hint").hidden = true
    }
    return !body.ended
  }

  const follow = async () => {
    while (true) {
      try {
        if (!(await look())) return
        misses = 0
      } catch {
        misses++
        say("Connection lost, trying again")
      }
      await new Promise((resume) => setTimeout(resume, Math.min(1000 * 2 ** misses, 15000)))
    }
  }

  const enter = async (token) => {
    if (ticket !== null) return
    const answer = await fetch(path, {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ token })
    })
    const body = await answer.json()
    if (!answer.ok) { say("Not connected"); hint(body.message); return }
    ticket = body.ticket
    follow()
  }

  const given = new URLSearchParams(location.hash.slice(1))
  history.replaceState(null, "", location.pathname)
  if (given.has("view")) { ticket = given.get("view"); follow() }
  else if (given.has("token")) enter(given.get("token"))
  else {
    say("Not connected")
    hint("This view needs a token: GET /live/sessions/{session_id}/connection answers an address with one")
  }
  addEventListener("message", ({ data }) => {
    if (data !== null && typeof data === "object" && typeof data.authToken === "string") enter(data.authToken)
  })
`

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

/** What the page may do: its own script and style, pictures that it was given, and questions to where it came from. */
export const policy = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(style)}`,
  "img-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors *"
].join("; ")

export const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Live view of a run</title>
<style>${style}</style>
</head>
<body>
<header role="status"><span id="status">Connecting</span><span id="step"></span></header>
<main><img id="picture" alt="The page that the run is at" hidden><p id="hint">Waiting for the first picture</p></main>
<script>${script}</script>
</body>
</html>
`
