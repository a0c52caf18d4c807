/**
 * The tree of a document with what open shadow roots hold.
 */

/** The element around an element: in a shadow root, the host of that. */
export const around = (element: Element): Element | null =>
  element.parentElement ?? (element.parentNode instanceof ShadowRoot ? element.parentNode.host : null)

/** The element that an element is drawn in: that of the slot, if it is in one. */
export const drawnIn = (element: Element): Element | null => element.assignedSlot ?? around(element)

/** Everything below a node, what open shadow roots hold included, and at most so many elements. */
export const everything = (root: ParentNode, most: number): Array<Element> => {
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

/** Whether an element is another or is in it, shadow roots looked into. */
export const contains = (outer: Element, inner: Element): boolean => {
  for (let at: Node | null = inner; at !== null; at = at instanceof ShadowRoot ? at.host : at.parentNode) {
    if (at === outer) return true
  }
  return false
}

/** The innermost element at a point of the viewport, shadow roots looked into. */
export const innermostAt = (x: number, y: number): Element | null => {
  let found = document.elementFromPoint(x, y)
  while (found?.shadowRoot != null) {
    const inner = found.shadowRoot.elementFromPoint(x, y)
    if (inner === null || inner === found) break
    found = inner
  }
  return found
}

/** Whether an element holds a document that is drawn in its place. */
export const isFrame = ({ localName }: Element): boolean => /^(i?frame|object|embed|fencedframe)$/i.test(localName)

/** The origin of the document of a frame in the window of the document around it. */
export const originIn = (frame: Element): { readonly x: number; readonly y: number } => {
  const { left, top } = frame.getBoundingClientRect()
  const { paddingLeft, paddingTop } = getComputedStyle(frame)
  return {
    x: left + frame.clientLeft + Number.parseFloat(paddingLeft),
    y: top + frame.clientTop + Number.parseFloat(paddingTop)
  }
}
