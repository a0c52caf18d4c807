/**
 * Describes a page as one HTML document.
 */
import { randomBytes } from "node:crypto"
import type { Frame } from "playwright-core"
import { policy } from "../../../core/run/evidence/SnapshotPolicy.ts"
import { answering } from "../element/Finder.ts"
import { frameIn } from "../element/Focus.ts"
import type { Tab } from "../page/Tabs.ts"
import { within } from "../Within.ts"
import type { World as InPage } from "./InWorld.ts"
import * as World from "./World.ts"

/** A document, and how many frames are in it whose documents cannot be read from there. */
interface Serialized {
  readonly html: string
  readonly others: number
}

/** How many documents of frames of other origins are put in their places. */
const mostFrames = 50

/** How long such a frame may take, with those in it, and how long until it answers at all, in milliseconds. */
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
    const { html, others } = await World.run(tab, frame, serialize, asked)
    room.bytes -= Buffer.byteLength(html)
    if (others === 0) return html
    const wanted = Math.min(others, Math.max(mostFrames - frames, 0))
    frames += others
    const found = await Promise.all(
      Array.from({ length: wanted }, (_, at) => within(frameMillis, frameIn(frame, `snapshot ${at}`)))
    )
    const shown = found.map((one) => (one?.url().startsWith("chrome-error:") === true ? null : one))
    const alive = await answering(
      tab,
      shown.filter((one) => one !== null),
      answerMillis
    )
    const inner: Array<string> = []
    for (const one of shown) {
      const document = one !== null && alive.includes(one) ? within(frameMillis, documentOf(one)) : null
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

/** Without `<` in it, an attribute is no markup wherever a parser finds it, also in an element whose content is raw text. */
const escapeAttribute = (text: string) => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;")

/**
 * The document as a person sees it, as HTML that does nothing: scripts, handlers and refreshes are left out; documents
 * of frames stand in `srcdoc`, open shadow roots as declarative ones; what stands in fields stands in attributes, apart
 * from passwords and codes. What is over `maxBytes` is left out, and a note says so. In the place of a document that cannot
 * be read from here stands `mark`, with the number of the frame and in how many attributes it stands. `policy` stands in the
 * document, for readers who saved it.
 *
 * A page can build a tree that no parser builds, so that what is written of it is parsed as another tree. Every `<` that is
 * written therefore begins or ends an element that is allowed, in whichever tree it ends up.
 *
 * These frames are kept as `snapshot 0` and so on. The function is sent into the page as its source, so it
 * uses nothing from outside itself.
 */
const serialize = (
  { mark, maxBytes, policy }: { readonly mark: string; readonly maxBytes: number; readonly policy: string },
  { keep }: InPage
): Serialized => {
  const encoder = new TextEncoder()
  const largestAttribute = 262_144
  const voids = new Set("area base br col embed hr img input link meta param source track wbr".split(" "))
  const dropped = new Set(
    (
      "script noscript base template object embed applet portal fencedframe " +
      // They may change an attribute of a link to a script after it was checked.
      "animate animatemotion animatetransform animatecolor set handler listener"
    ).split(" ")
  )
  const safeName = /^[a-z][^\s"'<>/=`]*$/i
  const safeAttribute = /^[^\s"'<>/=`]+$/
  const addresses = new Set(["href", "src", "action", "formaction", "xlink:href", "data", "poster", "background"])
  let left = maxBytes
  let cut = false
  let depth = 0
  let others = 0

  const escapeText = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;")
  const escapeAttribute = (text: string) => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;")

  /** An attribute by its name in lower case: outside of HTML, a name may have capitals that a parser of HTML lowers. */
  const attribute = (element: Element, wanted: string): string | null =>
    [...element.attributes].find(({ name }) => name.toLowerCase() === wanted)?.value ?? null

  const isSecret = (field: Element): boolean =>
    field instanceof (field.ownerDocument.defaultView ?? window).HTMLInputElement &&
    (field.type === "password" ||
      field.getAttribute("type")?.toLowerCase() === "password" ||
      /password|one-time-code|cc-number|cc-csc/.test(field.autocomplete) ||
      // One of the boxes that a code is typed into.
      field.maxLength === 1)

  /** What a field holds now, as attributes in the place of those that it was written with. */
  const stateOf = (element: Element): Readonly<Record<string, string | null>> => {
    const view = element.ownerDocument.defaultView
    if (view === null) return {}
    if (element instanceof view.HTMLInputElement) {
      if (isSecret(element) || element.type === "file") return { value: null }
      if (element.type === "checkbox" || element.type === "radio") return { checked: element.checked ? "" : null }
      return { value: element.value === "" ? null : element.value }
    }
    if (element instanceof view.HTMLOptionElement) return { selected: element.selected ? "" : null }
    if (element instanceof view.HTMLDetailsElement || element instanceof view.HTMLDialogElement) {
      return { open: element.open ? "" : null }
    }
    return {}
  }

  const attributesOf = (element: Element): string => {
    const attributes = new Map<string, string>()
    for (const { name, value } of element.attributes) {
      const lower = name.toLowerCase()
      if (!safeAttribute.test(name)) continue
      if (lower.startsWith("on") || lower === "srcdoc" || lower === "nonce" || lower === "integrity") continue
      // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers pass over these characters in an address
      if (addresses.has(lower) && /^(javascript|vbscript):/i.test(value.replace(/[\u0000-\u0020]/g, ""))) continue
      if (isSecret(element) && lower !== "type" && value !== "" && value === (element as HTMLInputElement).value)
        continue
      attributes.set(name, value.length > largestAttribute ? "" : value)
    }
    // One that is shown stays so without the script that showed it.
    if (attributes.has("popover") && element.matches(":popover-open")) attributes.delete("popover")
    for (const [name, value] of Object.entries(stateOf(element))) {
      if (value === null) attributes.delete(name)
      else attributes.set(name, value)
    }
    return [...attributes].map(([name, value]) => ` ${name}="${escapeAttribute(value)}"`).join("")
  }

  /** Rules of a style sheet that were not written in the document. */
  const rulesOf = (sheet: CSSStyleSheet | null): string => {
    try {
      return [...(sheet?.cssRules ?? [])].map((rule) => rule.cssText).join("\n")
    } catch {
      return ""
    }
  }
  /** Rules in which nothing can be the beginning of a tag or a comment. What is replaced is an escape of CSS. */
  const styleText = (text: string): string => text.replace(/<(?=[a-z/!?])/gi, "\\3c ")

  const adopted = (root: Document | ShadowRoot): string => {
    const rules = [...root.adoptedStyleSheets].map(rulesOf).join("\n")
    return rules === "" ? "" : `<style>${styleText(rules)}</style>`
  }

  const isLeftOut = (element: Element): boolean => {
    const name = element.localName.toLowerCase()
    if (dropped.has(name)) return true
    if (name === "meta") return attribute(element, "http-equiv") !== null
    if (name !== "link") return false
    const rel = attribute(element, "rel")?.toLowerCase() ?? ""
    return /preload|prefetch|preconnect|prerender|import/.test(rel) || attribute(element, "as") === "script"
  }

  /** Where relative addresses begin. What a form or a sign-in put into the query is no part of that. */
  const baseOf = (of: Document): string => of.baseURI.replace(/[?#].*$/s, "").replace(/^(\w+:\/\/)[^/]*@/, "$1")

  /** Adds a piece if there is room for it and for what will close it; once there is none, nothing more is added. */
  const add = (out: Array<string>, piece: string, close = ""): boolean => {
    if (cut) return false
    const size = encoder.encode(piece).length + close.length
    if (size > left) {
      cut = true
      return false
    }
    left -= size
    out.push(piece)
    return true
  }

  const policyElement = `<meta http-equiv="content-security-policy" content="${escapeAttribute(policy)}">`

  const childrenOf = (parent: Node, out: Array<string>): void => {
    for (let child = parent.firstChild; child !== null && !cut; child = child.nextSibling) nodeOf(child, out)
  }

  const nodeOf = (node: Node, out: Array<string>): void => {
    if (node.nodeType === 3) {
      add(out, escapeText(node.nodeValue ?? ""))
      return
    }
    if (node.nodeType !== 1) return
    const element = node as Element
    if (isLeftOut(element)) return
    // In the place of an element whose name is no name in HTML stands one without a meaning.
    const name = safeName.test(element.localName) ? element.localName.toLowerCase() : "span"
    if (name === "iframe" || name === "frame") {
      frameOf(element as HTMLIFrameElement, out)
      return
    }
    const close = voids.has(name) ? "" : `</${name}>`
    if (!add(out, `<${name}${attributesOf(element)}>`, close)) return
    const view = element.ownerDocument.defaultView ?? window
    if (name === "head") {
      add(out, policyElement)
      add(out, `<base href="${escapeAttribute(baseOf(element.ownerDocument))}">`)
    }
    if (element.shadowRoot !== null && add(out, '<template shadowrootmode="open">', "</template>")) {
      add(out, adopted(element.shadowRoot))
      childrenOf(element.shadowRoot, out)
      out.push("</template>")
    }
    if (element instanceof view.HTMLStyleElement) {
      const own = element.textContent ?? ""
      add(out, styleText(own.trim() === "" ? rulesOf(element.sheet) : own))
    } else if (element instanceof view.HTMLTextAreaElement) add(out, escapeText(`\n${element.value}`))
    else if (close !== "") childrenOf(element, out)
    if (name === "head") add(out, adopted(element.ownerDocument))
    out.push(close)
    // Where the snapshot is shown, the sheet is not loaded.
    if (element instanceof view.HTMLLinkElement && element.sheet !== null && !element.sheet.disabled) {
      const media = element.media === "" ? "" : ` media="${escapeAttribute(element.media)}"`
      const rules = rulesOf(element.sheet)
      if (rules !== "") add(out, `<style${media}>${styleText(rules)}</style>`)
    }
  }

  /** A frame with its document in it where that may be read. What it holds is written apart, as it stands in an attribute. */
  const frameOf = (frame: HTMLIFrameElement, out: Array<string>): void => {
    let inner: Document | null = null
    try {
      inner = frame.contentDocument ?? null
      // What the browser says of an address that it did not reach is no part of the page.
      if (inner?.documentURI.startsWith("chrome-error:") === true) inner = null
    } catch {}
    const attributes = attributesOf(frame).replace(/ (src|sandbox)="[^"]*"/gi, "")
    const parts: Array<string> = []
    depth++
    if (inner !== null) documentOf(inner, parts)
    else {
      keep(`snapshot ${others}`, frame)
      parts.push(`${mark}x${others++}x${depth}x`)
    }
    depth--
    const plain = parts.join("")
    let content = escapeAttribute(plain)
    // Escaped once more, it may be larger than what was counted.
    left -= encoder.encode(content).length - encoder.encode(plain).length
    if (left < 0) {
      cut = true
      content = ""
    }
    out.push(`<iframe${attributes} sandbox="" srcdoc="${content}"></iframe>`)
  }

  const documentOf = (of: Document, out: Array<string>): void => {
    add(out, "<!doctype html>")
    if (of.head === null) add(out, policyElement)
    if (of.documentElement !== null) nodeOf(of.documentElement, out)
  }

  const out: Array<string> = []
  documentOf(document, out)
  if (cut) out.push(`<p><strong>This snapshot was cut: the page is larger than ${maxBytes} bytes</strong></p>`)
  return { html: out.join(""), others }
}
