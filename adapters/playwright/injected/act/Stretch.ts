/** Finds and selects a range of the text of an element, ignoring white space. */
import { isField } from "../dom/Text.ts"
import { keep, kept } from "../find/Kept.ts"

/** Longer texts are not searched, in characters. */
const mostCharacters = 1_000_000

/**
 * The start and the end of the first match in the viewport. In a field the text is selected directly, and the result is
 * `field`. `null` without a match.
 */
export const stretchOf = (text: string, element: Element) => {
  const wanted = text.replace(/\s+/g, "")
  if (wanted === "") return null
  if (isField(element)) return selectIn(element, wanted)
  const nodes: Array<Text> = []
  const places: Array<number> = []
  let shown = ""
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node instanceof Text && shown.length < mostCharacters; node = walker.nextNode()) {
    if (node.parentElement?.checkVisibility() !== true) continue
    for (let at = 0; at < node.data.length; at++) {
      const unit = node.data.charAt(at)
      if (/\s/.test(unit)) continue
      shown += unit
      nodes.push(node)
      places.push(at)
    }
  }
  const first = shown.indexOf(wanted)
  const last = first + wanted.length - 1
  const [begin, end] = [nodes[first], nodes[last]]
  if (begin === undefined || end === undefined) return null
  const range = document.createRange()
  range.setStart(begin, places[first] ?? 0)
  range.setEnd(end, (places[last] ?? 0) + 1)
  const isSeen = ({ bottom, top }: DOMRect) => top >= 0 && bottom <= innerHeight
  if (!isSeen(range.getBoundingClientRect())) begin.parentElement?.scrollIntoView({ block: "center" })
  const boxes = [...range.getClientRects()].filter(({ width }) => width > 0)
  const [from, to] = [boxes[0], boxes.at(-1)]
  if (from === undefined || to === undefined) return null
  keep("stretch", range)
  return {
    from: { x: from.left + 0.5, y: (from.top + from.bottom) / 2 },
    to: { x: to.right - 0.5, y: (to.top + to.bottom) / 2 }
  }
}

/** Selects exactly the stretch that was found last. */
export const selectStretch = (): void => {
  const range = kept("stretch")
  if (!(range instanceof Range)) return
  getSelection()?.setBaseAndExtent(range.startContainer, range.startOffset, range.endContainer, range.endOffset)
}

const selectIn = (field: Element, wanted: string): "field" | null => {
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return null
  const places = field.value.split("").flatMap((character, at) => (/\s/.test(character) ? [] : [at]))
  const first = field.value.replace(/\s+/g, "").indexOf(wanted)
  const [begin, end] = [places[first], places[first + wanted.length - 1]]
  if (begin === undefined || end === undefined) return null
  field.focus()
  field.setSelectionRange(begin, end + 1)
  return "field"
}
