/**
 * The view of a page for a model: a list of elements, and a picture without readable secrets.
 */
import { Effect } from "effect"
import type { SessionParts } from "../../browser/Browser.ts"
import { redactUrl } from "../../browser/Exchange.ts"
import type { Covered } from "../../browser/vision/Shot.ts"
import type { Box, Outline, OutlineElement } from "../../browser/vision/Sight.ts"
import type { Secrets } from "../../redaction/Secrets.ts"
import { ofPage } from "../Failure.ts"
import type { Memory } from "../variables/Memory.ts"

/** Maximum number of elements listed of a whole page, and of its visible part. */
const mostElements = 400
const mostInWindow = 120

/** The maximal length of the list, in characters. */
const maxCharacters = 40_000

export interface View {
  readonly outline: Outline
  readonly elements: ReadonlyArray<OutlineElement>
  readonly text: string
}

/** The elements of a page, or of its viewport alone. */
export const view = (page: SessionParts<"vision">, inWindow: boolean) =>
  page.vision.outline({ maxElements: inWindow ? 5 * mostElements : mostElements }).pipe(
    Effect.mapError((failure) => ofPage("describe the page", failure)),
    Effect.map((outline): View => {
      const all = inWindow
        ? outline.elements.filter(({ box }) => box !== null).slice(0, mostInWindow)
        : outline.elements
      const lines: Array<string> = []
      let left = maxCharacters
      for (const line of all.map(lineOf)) {
        if (line.length > left) break
        left -= line.length
        lines.push(line)
      }
      const elements = all.slice(0, lines.length)
      const more = inWindow ? 0 : outline.more + all.length - elements.length
      const text = [
        `Address: ${redactUrl(outline.address)}`,
        `Title: ${outline.title}`,
        ...(inWindow ? [`The picture has ${outline.window.width} by ${outline.window.height} pixels.`] : []),
        ...lines,
        ...(more > 0 ? [`${more} more elements are not listed.`] : [])
      ].join("\n")
      return { outline, elements, text }
    })
  )

const lineOf = ({ box, name, ref, role, states, value }: OutlineElement): string => {
  const at = box === null ? "" : ` @ ${Math.round(box.x + box.width / 2)},${Math.round(box.y + box.height / 2)}`
  const holds = value === "" ? "" : ` holding "${value}"`
  const is = states.length === 0 ? "" : ` (${states.join(", ")})`
  return `${ref} ${role} "${name}"${holds}${is}${at}`
}

/**
 * The context of a run, for prompts that involve no page: its inputs, what it gathered and its loop variables, as JSON.
 */
export const context = Effect.fnUntraced(function* ({ credentials, data, inputs, runtime }: Memory) {
  // A truncated secret could not be recognised.
  const shown = yield* credentials.secrets.hideInOutput(data)
  const whole = yield* credentials.secrets.refer(JSON.stringify({ ...shown, inputs, runtime }))
  return whole.length <= maxCharacters ? whole : `${whole.slice(0, maxCharacters)}\n${restIsCut}`
})

/** The note to the model that a list is incomplete. */
export const restIsCut = "(The rest was cut off.)"

/** A picture of the viewport, in which password fields and known secrets are covered. */
export const picture = (page: SessionParts<"vision">, secrets: Secrets) =>
  Effect.gen(function* () {
    return yield* page.vision.look(yield* coveredBy(secrets)(yield* page.vision.texts))
  }).pipe(Effect.mapError((failure) => ofPage("take a picture of the page", failure)))

/** The boxes of passwords, and of the texts with known secrets. */
export const coveredBy =
  (secrets: Secrets): Covered =>
  (texts) =>
    Effect.map(
      Effect.filter(texts, ({ text }) =>
        text === "" ? Effect.succeed(true) : Effect.map(secrets.refer(text), (hidden) => hidden !== text)
      ),
      (found) => {
        const boxes = found.map(({ box }) => box)
        // What is around a covered text has it too.
        const isAround = (box: Box) => boxes.some((other) => isWithin(other, box) && !same(other, box))
        return found.flatMap(({ box, isSpread }) => (isSpread === true && isAround(box) ? [] : [box]))
      }
    )

const same = (one: Box, other: Box): boolean =>
  one.x === other.x && one.y === other.y && one.width === other.width && one.height === other.height

const isWithin = (inner: Box, outer: Box): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height
