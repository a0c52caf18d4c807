/**
 * What runs inside a page to find out what it shows. The function is sent there as its source, so it uses nothing from
 * outside itself.
 */
import type { Appearance } from "../../../core/agent/recovery/Appearance.ts"
import type { Candidate } from "../../../core/agent/recovery/Likeness.ts"
import type { Survey } from "../../../core/agent/recovery/Survey.ts"
import type { World } from "./InWorld.ts"

/** What is asked: one element described, those like a wanted one, or the whole page with the element that a step is about. */
export type Task =
  | { readonly kind: "describe" }
  | { readonly kind: "candidates"; readonly tag: string; readonly most: number }
  | { readonly kind: "survey"; readonly isTarget: boolean; readonly fields: ReadonlyArray<string> }

export interface Found {
  readonly appearance: Appearance | null
  readonly candidates: ReadonlyArray<Candidate>
  readonly survey: Omit<Survey, "address" | "matched" | "requests"> | null
}

export const inspect = (task: Task, _world: World, subject: Element): Found => {
  const squeeze = (text: string | null | undefined): string => (text ?? "").replace(/\s+/g, " ").trim()
  const orNull = (text: string | null | undefined, most = 120): string | null => {
    const squeezed = squeeze(text)
    return squeezed === "" ? null : squeezed.slice(0, most)
  }
  const isSeen = (element: Element): boolean => {
    const { height, width } = element.getBoundingClientRect()
    if (height < 1 || width < 1) return false
    const { opacity, visibility } = getComputedStyle(element)
    return visibility !== "hidden" && opacity !== "0"
  }
  const isField = (element: Element): boolean => /^(input|textarea|select)$/i.test(element.tagName)
  const isPress = (element: Element): boolean =>
    element instanceof HTMLInputElement && /^(submit|button|reset|image)$/.test(element.type)
  const says = (element: Element): string =>
    isPress(element)
      ? squeeze((element as HTMLInputElement).value)
      : isField(element) || (element as HTMLElement).isContentEditable
        ? ""
        : squeeze(element instanceof HTMLElement ? element.innerText : element.textContent)

  /** Everything below a node, what open shadow roots hold included. */
  const everything = (root: ParentNode, most: number): Array<Element> => {
    const found: Array<Element> = []
    const visit = (parent: ParentNode): void => {
      for (const element of parent.querySelectorAll("*")) {
        if (found.length >= most) return
        found.push(element)
        if (element.shadowRoot !== null) visit(element.shadowRoot)
      }
    }
    visit(root)
    return found
  }

  // --- a selector that leads to one element alone

  const quoted = (text: string): string | null =>
    text.includes('"') ? (text.includes("'") ? null : `'${text}'`) : `"${text}"`
  const isGenerated = (text: string): boolean =>
    /\d{3,}|[0-9a-f]{8,}|^:|^(ember|react|mui|radix|headlessui)/i.test(text)
  const leadsTo = (xpath: string, element: Element): boolean => {
    const all = document.evaluate(xpath, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null)
    return all.snapshotLength === 1 && all.snapshotItem(0) === element
  }
  const testIds = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa"]
  const named = (element: Element): Array<string> => {
    const tag = element.tagName.toLowerCase()
    const ways: Array<string> = []
    for (const attribute of [...testIds, "id", "name", "aria-label", "placeholder", "title", "alt"]) {
      const value = element.getAttribute(attribute) ?? ""
      const literal = quoted(value)
      if (value === "" || value.length > 80 || literal === null || (attribute === "id" && isGenerated(value))) continue
      ways.push(`//${tag}[@${attribute}=${literal}]`)
    }
    const text = says(element)
    const literal = quoted(text)
    if (text !== "" && text.length <= 60 && literal !== null) ways.push(`//${tag}[normalize-space()=${literal}]`)
    if (isPress(element) && literal !== null && text !== "") ways.push(`//${tag}[@value=${literal}]`)
    return ways
  }
  const position = (element: Element): string => {
    const like = [...(element.parentElement?.children ?? [])].filter(({ tagName }) => tagName === element.tagName)
    return like.length > 1 ? `[${like.indexOf(element) + 1}]` : ""
  }
  const steps = (element: Element): Array<string> => {
    const path: Array<string> = []
    for (let at: Element | null = element; at !== null; at = at.parentElement) {
      path.unshift(`${at.tagName.toLowerCase()}${position(at)}`)
    }
    return path
  }
  const inShadow = (element: Element, root: ShadowRoot): string => {
    const path: Array<string> = []
    for (let at: Element | null = element; at !== null; at = at.parentElement) {
      const siblings = [...(at.parentElement ?? root).children]
      path.unshift(`${at.tagName.toLowerCase()}:nth-child(${siblings.indexOf(at) + 1})`)
    }
    const host = root.host
    const place = host.id !== "" ? `#${CSS.escape(host.id)}` : host.tagName.toLowerCase()
    return `css=${place} >> css=${path.join(" > ")}`
  }
  const selectorOf = (element: Element): string => {
    const root = element.getRootNode()
    if (root instanceof ShadowRoot) return inShadow(element, root)
    const ways = named(element)
    const alone = ways.find((way) => leadsTo(way, element))
    if (alone !== undefined) return alone
    for (let around = element.parentElement; around !== null; around = around.parentElement) {
      const place = named(around).find((way) => !way.includes("normalize-space") && leadsTo(way, around as Element))
      const within = place === undefined ? undefined : ways.find((way) => leadsTo(place + way, element))
      if (place !== undefined && within !== undefined) return place + within
    }
    return `/${steps(element).join("/")}`
  }

  // --- what an element looks like

  const roles: Record<string, string> = { a: "link", button: "button", select: "combobox", textarea: "textbox" }
  const roleOf = (element: Element): string | null => {
    const own = element.getAttribute("role")
    if (own !== null && own !== "") return own
    if (!(element instanceof HTMLInputElement)) return roles[element.tagName.toLowerCase()] ?? null
    if (isPress(element)) return "button"
    return element.type === "checkbox" || element.type === "radio" ? element.type : "textbox"
  }
  const labelOf = (element: Element): string | null => {
    const by = (element.getAttribute("aria-labelledby") ?? "")
      .split(" ")
      .flatMap((id) => document.getElementById(id) ?? [])
    const labels = "labels" in element ? [...((element as HTMLInputElement).labels ?? [])] : []
    // The text of a label that holds its field is without what the field says.
    const own = [...by, ...labels].map((label) =>
      squeeze(
        [...label.childNodes]
          .map((node) => (node instanceof Element && isField(node) ? "" : node.textContent))
          .join(" ")
      )
    )
    return orNull(own.join(" "))
  }
  const sectionOf = (element: Element): string | null => {
    for (let around = element.parentElement; around !== null; around = around.parentElement) {
      const own = orNull(around.getAttribute("aria-label"))
      if (own !== null) return own
      const heading = around.querySelector(":scope > legend, h1, h2, h3, h4, h5, h6, [role=heading]")
      if (heading !== null && !heading.contains(element)) return orNull(heading.textContent)
    }
    return null
  }
  const beside = (element: Element, way: "previousSibling" | "nextSibling"): string | null => {
    for (let at: Node | null = element; at !== null && at !== document.body; at = at.parentNode) {
      for (let next = at[way]; next !== null; next = next[way]) {
        if (next instanceof Element && isField(next)) return null
        const text = orNull(next.textContent, 60)
        if (text !== null) return text
      }
    }
    return null
  }
  const hrefPath = (element: Element): string | null =>
    element instanceof HTMLAnchorElement && /^https?:/.test(element.href)
      ? orNull(new URL(element.href).pathname)
      : null
  const appearanceOf = (element: Element): Appearance => ({
    tag: element.tagName.toLowerCase(),
    id: orNull(element.id),
    testId: orNull(testIds.map((name) => element.getAttribute(name)).find((value) => value !== null)),
    name: orNull(element.getAttribute("name")),
    type: isField(element) || element instanceof HTMLButtonElement ? orNull((element as HTMLInputElement).type) : null,
    role: roleOf(element),
    ariaLabel: orNull(element.getAttribute("aria-label")),
    label: labelOf(element),
    placeholder: orNull(element.getAttribute("placeholder")),
    title: orNull(element.getAttribute("title")),
    alt: orNull(element.getAttribute("alt") ?? element.querySelector("img[alt]")?.getAttribute("alt")),
    hrefPath: hrefPath(element),
    text: orNull(says(element)),
    section: sectionOf(element),
    before: beside(element, "previousSibling"),
    after: beside(element, "nextSibling"),
    path: steps(element).join(">")
  })

  if (task.kind === "describe") return { appearance: appearanceOf(subject), candidates: [], survey: null }

  const usable =
    "a[href],button,input:not([type=hidden]),select,textarea,summary,label,[role],[onclick],[tabindex],[contenteditable=true]"
  if (task.kind === "candidates") {
    const tag = /^[a-z][a-z0-9-]*$/.test(task.tag) ? `,${task.tag}` : ""
    const all = [...document.querySelectorAll(usable + tag)].filter(
      (element) => isSeen(element) && (element as HTMLButtonElement).disabled !== true
    )
    const candidates = all
      .slice(0, task.most)
      .map((element) => ({ selector: selectorOf(element), appearance: appearanceOf(element) }))
    return { appearance: null, candidates, survey: null }
  }

  // --- what lies over the page

  const { fields } = task
  const target = task.isTarget ? subject : null
  const elements = everything(document, 8_000)
  const isDialog = (element: Element): boolean =>
    (element instanceof HTMLDialogElement && element.open) ||
    /^(dialog|alertdialog)$/.test(element.getAttribute("role") ?? "") ||
    element.getAttribute("aria-modal") === "true"
  const lies = (element: Element): boolean => {
    const { position: placed, zIndex } = getComputedStyle(element)
    return placed === "fixed" || placed === "sticky" || (placed === "absolute" && Number(zIndex) >= 10)
  }
  const contains = (outer: Element, inner: Element): boolean => {
    for (let at: Node | null = inner; at !== null; at = at instanceof ShadowRoot ? at.host : at.parentNode) {
      if (at === outer) return true
    }
    return false
  }
  if (target !== null) target.scrollIntoView({ block: "center", inline: "center", behavior: "instant" })
  const coverOf = (element: Element): Element | null => {
    const { height, left, top, width } = element.getBoundingClientRect()
    let at = document.elementFromPoint(left + width / 2, top + height / 2)
    for (
      let inner = at?.shadowRoot?.elementFromPoint(left + width / 2, top + height / 2);
      inner != null && inner !== at;
    ) {
      at = inner
      inner = at.shadowRoot?.elementFromPoint(left + width / 2, top + height / 2)
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
  const isPressable =
    "button,[role=button],a,input[type=button],input[type=submit],[aria-label*=close i],[class*=close i]"
  const buttonsOf = (overlay: Element) => {
    const all = everything(overlay, 500).filter((one) => one.matches(isPressable) && isSeen(one))
    return all
      .filter((one) => !all.some((other) => other !== one && contains(other, one)))
      .slice(0, 20)
      .map((one) => {
        const written =
          orNull(one.getAttribute("aria-label")) ??
          orNull(says(one)) ??
          orNull(one.getAttribute("title")) ??
          orNull(one.querySelector("img[alt]")?.getAttribute("alt"))
        const isClose = /(^|[-_\s])close/i.test(one.getAttribute("class") ?? "")
        return { label: (written ?? (isClose ? "close" : "")).slice(0, 80), selector: selectorOf(one) }
      })
      .filter(({ label }) => label !== "")
  }
  const overlayOf = (element: Element, coversTarget: boolean) => {
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
      buttons: buttonsOf(element)
    }
  }
  const all = [...dialogs, ...outer]
  const holder = cover === null ? null : (all.find((one) => contains(one, cover)) ?? null)
  // A backdrop belongs to the dialog that it stands behind.
  const isBackdrop =
    holder === null || (dialogs.length > 0 && !dialogs.includes(holder) && buttonsOf(holder).length === 0)
  const blocking = cover === null ? null : isBackdrop ? (dialogs.at(-1) ?? holder ?? cover) : holder
  const overlays = [...(blocking !== null && !all.includes(blocking) ? [blocking] : []), ...all]
    .map((one) => overlayOf(one, one === blocking))
    .filter(({ coversTarget, isDialog: says, buttons }) => coversTarget || says || buttons.length > 0)
    .slice(0, 10)

  // --- what it complains about

  const marks =
    "[role=alert],[aria-live=assertive],[class*=error i],[class*=invalid-feedback i],[class*=danger i],[id*=error i]"
  const complaintsIn = (around: ParentNode): ReadonlyArray<string> =>
    [...around.querySelectorAll(marks)]
      .filter((one) => isSeen(one) && !isField(one) && one.querySelector("input,select,textarea") === null)
      .flatMap((one) => orNull(one.textContent, 200) ?? [])
  const resolve = (selector: string): ReadonlyArray<Element> => {
    try {
      if (selector.startsWith("css=")) return [...document.querySelectorAll(selector.slice(4))]
      if (/^(role|text)=/.test(selector)) return []
      const found = document.evaluate(
        selector.replace(/^xpath=/, ""),
        document,
        null,
        XPathResult.ORDERED_NODE_SNAPSHOT_TYPE,
        null
      )
      return Array.from({ length: found.snapshotLength }, (_, index) => found.snapshotItem(index)).filter(
        (one): one is Element => one instanceof Element
      )
    } catch {
      return []
    }
  }
  const complaintOf = (field: Element): string => {
    const ids = `${field.getAttribute("aria-errormessage") ?? ""} ${field.getAttribute("aria-describedby") ?? ""}`
    const told = ids.split(" ").flatMap((id) => (id === "" ? [] : (document.getElementById(id) ?? [])))
    const isMarked = field.getAttribute("aria-invalid") === "true" || field.matches(":user-invalid")
    const said = told
      .filter((one) => isSeen(one) && (isMarked || one.matches(marks)))
      .map((one) => squeeze(one.textContent))
    for (let around = field.parentElement, level = 0; around !== null && level < 3 && said.length === 0; level++) {
      if (around.querySelectorAll("input:not([type=hidden]),select,textarea").length > 1) break
      said.push(...complaintsIn(around))
      around = around.parentElement
    }
    if (said.length > 0) return said.join("; ").slice(0, 300)
    return isMarked ? (field as HTMLInputElement).validationMessage || "the field is marked as invalid" : ""
  }
  const states = fields.map((selector) => {
    const matched = resolve(selector)
    const [field] = matched
    if (field === undefined || matched.length !== 1 || !isSeen(field)) return { shown: false, complaint: "" }
    return { shown: true, complaint: isField(field) && !isPress(field) ? complaintOf(field) : "" }
  })

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
    appearance: null,
    candidates: [],
    survey: {
      title: document.title,
      text: (document.body?.innerText ?? "").slice(0, 4_000),
      status: status === 0 ? null : status,
      loading: document.readyState !== "complete",
      busy: isBusy,
      overlays,
      fields: states,
      alerts: [...new Set(complaintsIn(document))].slice(0, 5),
      passwords,
      captcha: shown.some((one) => isCaptcha(one) && one.closest(".grecaptcha-badge") === null)
    }
  }
}

/** Which of the XPaths and CSS selectors match something that can be seen, and which cannot be told here. */
export const seen = (selectors: ReadonlyArray<string>): { seen: Array<number>; unknown: Array<number> } => {
  const answer = { seen: [] as Array<number>, unknown: [] as Array<number> }
  const isSeen = (element: Element): boolean =>
    element.getClientRects().length > 0 && getComputedStyle(element).visibility !== "hidden"
  for (const [index, selector] of selectors.entries()) {
    try {
      if (/^(role|text)=|>>/.test(selector)) throw new Error("not of this kind")
      const found: Array<Node> = selector.startsWith("css=") ? [...document.querySelectorAll(selector.slice(4))] : []
      if (!selector.startsWith("css=")) {
        const path = selector.replace(/^xpath=/, "")
        const all = document.evaluate(path, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null)
        for (let at = 0; at < all.snapshotLength; at++) found.push(all.snapshotItem(at) as Node)
      }
      if (found.some((node) => node instanceof Element && isSeen(node))) answer.seen.push(index)
    } catch {
      answer.unknown.push(index)
    }
  }
  return answer
}
