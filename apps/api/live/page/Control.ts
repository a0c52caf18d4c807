/** Control of the browser: its holder, and the gestures of the person who has it. */
import type { Gesture } from "../../../../core/browser/vision/RemoteHand.ts"
import { button, note, picture } from "./Elements.ts"
import { send } from "./Service.ts"

/** Control is released after this time without gestures, in milliseconds. */
const idleMillis = 300_000

/** The interval at which control is renewed, in milliseconds. */
const renewMillis = 4_000

/** How many gestures one request sends. */
const mostGestures = 100

const state = { mine: false, lastAct: 0 }

/** Keys that are held down. */
export const held = new Set<string>()

/** Whether this page has control. */
export const isMine = (): boolean => state.mine

/** Shows whether this page has control. */
export const own = (mine: boolean): void => {
  if (state.mine === mine) return
  state.mine = mine
  document.body.classList.toggle("mine", mine)
  picture.tabIndex = mine ? 0 : -1
  picture.setAttribute("role", mine ? "application" : "img")
  button.textContent = mine ? "Give back control" : "Take control"
  button.setAttribute("aria-pressed", String(mine))
  if (mine) picture.focus()
  else held.clear()
}

const take = async (): Promise<void> => {
  const { body, ok } = await send("control", { action: "take" })
  if (ok) state.lastAct = Date.now()
  own(ok)
  note(ok ? "The run waits before its next step. Shift and Escape leave the picture." : (body.message ?? ""))
}

const release = async (): Promise<void> => {
  await flush()
  await send("control", { action: "release" })
  own(false)
  note("The run continues")
}

/** Renews control, or releases it if the person has been idle for long. */
const renew = async (): Promise<void> => {
  if (!state.mine) return
  if (Date.now() - state.lastAct > idleMillis) return release()
  const { body, ok } = await send("control", { action: "renew" })
  if (ok || !state.mine) return
  own(false)
  note(body.message ?? "")
}

let waiting: Array<Gesture> = []
let sending: Promise<void> | null = null

const sendWaiting = async (): Promise<void> => {
  while (waiting.length > 0 && state.mine) {
    const gestures = waiting.splice(0, mostGestures)
    // Gestures of a lost request are not sent again, because they may no longer fit the page.
    const answer = await send("gestures", { gestures }).catch(() => null)
    if (answer !== null && !answer.ok && answer.status === 409) {
      own(false)
      note(answer.body.message ?? "")
    }
  }
  waiting = []
}

const flush = (): Promise<void> => {
  sending ??= sendWaiting().finally(() => {
    sending = null
  })
  return sending
}

/** Makes a gesture in the window of the run. Of movements that follow each other, the last one is sent. */
export const act = (gesture: Gesture): void => {
  if (!state.mine) return
  state.lastAct = Date.now()
  if (gesture.kind === "move" && waiting.at(-1)?.kind === "move") waiting[waiting.length - 1] = gesture
  else waiting.push(gesture)
  flush()
}

/** Lets the person take control and give it back. */
export const listen = (): void => {
  setInterval(() => renew().catch(() => undefined), renewMillis)
  button.addEventListener("click", () => {
    button.disabled = true
    const done = state.mine ? release() : take()
    done
      .catch(() => note("The request failed; try again"))
      .finally(() => {
        button.disabled = false
      })
  })
  addEventListener("pagehide", () => {
    if (state.mine) send("control", { action: "release" }, true).catch(() => undefined)
  })
}
