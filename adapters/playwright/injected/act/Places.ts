/** Points of the viewport, and the elements at them. */
import { innermostAt, isFrame, originIn } from "../dom/Tree.ts"
import { keep } from "../find/Kept.ts"

interface Point {
  readonly x: number
  readonly y: number
}

/** The size of the window. */
export const windowSize = () => ({ width: innerWidth, height: innerHeight })

/** The box of an element in the window. */
export const boxOf = (_arg: null, element: Element) => {
  const { height, width, x, y } = element.getBoundingClientRect()
  return { height, width, x, y }
}

/**
 * A place within the first box of an element, which may have several where its text wraps, from its corner; `null` where it
 * has none.
 */
export const placeWithin = (landing: Point, element: Element): Point | null => {
  const whole = element.getBoundingClientRect()
  const box = [...element.getClientRects()].find(({ height, width }) => height >= 1 && width >= 1)
  if (box === undefined) return null
  return { x: box.x - whole.x + box.width * landing.x, y: box.y - whole.y + box.height * landing.y }
}

/** Keeps the innermost element at a point under a name, and returns where its content begins. */
export const keepAt = ({ at, name }: { readonly name: string; readonly at: Point }) => {
  const found = innermostAt(at.x, at.y)
  if (found === null) return null
  keep(name, found)
  return { isFrame: isFrame(found), ...originIn(found) }
}

/**
 * Keeps the frame at a point under a name, and returns where its document begins and how much of it is in the viewport.
 */
export const keepFrameAt = ({ name, x, y }: Point & { readonly name: string }) => {
  const found = innermostAt(x, y)
  if (found?.localName !== "iframe" && found?.localName !== "frame") return null
  keep(name, found)
  const { bottom, left, right, top } = found.getBoundingClientRect()
  return {
    ...originIn(found),
    width: Math.max(Math.min(right, innerWidth) - Math.max(left, 0), 0),
    height: Math.max(Math.min(bottom, innerHeight) - Math.max(top, 0), 0)
  }
}

/** A place in an area of a picture, nearest to the middle of what is seen of it; `null` where nothing is. */
export const placeOfArea = (_arg: null, area: Element): Point | null => {
  const map = area.closest("map")
  const picture = [...document.querySelectorAll("img[usemap]")].find(
    (element) => element.getAttribute("usemap") === `#${map?.name}`
  )
  if (picture === undefined || !(area instanceof HTMLAreaElement)) return null
  picture.scrollIntoView({ block: "center", inline: "center", behavior: "instant" })
  const { height, width, x, y } = picture.getBoundingClientRect()
  // The parts of the picture are tried from its middle on, as many areas have no middle of their own.
  const parts = Array.from({ length: 31 }, (_, at) => (at + 0.5) / 31).sort(
    (a, b) => Math.abs(a - 0.5) - Math.abs(b - 0.5)
  )
  const inside = parts.flatMap((down) =>
    parts.flatMap((along) => {
      const place = { x: x + along * width, y: y + down * height }
      return innermostAt(place.x, place.y) === area ? [place] : []
    })
  )
  if (inside.length === 0) return null
  const middle = {
    x: inside.reduce((sum, one) => sum + one.x, 0) / inside.length,
    y: inside.reduce((sum, one) => sum + one.y, 0) / inside.length
  }
  const far = (point: Point) => Math.hypot(point.x - middle.x, point.y - middle.y)
  return inside.reduce((best, one) => (far(one) < far(best) ? one : best))
}
