/** A document with what people see of it and no attribute says: values, drawings, shadow roots, and rules of scripts. */
import { rulesOf, styleText } from "./Styles.ts"

/** The document as HTML that shows the same without scripts, and runs none. */
export const written = (of: Document): string => {
  const style = (sheet: CSSStyleSheet): Element => {
    const element = of.createElement("style")
    element.textContent = styleText(rulesOf(sheet))
    return element
  }
  const fill = (to: ParentNode, from: ParentNode & Node, { adoptedStyleSheets = [] }: Partial<DocumentOrShadowRoot>) =>
    to.append(...[...from.childNodes].map(copied), ...adoptedStyleSheets.map(style))
  const copied = (node: Node): Node => {
    const copy = node.cloneNode(false)
    if (node.nodeType !== 1) return copy
    const [from, to] = [node as HTMLElement, copy as HTMLElement]
    // What kind of element it is, and whether it may be read, shows when it is tried.
    const { checked, selected, value } = from as Partial<HTMLInputElement & HTMLOptionElement>
    if (from.shadowRoot !== null) {
      const root = of.createElement("template")
      root.setAttribute("shadowrootmode", "open")
      fill(root.content, from.shadowRoot, from.shadowRoot)
      to.append(root)
    }
    fill(to, from, from === of.documentElement ? of : {})
    try {
      switch (from.localName) {
        case "canvas": {
          const picture = of.createElement("img")
          for (const { name, value } of from.attributes) picture.setAttribute(name, value)
          picture.src = (from as HTMLCanvasElement).toDataURL()
          return picture
        }
        case "iframe": {
          const inner = (from as HTMLIFrameElement).contentDocument
          if (inner !== null) to.setAttribute("srcdoc", written(inner))
          break
        }
        case "input":
          to.setAttribute("value", `${value}`)
          to.toggleAttribute("checked", checked)
          break
        case "option":
          to.toggleAttribute("selected", selected)
          break
        case "style": {
          const { sheet } = from as HTMLStyleElement
          if (sheet !== null) to.textContent = styleText(rulesOf(sheet))
          break
        }
        case "textarea":
          to.textContent = `${value}`
      }
    } catch {
      // What shows something of another site may not be read.
    }
    return to
  }
  const [kind, root] = [of.compatMode === "BackCompat" ? "" : "<!doctype html>", copied(of.documentElement) as Element]
  return `${kind}<meta http-equiv="content-security-policy" content="script-src 'none'">${root.outerHTML}`
}
