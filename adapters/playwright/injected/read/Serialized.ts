/**
 * The visible document as inert HTML: without scripts, handlers and refreshes; documents of frames in `srcdoc`, open
 * shadow roots as declarative ones, and the values of fields as attributes, except passwords and codes.
 *
 * A page can build a tree that no parser builds, so that what is written of it is parsed as another tree. Every `<`
 * that is written therefore begins or ends an element that is allowed, in whichever tree it ends up.
 */
import { keep } from "../find/Kept.ts"
import { isElement } from "../find/Nodes.ts"
import { escapeAttribute, escapeText } from "./Escape.ts"
import { attributeOf, safeAttributes, viewOf } from "./SafeAttributes.ts"
import { adopted, rulesOf, styleText } from "./Styles.ts"

/** A document, and how many frames are in it whose documents cannot be read from there. */
export interface Serialized {
  readonly html: string
  readonly others: number
}

export interface SnapshotOptions {
  /**
   * Replaces a document that cannot be read from here, with the number of the frame and the depth of attributes that it
   * is nested in. The frames are kept as `snapshot 0` and so on.
   */
  readonly mark: string
  /** Content over this size is left out, and a note says so. */
  readonly maxBytes: number
  /** The content security policy in the document, for readers who saved it. */
  readonly policy: string
}

/** The document as HTML that does nothing. */
export const serialized = (wanted: SnapshotOptions): Serialized => {
  const writer = new Writer(wanted)
  writer.document(document)
  return writer.end()
}

const voids = new Set("area base br col embed hr img input link meta param source track wbr".split(" "))

const dropped = new Set(
  (
    "script noscript base template object embed applet portal fencedframe " +
    // They may change an attribute of a link to a script after it was checked.
    "animate animatemotion animatetransform animatecolor set handler listener"
  ).split(" ")
)

const safeName = /^[a-z][^\s"'<>/=`]*$/i

const encoder = new TextEncoder()

class Writer {
  readonly wanted: SnapshotOptions
  readonly policy: string
  /** The number of remaining bytes. */
  left: number
  cut = false
  /** The number of attributes of frames around the current output. */
  depth = 0
  others = 0
  out: Array<string> = []

  constructor(wanted: SnapshotOptions) {
    this.wanted = wanted
    this.left = wanted.maxBytes
    this.policy = `<meta http-equiv="content-security-policy" content="${escapeAttribute(wanted.policy)}">`
  }

  end(): Serialized {
    if (this.cut) {
      const most = this.wanted.maxBytes
      this.out.push(`<p><strong>This snapshot was cut: the page is larger than ${most} bytes</strong></p>`)
    }
    return { html: this.out.join(""), others: this.others }
  }

  document(of: Document): void {
    this.add("<!doctype html>")
    if (of.head === null) this.add(this.policy)
    if (of.documentElement !== null) this.node(of.documentElement)
  }

  /** Adds a piece if there is room for it and for what will close it; once there is none, nothing more is added. */
  add(piece: string, close = ""): boolean {
    if (this.cut) return false
    const size = encoder.encode(piece).length + close.length
    if (size > this.left) {
      this.cut = true
      return false
    }
    this.left -= size
    this.out.push(piece)
    return true
  }

  children(parent: Node): void {
    for (let child = parent.firstChild; child !== null && !this.cut; child = child.nextSibling) this.node(child)
  }

  node(node: Node): void {
    if (node.nodeType === 3) this.add(escapeText(node.nodeValue ?? ""))
    else if (isElement(node)) this.element(node)
  }

  element(element: Element): void {
    if (isLeftOut(element)) return
    // An element whose name is no name in HTML is replaced by one without a meaning.
    const name = safeName.test(element.localName) ? element.localName.toLowerCase() : "span"
    // Both kinds of frames have a `contentDocument`.
    if (name === "iframe" || name === "frame") this.frame(element as HTMLIFrameElement)
    else this.tagged(element, name)
  }

  /** An element that is no frame, with what is in it. */
  tagged(element: Element, name: string): void {
    const close = voids.has(name) ? "" : `</${name}>`
    if (!this.add(`<${name}${safeAttributes(element)}>`, close)) return
    if (name === "head") {
      this.add(this.policy)
      this.add(`<base href="${escapeAttribute(baseOf(element.ownerDocument))}">`)
    }
    if (element.shadowRoot !== null && this.add('<template shadowrootmode="open">', "</template>")) {
      this.add(adopted(element.shadowRoot))
      this.children(element.shadowRoot)
      this.out.push("</template>")
    }
    this.content(element, close !== "")
    if (name === "head") this.add(adopted(element.ownerDocument))
    this.out.push(close)
    this.sheet(element)
  }

  /** The content between the tags of an element. */
  content(element: Element, holdsChildren: boolean): void {
    const view = viewOf(element) ?? window
    if (element instanceof view.HTMLStyleElement) {
      const own = element.textContent ?? ""
      // Rules that a script added are not written in the document.
      this.add(styleText(own.trim() === "" ? rulesOf(element.sheet) : own))
    } else if (element instanceof view.HTMLTextAreaElement) this.add(escapeText(`\n${element.value}`))
    else if (holdsChildren) this.children(element)
  }

  /** The rules of a style sheet that is linked: where the snapshot is shown, the sheet is not loaded. */
  sheet(element: Element): void {
    const view = viewOf(element) ?? window
    if (!(element instanceof view.HTMLLinkElement) || element.sheet === null || element.sheet.disabled) return
    const media = element.media === "" ? "" : ` media="${escapeAttribute(element.media)}"`
    const rules = rulesOf(element.sheet)
    if (rules !== "") this.add(`<style${media}>${styleText(rules)}</style>`)
  }

  /**
   * A frame with its document in it where that may be read. Its content is written separately, because it becomes an
   * attribute.
   */
  frame(frame: HTMLIFrameElement): void {
    const attributes = safeAttributes(frame).replace(/ (src|sandbox)="[^"]*"/gi, "")
    const around = this.out
    this.out = []
    this.depth++
    const inner = documentIn(frame)
    if (inner !== null) this.document(inner)
    else {
      keep(`snapshot ${this.others}`, frame)
      this.out.push(`${this.wanted.mark}x${this.others++}x${this.depth}x`)
    }
    this.depth--
    const plain = this.out.join("")
    this.out = around
    let content = escapeAttribute(plain)
    // Escaped once more, it may be larger than what was counted.
    this.left -= encoder.encode(content).length - encoder.encode(plain).length
    if (this.left < 0) {
      this.cut = true
      content = ""
    }
    this.out.push(`<iframe${attributes} sandbox="" srcdoc="${content}"></iframe>`)
  }
}

const isLeftOut = (element: Element): boolean => {
  const name = element.localName.toLowerCase()
  if (dropped.has(name)) return true
  if (name === "meta") return attributeOf(element, "http-equiv") !== null
  if (name !== "link") return false
  const rel = attributeOf(element, "rel")?.toLowerCase() ?? ""
  return /preload|prefetch|preconnect|prerender|import/.test(rel) || attributeOf(element, "as") === "script"
}

/** The base of relative addresses, without the query, which may hold fields of a form or a sign-in. */
const baseOf = (of: Document): string => of.baseURI.replace(/[?#].*$/s, "").replace(/^(\w+:\/\/)[^/]*@/, "$1")

/** The document of a frame; `null` where it may not be read. */
const documentIn = (frame: HTMLIFrameElement): Document | null => {
  try {
    const inner = frame.contentDocument ?? null
    // The browser's text about an address that it did not reach is no part of the page.
    return inner?.documentURI.startsWith("chrome-error:") === true ? null : inner
  } catch {
    return null
  }
}
