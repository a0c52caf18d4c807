/**
 * The script of the page that shows a run: reads the stream, and passes on what a person does while they have control.
 */
export const script = `
  const element = (id) => document.getElementById(id)
  const words = {
    "execution.queued": "Waiting to start", "execution.requeued": "Waiting to be tried again",
    "execution.paused": "Held", "execution.start": "Running", "execution.success": "Succeeded",
    "execution.failed": "Failed", "execution.stopped": "Stopped"
  }
  const path = location.pathname.replace(/\\/$/, "")
  const picture = element("picture")
  const button = element("control")
  const me = Array.from(crypto.getRandomValues(new Uint8Array(18)), (byte) => (byte % 36).toString(36)).join("")
  let ticket = null
  let mine = false
  const shown = []
  let misses = 0
  let lastAct = 0

  const say = (text) => { if (element("status").textContent !== text) element("status").textContent = text }
  const hint = (text) => { element("hint").textContent = text; element("hint").hidden = false }
  const note = (text) => { element("note").textContent = text }

  const send = async (what, body) => {
    const answer = await fetch(path + "/" + what, {
      method: "POST",
      headers: { authorization: "Bearer " + ticket, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    return { ok: answer.ok, status: answer.status, body: await answer.json() }
  }

  /* What is told, and what is seen. */

  const show = (bytes) => {
    /* One that comes before the one before it was drawn takes its place: that one is never told to be loaded. */
    shown.push(URL.createObjectURL(new Blob([bytes], { type: "image/jpeg" })))
    picture.onload = () => { while (shown.length > 1) URL.revokeObjectURL(shown.shift()) }
    picture.src = shown[shown.length - 1]
    picture.hidden = false
    element("hint").hidden = true
    picture.dataset.frames = String(Number(picture.dataset.frames || "0") + 1)
  }

  const own = (is) => {
    if (mine === is) return
    mine = is
    document.body.classList.toggle("mine", is)
    picture.tabIndex = is ? 0 : -1
    picture.setAttribute("role", is ? "application" : "img")
    button.textContent = is ? "Give back control" : "Take control"
    button.setAttribute("aria-pressed", String(is))
    if (is) picture.focus()
    else held.clear()
  }

  const hear = (told) => {
    ticket = told.ticket
    const others = told.holder !== null && told.holder !== me
    say((words[told.status] || told.status) + (told.holder === null || told.ended ? "" : others ? ", somebody has control" : ", in your hands"))
    if (told.step !== null) element("step").textContent = told.step
    button.hidden = !told.may_control || told.ended || told.status !== "execution.start"
    button.disabled = others
    if (mine && told.holder !== me) { own(false); note("You do not have control any more; the run goes on") }
    return !told.ended
  }

  const watch = async () => {
    const answer = await fetch(path + "/view", { headers: { authorization: "Bearer " + ticket }, cache: "no-store" })
    if (!answer.ok) {
      say("Not connected")
      hint((await answer.json()).message)
      return answer.status >= 500 || answer.status === 429
    }
    const reader = answer.body.getReader()
    let rest = new Uint8Array()
    let goesOn = true
    while (true) {
      const { done, value } = await reader.read()
      if (done) return goesOn
      misses = 0
      const all = new Uint8Array(rest.length + value.length)
      all.set(rest)
      all.set(value, rest.length)
      let at = 0
      while (all.length - at >= 5) {
        const length = new DataView(all.buffer, at).getUint32(1)
        if (all.length - at - 5 < length) break
        const content = all.slice(at + 5, at + 5 + length)
        if (all[at] === 1) goesOn = hear(JSON.parse(new TextDecoder().decode(content)))
        else show(content)
        at += 5 + length
      }
      rest = all.slice(at)
    }
  }

  const follow = async () => {
    while (true) {
      try {
        if (!(await watch())) { own(false); return }
      } catch {
        say("Connection lost, trying again")
      }
      misses++
      await new Promise((resume) => setTimeout(resume, Math.min(250 * 2 ** misses, 15000)))
    }
  }

  /* Control, and what a person does. */

  const idleMillis = 300000

  const take = async () => {
    const { body, ok } = await send("control", { action: "take", holder: me })
    if (ok) lastAct = Date.now()
    own(ok)
    note(ok ? "The run waits before its next step. Shift and Escape leave the picture." : body.message)
  }
  const release = async () => {
    await flush()
    await send("control", { action: "release", holder: me })
    own(false)
    note("The run goes on")
  }
  const keep = async () => {
    if (!mine) return
    if (Date.now() - lastAct > idleMillis) { release(); return }
    const { body, ok } = await send("control", { action: "take", holder: me })
    if (!ok) { own(false); note(body.message) }
  }
  setInterval(() => { keep().catch(() => {}) }, 4000)
  button.addEventListener("click", () => {
    button.disabled = true
    ;(mine ? release() : take()).catch(() => note("That did not work; try again")).finally(() => { button.disabled = false })
  })
  addEventListener("pagehide", () => {
    if (!mine) return
    fetch(path + "/control", {
      method: "POST", keepalive: true,
      headers: { authorization: "Bearer " + ticket, "content-type": "application/json" },
      body: JSON.stringify({ action: "release", holder: me })
    }).catch(() => {})
  })

  let waiting = []
  let sending = null
  const flush = () => {
    sending = sending || (async () => {
      while (waiting.length > 0 && mine) {
        const gestures = waiting.splice(0, 100)
        const { body, ok, status } = await send("gestures", { holder: me, gestures }).catch(() => ({ ok: true }))
        if (!ok && status === 409) { own(false); note(body.message) }
      }
      waiting = []
    })().finally(() => { sending = null })
    return sending
  }
  const act = (gesture) => {
    if (!mine) return
    lastAct = Date.now()
    const last = waiting[waiting.length - 1]
    if (gesture.kind === "move" && last && last.kind === "move") waiting[waiting.length - 1] = gesture
    else waiting.push(gesture)
    flush()
  }
  const placed = (event) => {
    const box = picture.getBoundingClientRect()
    const within = (share) => Math.min(Math.max(share, 0), 1)
    return { x: within((event.clientX - box.left) / box.width), y: within((event.clientY - box.top) / box.height) }
  }
  const buttons = ["left", "middle", "right"]
  let moved = 0
  const pressed = (kind) => (event) => {
    if (!mine || event.button > 2) return
    event.preventDefault()
    if (kind === "press") { picture.focus(); picture.setPointerCapture(event.pointerId) }
    act({ kind, ...placed(event), button: buttons[event.button], clicks: clicks(kind, event) })
  }
  let press = { at: 0, x: 0, y: 0, count: 0 }
  const clicks = (kind, event) => {
    if (kind === "release") return Math.max(press.count, 1)
    const again = event.timeStamp - press.at < 500 && Math.hypot(event.clientX - press.x, event.clientY - press.y) < 6
    press = { at: event.timeStamp, x: event.clientX, y: event.clientY, count: again ? Math.min(press.count + 1, 3) : 1 }
    return press.count
  }
  picture.addEventListener("pointerdown", pressed("press"))
  picture.addEventListener("pointerup", pressed("release"))
  picture.addEventListener("pointermove", (event) => {
    if (!mine || event.timeStamp - moved < 40) return
    moved = event.timeStamp
    act({ kind: "move", ...placed(event) })
  })
  picture.addEventListener("contextmenu", (event) => { if (mine) event.preventDefault() })
  picture.addEventListener("dragstart", (event) => event.preventDefault())
  picture.addEventListener("wheel", (event) => {
    if (!mine) return
    event.preventDefault()
    const unit = event.deltaMode === 1 ? 40 : event.deltaMode === 2 ? 800 : 1
    const bounded = (distance) => Math.min(Math.max(distance * unit, -10000), 10000)
    act({ kind: "wheel", ...placed(event), dx: bounded(event.deltaX), dy: bounded(event.deltaY) })
  }, { passive: false })

  const held = new Set()
  picture.addEventListener("keydown", (event) => {
    if (!mine || event.isComposing || event.key === "Dead" || event.key === "Unidentified" || event.key === "Process") return
    if (event.key === "Escape" && event.shiftKey) { button.focus(); return }
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "v") return
    event.preventDefault()
    const key = event.key === "Meta" ? "Control" : event.key
    held.add(key)
    act({ kind: "key_down", key })
  })
  picture.addEventListener("keyup", (event) => {
    const key = event.key === "Meta" ? "Control" : event.key
    if (!mine || !held.delete(key)) return
    event.preventDefault()
    act({ kind: "key_up", key })
  })
  picture.addEventListener("blur", () => {
    for (const key of held) act({ kind: "key_up", key })
    held.clear()
  })
  addEventListener("paste", (event) => {
    if (!mine) return
    event.preventDefault()
    const text = event.clipboardData.getData("text").slice(0, 20000)
    const characters = Array.from(text)
    for (let from = 0; from < characters.length; from += 200) {
      act({ kind: "text", text: characters.slice(from, from + 200).join("") })
    }
  })

  /* Getting in. */

  const enter = async (token) => {
    if (ticket !== null) return
    const answer = await fetch(path + "/view", {
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
