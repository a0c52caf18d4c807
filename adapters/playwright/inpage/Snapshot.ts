/**
 * Describes a page as one HTML document.
 */
import { randomBytes } from "node:crypto"
import type { Frame } from "playwright-core"
import { policy } from "../../../core/run/evidence/SnapshotPolicy.ts"
import { answering } from "../element/Finder.ts"
import { frameIn } from "../element/Focus.ts"
import { escapeAttribute } from "../injected/read/Escape.ts"
import type { Tab } from "../page/Tabs.ts"
import { within } from "../TimeLimit.ts"
import * as World from "./World.ts"

/** How many documents of frames of other origins are put in their places. */
const mostFrames = 50

/** How long such a frame may take, with those in it, and how long until its first answer, in milliseconds. */
const frameMillis = 1_500
const answerMillis = 1_000

const left = "<p>The document of this frame is of another origin and not part of the snapshot</p>"

/**
 * A page as HTML that shows what a person sees and does nothing, with the documents of all its frames in their places, those
 * of other origins too. At most `maxBytes`; a note says what is left out.
 */
export const take = (tab: Tab, maxBytes: number): Promise<string> => {
  let frames = 0
  const room = { bytes: maxBytes }
  const documentOf = async (frame: Frame): Promise<string> => {
    const mark = `frame${randomBytes(8).toString("hex")}`
    const asked = { mark, maxBytes: Math.max(room.bytes, 0), policy }
    const { html, others } = await World.run(tab, frame, "serialized", asked)
    room.bytes -= Buffer.byteLength(html)
    if (others === 0) return html
    const wanted = Math.min(others, Math.max(mostFrames - frames, 0))
    frames += others
    const found = await Promise.all(
      Array.from({ length: wanted }, (_, at) => within(frameMillis, frameIn(frame, `snapshot ${at}`)))
    )
    const shown = found.map((frame) => (frame?.url().startsWith("chrome-error:") === true ? null : frame))
    const alive = await answering(
      tab,
      shown.filter((frame) => frame !== null),
      answerMillis
    )
    const inner: Array<string> = []
    for (const frame of shown) {
      const document = frame !== null && alive.includes(frame) ? within(frameMillis, documentOf(frame)) : null
      inner.push((await document) ?? left)
    }
    return html.replace(new RegExp(`${mark}x(\\d+)x(\\d+)x`, "g"), (_, at: string, depth: string) => {
      let text = inner[Number(at)] ?? left
      const before = Buffer.byteLength(text)
      for (let level = 0; level < Number(depth); level++) text = escapeAttribute(text)
      room.bytes -= Buffer.byteLength(text) - before
      return room.bytes < 0 ? "" : text
    })
  }
  return documentOf(tab.page.mainFrame())
}
