/**
 * The status of the run, and its picture.
 */
import type { RunStatus } from "../LiveRoutes.ts"
import { isMine, own } from "./Control.ts"
import { button, hideHint, hint, note, picture, say, showStep } from "./Elements.ts"
import { enterWith, me, view } from "./Service.ts"

const words: Readonly<Record<string, string>> = {
  "execution.queued": "Waiting to start",
  "execution.requeued": "Waiting for a retry",
  "execution.paused": "Held",
  "execution.start": "Running",
  "execution.success": "Succeeded",
  "execution.failed": "Failed",
  "execution.stopped": "Stopped"
}

/** The longest pause before a connection is made again, in milliseconds. */
const longestPause = 15_000

const shown: Array<string> = []
let misses = 0

const show = (jpeg: Uint8Array<ArrayBuffer>): void => {
  // One that comes before the one before it was drawn takes its place: that one never fires its load event.
  const address = URL.createObjectURL(new Blob([jpeg], { type: "image/jpeg" }))
  shown.push(address)
  picture.onload = () => {
    for (const old of shown.splice(0, shown.length - 1)) URL.revokeObjectURL(old)
  }
  picture.src = address
  picture.hidden = false
  hideHint()
  picture.dataset.frames = String(Number(picture.dataset.frames ?? "0") + 1)
}

/** The holder of control, in words; empty where the run has it. */
const controlOf = ({ ended, holder }: RunStatus): string => {
  if (holder === null || ended) return ""
  return holder === me ? ", you have control" : ", another person has control"
}

/** Shows a status, and returns whether the run is in progress. */
const hear = (status: RunStatus): boolean => {
  enterWith(status.ticket)
  say((words[status.status] ?? status.status) + controlOf(status))
  if (status.step !== null) showStep(status.step)
  button.hidden = !status.may_control || status.ended || status.status !== "execution.start"
  button.disabled = status.holder !== null && status.holder !== me
  if (isMine() && status.holder !== me) {
    own(false)
    note("You no longer have control; the run continues")
  }
  return !status.ended
}

/** The pieces that a stream has so far, as kind and content, and what is left. `LiveStream.ts` writes them. */
const piecesOf = (bytes: Uint8Array<ArrayBuffer>) => {
  const pieces: Array<{ readonly kind: number; readonly content: Uint8Array<ArrayBuffer> }> = []
  let at = 0
  while (bytes.length - at >= 5) {
    const length = new DataView(bytes.buffer, at).getUint32(1)
    if (bytes.length - at - 5 < length) break
    pieces.push({ kind: bytes[at] ?? 0, content: bytes.slice(at + 5, at + 5 + length) })
    at += 5 + length
  }
  return { pieces, rest: bytes.slice(at) }
}

/** Shows the run until its stream ends, and returns whether it is worth asking again. */
const watch = async (): Promise<boolean> => {
  const answer = await view()
  if (!answer.ok) {
    say("Not connected")
    hint((await answer.json()).message)
    return answer.status >= 500 || answer.status === 429
  }
  let rest = new Uint8Array()
  let goesOn = true
  const reader = answer.body?.getReader()
  while (true) {
    const { value } = (await reader?.read()) ?? { value: undefined }
    if (value === undefined) return goesOn
    misses = 0
    const all = new Uint8Array(rest.length + value.length)
    all.set(rest)
    all.set(value, rest.length)
    const read = piecesOf(all)
    rest = read.rest
    for (const { content, kind } of read.pieces) {
      if (kind === 1) goesOn = hear(JSON.parse(new TextDecoder().decode(content)))
      else show(content)
    }
  }
}

/** Shows the run until it ends, over as many connections as that takes. */
export const follow = async (): Promise<void> => {
  while (true) {
    try {
      if (!(await watch())) return own(false)
    } catch {
      say("Connection lost, trying again")
    }
    misses++
    await new Promise((resume) => setTimeout(resume, Math.min(250 * 2 ** misses, longestPause)))
  }
}
