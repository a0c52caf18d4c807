/**
 * What runs inside a page to find out what it shows. The functions are sent there as their source, so they use nothing from
 * outside themselves.
 */
import type { Appearance } from "../../../core/browser/element/Appearance.ts"
import type { Query } from "../../../core/browser/element/Selector.ts"
import type { Button, FieldState, Overlay, Survey } from "../../../core/browser/element/Survey.ts"
import type { World } from "./InWorld.ts"
import type { Inner, Looks } from "./Looks.ts"

/** What tells elements from each other, as its source. */
interface With {
  readonly looks: string
}

interface Point {
  readonly x: number
  readonly y: number
}

/** The frame that is kept under a name, with a selector that leads to it; none where it cannot be seen. */
export const wayTo = ({ looks, name }: With & { name: string }, world: World): ReadonlyArray<Inner> => {
  const element = world.kept(name)
  return element instanceof Element ? (world.call(looks, world) as Looks).framesAmong([element]) : []
}

/** What one element looks like. */
export const describe = ({ looks }: With, world: World, subject: Element): Appearance =>
  (world.call(looks, world) as Looks).appearanceOf(subject)

/** The elements of a document that can be seen and used, the first ones of very many, and the frames in it. */
export const candidates = ({ looks, most, tag }: With & { tag: string; most: number }, world: World) => {
  const { appearanceOf, everything, framesAmong, isSeen, selectorOf } = world.call(looks, world) as Looks
  const usable =
    "a[href],button,input:not([type=hidden]),select,textarea,summary,label,[role],[onclick],[tabindex],[contenteditable=true]"
  const wanted = usable + (/^[a-z][a-z0-9-]*$/.test(tag) ? `,${tag}` : "")
  const elements = everything(document, 50_000)
  return {
    candidates: elements
      .filter((one) => one.matches(wanted) && isSeen(one) && (one as HTMLButtonElement).disabled !== true)
      .slice(0, most)
      .map((one) => ({ selector: selectorOf(one), appearance: appearanceOf(one) })),
    frames: framesAmong(elements)
  }
}

/** Something that lies over the page, with the frames in it, which have to be asked themselves. */
export type Covering = Overlay & { readonly frames: ReadonlyArray<Inner> }

export interface Surveyed {
  readonly survey: Omit<Survey, "address" | "matched" | "requests" | "overlays" | "fields"> & {
    readonly overlays: ReadonlyArray<Covering>
  }
  /** Where the middle of the element is that is sought, in the window of its document. */
  readonly middle: Point | null
}

/** What lies in the document of a frame that lies over a page. */
export const inOverlay = (
  { looks }: With,
  world: World
): Pick<Overlay, "text"> & { buttons: ReadonlyArray<Button> } => {
  const { buttonsOf, squeeze } = world.call(looks, world) as Looks
  return {
    text: squeeze(document.body?.innerText ?? "").slice(0, 1_000),
    buttons: buttonsOf(document.documentElement)
  }
}

/**
 * What a document shows, with the element that is sought, if it is given. That is scrolled into view, unless it is a frame in
 * which another one is sought: `within` is the middle of that in the frame.
 */
export const survey = (
  { isSought, looks, within }: With & { isSought: boolean; within: Point | null },
  world: World,
  subject: Element
): Surveyed => {
  const { buttonsOf, complaintsAmong, contains, everything, framesAmong, isSeen, labelOf, squeeze, steps } = world.call(
    looks,
    world
  ) as Looks

  // --- what lies over the page

  const target = isSought ? subject : null
  const elements = everything(document, 8_000)
  const isDialog = (element: Element): boolean =>
    (element instanceof HTMLDialogElement && element.open) ||
    /^(dialog|alertdialog)$/.test(element.getAttribute("role") ?? "") ||
    element.getAttribute("aria-modal") === "true"
  const lies = (element: Element): boolean => {
    const { position: placed, zIndex } = getComputedStyle(element)
    return placed === "fixed" || placed === "sticky" || (placed === "absolute" && Number(zIndex) >= 10)
  }
  if (target !== null && within === null)
    target.scrollIntoView({ block: "center", inline: "center", behavior: "instant" })
  const middleOf = (element: Element): Point => {
    const { height, left, top, width } = element.getBoundingClientRect()
    if (within === null) return { x: left + width / 2, y: top + height / 2 }
    return { x: left + element.clientLeft + within.x, y: top + element.clientTop + within.y }
  }
  const coverOf = (element: Element): Element | null => {
    const { x, y } = middleOf(element)
    let at = document.elementFromPoint(x, y)
    for (let inner = at?.shadowRoot?.elementFromPoint(x, y); inner != null && inner !== at; ) {
      at = inner
      inner = at.shadowRoot?.elementFromPoint(x, y)
    }
    return at === null || contains(element, at) || contains(at, element) ? null : at
  }
  const cover = target === null ? null : coverOf(target)
  const shown = elements.filter(isSeen)
  const dialogs = shown.filter((one) => isDialog(one) && (target === null || !contains(one, target)))
  const floating = shown.filter(
    (one) =>
      lies(one) &&
      (target === null || !contains(one, target)) &&
      !dialogs.some((other) => contains(one, other) || contains(other, one))
  )
  const outer = floating.filter((one) => !floating.some((other) => other !== one && contains(other, one)))
  const framesIn = (element: Element) => framesAmong([element, ...everything(element, 500)].slice(0, 500)).slice(0, 3)
  const overlayOf = (element: Element, coversTarget: boolean): Covering => {
    const { height, width } = element.getBoundingClientRect()
    const text = squeeze(element instanceof HTMLElement ? element.innerText : element.textContent)
    const words = squeeze(text + (element.shadowRoot === null ? "" : ` ${element.shadowRoot.textContent ?? ""}`))
    return {
      signature: `${steps(element).at(-1) ?? ""}#${element.id}@${element.getAttribute("role") ?? ""} ${words.slice(0, 80)}`,
      text: words.slice(0, 1_000),
      isDialog: isDialog(element),
      isAlert: element.getAttribute("role") === "alertdialog",
      coversTarget,
      coversPage:
        height * width > 0.5 * innerHeight * innerWidth &&
        words.length < 3_000 &&
        element.querySelector("main,nav") === null,
      buttons: buttonsOf(element),
      frames: framesIn(element)
    }
  }
  const all = [...dialogs, ...outer]
  const holder = cover === null ? null : (all.find((one) => contains(one, cover)) ?? null)
  // A backdrop belongs to the dialog that it stands behind.
  const isBackdrop =
    holder === null ||
    (dialogs.length > 0 && !dialogs.includes(holder) && buttonsOf(holder).length === 0 && framesIn(holder).length === 0)
  const blocking = cover === null ? null : isBackdrop ? (dialogs.at(-1) ?? holder ?? cover) : holder
  const overlays = [...(blocking !== null && !all.includes(blocking) ? [blocking] : []), ...all]
    .map((one) => overlayOf(one, one === blocking))
    .filter(({ buttons, coversTarget, frames, isDialog: says }) =>
      [coversTarget, says, buttons.length > 0, frames.length > 0].includes(true)
    )
    .slice(0, 10)

  // --- how it does

  const isBusy = shown.some((one) => {
    if (one.getAttribute("aria-busy") === "true") return true
    if (one.getAttribute("role") === "progressbar") return true
    const tokens = (one.getAttribute("class") ?? "").split(/\s+/)
    return tokens.some(
      (token) => /(^|[-_])(spinner|spinning|loading|loader|skeleton)([-_]|$)/i.test(token) && !/lazy/i.test(token)
    )
  })
  const passwords = shown
    .filter((one): one is HTMLInputElement => one instanceof HTMLInputElement && one.type === "password")
    .map((one) =>
      [one.name, one.id, one.autocomplete, one.placeholder, labelOf(one)]
        .filter((part) => part !== "" && part !== null)
        .join(" ")
    )
  const isCaptcha = (one: Element): boolean =>
    (one instanceof HTMLIFrameElement && /recaptcha\/|hcaptcha\.com|challenges\.cloudflare\.com/.test(one.src)) ||
    one.matches(".g-recaptcha,.h-captcha,.cf-turnstile")
  const [navigation] = performance.getEntriesByType("navigation")
  const status = navigation !== undefined && "responseStatus" in navigation ? Number(navigation.responseStatus) : 0
  return {
    middle: target === null ? null : middleOf(target),
    survey: {
      title: document.title,
      text: (document.body?.innerText ?? "").slice(0, 4_000),
      status: status === 0 ? null : status,
      loading: document.readyState !== "complete",
      busy: isBusy,
      overlays,
      alerts: [...new Set(complaintsAmong(elements))].slice(0, 5),
      passwords,
      captcha: shown.some((one) => isCaptcha(one) && one.closest(".grecaptcha-badge") === null)
    }
  }
}

/** The state of a field in one document. */
export interface Field extends FieldState {
  /** How many elements match. */
  readonly matched: number
}

/**
 * The complaints about the fields that paths match, and beside them, in the document and its shadow roots. Without
 * paths, those about the given element.
 */
export const fields = (
  { looks, queries }: With & { queries: ReadonlyArray<Query> | null },
  world: World,
  subject: Element
): { readonly states: ReadonlyArray<Field>; readonly alerts: ReadonlyArray<string> } => {
  const { complaintOf, complaintsAmong, everything, isField, isPress, isSeen } = world.call(looks, world) as Looks
  const matching = (query: Query): ReadonlyArray<Element> => {
    try {
      const own = world.elements(query, false)
      return own.length === 0 && world.hasShadow() ? world.elements(query, true) : own
    } catch (error) {
      // The engine that reads it has to be brought first.
      if (String(error).includes("sluice:modern")) throw error
      return []
    }
  }
  const stateOf = (all: ReadonlyArray<Element>): Field => {
    const [field] = all
    const shown = all.length === 1 && field !== undefined && isSeen(field)
    const complaint = shown && isField(field) && !isPress(field) ? complaintOf(field) : ""
    return { matched: all.length, shown, complaint }
  }
  return {
    states: queries === null ? [stateOf([subject])] : queries.map((query) => stateOf(matching(query))),
    alerts: [...new Set(complaintsAmong(everything(document, 8_000)))].slice(0, 5)
  }
}

/** What there is of each path: nothing, nothing that can be seen, or something that can. What cannot be read is not there. */
export const seen = (queries: ReadonlyArray<Query>, { elements, hasShadow }: World): ReadonlyArray<0 | 1 | 2> => {
  let shadows: boolean | undefined
  const isSeen = (element: Element): boolean =>
    element.getClientRects().length > 0 && getComputedStyle(element).visibility !== "hidden"
  const matching = (query: Query): ReadonlyArray<Element> => {
    try {
      const own = elements(query, false)
      if (own.length > 0) return own
      shadows ??= hasShadow()
      return shadows ? elements(query, true) : own
    } catch (error) {
      // The engine that reads it has to be brought first, or it takes too long.
      if (/sluice:(modern|slow)/.test(String(error))) throw error
      return []
    }
  }
  return queries.map((query) => {
    const found = matching(query)
    return found.length === 0 ? 0 : found.some(isSeen) ? 2 : 1
  })
}
