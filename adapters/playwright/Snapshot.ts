/**
 * Describes a page as one HTML document. The function is sent into the page as its source, so it uses nothing from
 * outside itself.
 */

/**
 * The document as a person sees it, as HTML that does nothing: scripts, handlers and refreshes are left out; documents
 * of frames stand in `srcdoc`, open shadow roots as declarative ones; what stands in fields stands in attributes, apart
 * from passwords and codes. What is over `maxBytes` is left out, and a note says so.
 */
export const serialize = (maxBytes: number): string => {
  const encoder = new TextEncoder()
  const largestAttribute = 262_144
  const voids = new Set("area base br col embed hr img input link meta param source track wbr".split(" "))
  const dropped = new Set(["script", "noscript", "base", "template", "object", "embed", "applet", "portal"])
  const addresses = new Set(["href", "src", "action", "formaction", "xlink:href", "data", "poster", "background"])
  let left = maxBytes
  let cut = false

  const escapeText = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;")
  const escapeAttribute = (text: string) => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;")

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
      if (lower.startsWith("on") || lower === "srcdoc" || lower === "nonce" || lower === "integrity") continue
      // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers pass over these characters in an address
      if (addresses.has(lower) && /^(javascript|vbscript):/i.test(value.replace(/[\u0000-\u0020]/g, ""))) continue
      if (isSecret(element) && lower !== "type" && value !== "" && value === (element as HTMLInputElement).value)
        continue
      attributes.set(name, value.length > largestAttribute ? "" : value)
    }
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
  const styleText = (text: string): string => text.replace(/<\/(?=style)/gi, "<\\/")

  const adopted = (root: Document | ShadowRoot): string => {
    const rules = [...root.adoptedStyleSheets].map(rulesOf).join("\n")
    return rules === "" ? "" : `<style>${styleText(rules)}</style>`
  }

  const isLeftOut = (element: Element): boolean => {
    const name = element.localName
    if (dropped.has(name)) return true
    if (name === "meta") return element.hasAttribute("http-equiv")
    if (name !== "link") return false
    const rel = element.getAttribute("rel")?.toLowerCase() ?? ""
    return /preload|prefetch|preconnect|prerender/.test(rel) || element.getAttribute("as") === "script"
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
    const name = element.localName
    if (isLeftOut(element)) return
    if (name === "iframe" || name === "frame") {
      frameOf(element as HTMLIFrameElement, out)
      return
    }
    const close = voids.has(name) ? "" : `</${name}>`
    if (!add(out, `<${name}${attributesOf(element)}>`, close)) return
    const view = element.ownerDocument.defaultView ?? window
    if (name === "head") add(out, `<base href="${escapeAttribute(baseOf(element.ownerDocument))}">`)
    if (element.shadowRoot !== null && add(out, '<template shadowrootmode="open">', "</template>")) {
      add(out, adopted(element.shadowRoot))
      childrenOf(element.shadowRoot, out)
      out.push("</template>")
    }
    if (name === "style") {
      const own = element.textContent ?? ""
      add(out, styleText(own.trim() === "" ? rulesOf((element as HTMLStyleElement).sheet) : own))
    } else if (element instanceof view.HTMLTextAreaElement) add(out, escapeText(`\n${element.value}`))
    else if (close !== "") childrenOf(element, out)
    if (name === "head") add(out, adopted(element.ownerDocument))
    out.push(close)
  }

  /** A frame with its document in it where that may be read. What it holds is written apart, as it stands in an attribute. */
  const frameOf = (frame: HTMLIFrameElement, out: Array<string>): void => {
    let inner: Document | null = null
    try {
      inner = frame.contentDocument
    } catch {}
    const attributes = attributesOf(frame).replace(/ (src|sandbox)="[^"]*"/g, "")
    const parts: Array<string> = []
    if (inner !== null) documentOf(inner, parts)
    else parts.push("<p>The document of this frame is of another origin and not part of the snapshot</p>")
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
    if (of.documentElement !== null) nodeOf(of.documentElement, out)
  }

  const out: Array<string> = []
  documentOf(document, out)
  if (cut) out.push(`<p><strong>This snapshot was cut: the page is larger than ${maxBytes} bytes</strong></p>`)
  return out.join("")
}
