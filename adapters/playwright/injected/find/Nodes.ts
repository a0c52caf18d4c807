/**
 * What nodes have, read by the getters of the DOM itself: a form hides its own properties behind fields of their names,
 * such as `id` or `children`.
 */

/** Whether a node is an element, of this document or of one in a frame. */
export const isElement = (node: Node): node is Element => node.nodeType === 1

const getter = <A>(of: object, name: string): ((node: Node) => A) => {
  const get = Object.getOwnPropertyDescriptor(of, name)?.get
  // `of` has a getter of this name and type.
  return (node) => get?.call(node) as A
}

export const parentOf = getter<Node | null>(Node.prototype, "parentNode")
export const firstOf = getter<Node | null>(Node.prototype, "firstChild")
export const lastOf = getter<Node | null>(Node.prototype, "lastChild")
export const nextOf = getter<Node | null>(Node.prototype, "nextSibling")
export const previousOf = getter<Node | null>(Node.prototype, "previousSibling")
export const childrenOf = getter<NodeListOf<ChildNode>>(Node.prototype, "childNodes")
export const attributesOf = getter<NamedNodeMap>(Element.prototype, "attributes")
export const idOf = getter<string>(Element.prototype, "id")

/** The fields and buttons of a form. */
export const controlsOf = getter<HTMLFormControlsCollection>(HTMLFormElement.prototype, "elements")

/** The elements that are children of an element. */
export const innerOf = getter<HTMLCollection>(Element.prototype, "children")

const open = getter<ShadowRoot | null>(Element.prototype, "shadowRoot")

/** The closed shadow roots that were opened to this world, by their hosts. */
const closed = Symbol.for("sluice.closed")

const shadow = (node: Node): ShadowRoot | null => {
  const roots: WeakMap<Node, ShadowRoot> | undefined = Reflect.get(globalThis, closed)
  return open(node) ?? roots?.get(node) ?? null
}

/** The shadow root of a node: an open one, or a closed one that was opened to this world. `null` where there is none. */
export const shadowOf = (node: Node): ShadowRoot | null => (node.nodeType === 1 ? shadow(node) : null)

/** Whether any element of the document has a shadow root that can be searched. */
export const hasShadow = (): boolean => {
  for (const element of document.querySelectorAll("*")) if (shadow(element) !== null) return true
  return false
}

/** Whether the document, or a shadow root in it, has frames. */
export const hasFrames = (root: ParentNode = document): boolean => {
  if (root.querySelector("iframe,frame,object,embed") !== null) return true
  for (const element of root.querySelectorAll("*")) {
    const inner = shadow(element)
    if (inner !== null && hasFrames(inner)) return true
  }
  return false
}
