/**
 * The state of a document in which a step failed.
 */
import type { Query } from "../../../../core/browser/element/Selector.ts"
import type { Survey } from "../../../../core/browser/element/Survey.ts"
import { labelOf } from "../dom/Names.ts"
import { everything } from "../dom/Tree.ts"
import { isUsable, isVisible } from "../dom/Visible.ts"
import { selectorOf } from "../find/Selectors.ts"
import { elementsAnywhere } from "../find/XPath.ts"
import { appearanceOf } from "./Appearance.ts"
import { alerts } from "./Complaints.ts"
import { framesAmong } from "./Frames.ts"
import { type CoveringOverlay, coverOf, middleOf, overlaysOf, type Point } from "./Overlays.ts"

/** The elements of a document that can be used, the first ones of very many, and the frames in it. */
export const candidates = ({ most, tag }: { readonly tag: string; readonly most: number }) => {
  const usable =
    "a[href],button,input:not([type=hidden]),select,textarea,summary,label,[role],[onclick],[tabindex],[contenteditable=true]"
  const wanted = usable + (/^[a-z][a-z0-9-]*$/.test(tag) ? `,${tag}` : "")
  const elements = everything(document, 50_000)
  return {
    candidates: elements
      .filter(
        (element) =>
          element.matches(wanted) && isUsable(element) && !("disabled" in element && element.disabled === true)
      )
      .slice(0, most)
      .map((element) => ({ selector: selectorOf(element), appearance: appearanceOf(element) })),
    frames: framesAmong(elements)
  }
}

/** The matches of each path: none, none that is visible, or a visible one. A path that cannot be read has none. */
export const seen = (queries: ReadonlyArray<Query>): ReadonlyArray<0 | 1 | 2> =>
  queries.map((query) => {
    const found = elementsAnywhere(query)
    return found.length === 0 ? 0 : found.some(isVisible) ? 2 : 1
  })

export interface SurveyResult {
  readonly survey: Omit<Survey, "address" | "matched" | "requests" | "overlays" | "fields"> & {
    readonly overlays: ReadonlyArray<CoveringOverlay>
  }
  /** The middle of the sought element, in the window of its document. */
  readonly middle: Point | null
}

/**
 * The state of a document, with the element that is sought, if it is given. That is scrolled into view, unless it is a
 * frame in which another one is sought: `within` is the middle of that in the frame. `own` are the elements that the run
 * has used.
 */
export const survey = (
  {
    isSought,
    own,
    within
  }: { readonly isSought: boolean; readonly within: Point | null; readonly own: ReadonlyArray<Query> },
  subject: Element
): SurveyResult => {
  const target = isSought ? subject : null
  if (target !== null && within === null) {
    target.scrollIntoView({ block: "center", inline: "center", behavior: "instant" })
  }
  const elements = everything(document, 8_000)
  const shown = elements.filter(isVisible)
  const middle = target === null ? null : middleOf(target, within)
  const cover = target === null || middle === null ? null : coverOf(target, middle)
  return {
    middle,
    survey: {
      title: document.title,
      text: (document.body?.innerText ?? "").slice(0, 4_000),
      status: statusOfDocument(),
      loading: document.readyState !== "complete",
      busy: shown.some(isBusy),
      overlays: overlaysOf(shown, target, cover, own.flatMap(elementsAnywhere)),
      alerts: alerts(elements),
      passwords: shown.flatMap(passwordName),
      captcha: shown.some((element) => isCaptcha(element) && element.closest(".grecaptcha-badge") === null)
    }
  }
}

/** The status that the server answered with; `null` where the browser does not tell. */
const statusOfDocument = (): number | null => {
  const [navigation] = performance.getEntriesByType("navigation")
  const status = navigation !== undefined && "responseStatus" in navigation ? Number(navigation.responseStatus) : 0
  return status === 0 ? null : status
}

/** Whether an element shows that something is in progress. */
const isBusy = (element: Element): boolean => {
  if (element.getAttribute("aria-busy") === "true" || element.getAttribute("role") === "progressbar") return true
  const tokens = (element.getAttribute("class") ?? "").split(/\s+/)
  return tokens.some(
    (token) => /(^|[-_])(spinner|spinning|loading|loader|skeleton)([-_]|$)/i.test(token) && !/lazy/i.test(token)
  )
}

/** The name of a field for a password; none for other elements. */
const passwordName = (element: Element): ReadonlyArray<string> => {
  if (!(element instanceof HTMLInputElement) || element.type !== "password") return []
  const names = [element.name, element.id, element.autocomplete, element.placeholder, labelOf(element)]
  return [names.filter((part) => part !== "" && part !== null).join(" ")]
}

const isCaptcha = (element: Element): boolean =>
  (element instanceof HTMLIFrameElement && /recaptcha\/|hcaptcha\.com|challenges\.cloudflare\.com/.test(element.src)) ||
  element.matches(".g-recaptcha,.h-captcha,.cf-turnstile")
