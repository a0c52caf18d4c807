/**
 * Opens closed shadow roots to the isolated world of a page, in which selectors are evaluated.
 *
 * DevTools lists the closed roots and hands them to that world, whose `shadowRoot` then returns them. The page cannot
 * detect this or access the roots: its own `shadowRoot` stays `null`. Roots of the browser's own controls stay closed.
 */
import type { CDPSession, Frame } from "playwright-core"
import type { Tab } from "../page/Tabs.ts"
import { within } from "../TimeLimit.ts"

/** Timeout of one search for closed roots, in milliseconds. */
const lookMillis = 3_000

/** The pause between two looks at one tab, in milliseconds. */
const pauseMillis = 1_000

/** Maximum number of opened closed roots of a page. */
const mostRoots = 500

const looked = new WeakMap<Tab, number>()

/** Opens the closed roots that a tab has now. At most once in a second; returns whether it looked. */
export const open = async (tab: Tab): Promise<boolean> => {
  const now = performance.now()
  if (now - (looked.get(tab) ?? -Infinity) < pauseMillis) return false
  looked.set(tab, now)
  const main = tab.page.mainFrame()
  await within(
    lookMillis,
    Promise.all(tab.page.frames().map((frame) => openIn(tab, frame, frame === main))).catch(() => undefined)
  )
  return true
}

/** The pause before the first look of a wait, in milliseconds. Each further pause is twice as long. */
const firstMillis = 400

/** Opens closed roots repeatedly while an element is missing, until the returned function is called. */
export const openWhile = (current: () => Tab, isMissing: (tab: Tab) => Promise<boolean>): (() => void) => {
  let timer: NodeJS.Timeout
  const next = (millis: number): void => {
    timer = setTimeout(() => {
      openIfMissing(current(), isMissing).catch(() => undefined)
      next(2 * millis)
    }, millis)
  }
  next(firstMillis)
  return () => clearTimeout(timer)
}

const openIfMissing = async (tab: Tab, isMissing: (tab: Tab) => Promise<boolean>): Promise<void> => {
  if (await isMissing(tab)) await open(tab)
}

/** Opens the closed roots of a frame's process. A frame without its own process is part of the frame around it. */
const openIn = async (tab: Tab, frame: Frame, isMain: boolean): Promise<void> => {
  const context = tab.page.context()
  const line = await (isMain ? context.newCDPSession(tab.page) : context.newCDPSession(frame)).catch(() => null)
  if (line === null) return
  try {
    await openAll(line)
  } finally {
    line.detach().catch(() => undefined)
  }
}

interface Described {
  readonly backendNodeId: number
  readonly frameId?: string
  readonly shadowRootType?: string
  readonly children?: ReadonlyArray<Described>
  readonly shadowRoots?: ReadonlyArray<Described>
  readonly contentDocument?: Described
}

const openAll = async (line: CDPSession): Promise<void> => {
  const worlds = new Map<string, number>()
  let main = ""
  line.on("Runtime.executionContextCreated", ({ context: { auxData, id, name } }) => {
    const frameId: unknown = auxData?.frameId
    if (typeof frameId !== "string") return
    if (main === "") main = frameId
    if (name.startsWith("__playwright_utility_world_")) worlds.set(frameId, id)
  })
  // The browser names the worlds that there are before it answers.
  await line.send("Runtime.enable")
  const { frameTree } = await line.send("Page.getFrameTree")
  main = frameTree.frame.id
  const { result } = await line.send("Runtime.evaluate", { expression: "document" })
  if (result.objectId === undefined) return
  const { node } = await line.send("DOM.describeNode", { objectId: result.objectId, depth: -1, pierce: true })
  const roots = closedIn(node, main).slice(0, mostRoots)
  for (const { backendNodeId, frameId } of roots) {
    const executionContextId = worlds.get(frameId)
    if (executionContextId === undefined) continue
    const { object } = await line.send("DOM.resolveNode", { backendNodeId, executionContextId })
    if (object.objectId === undefined) continue
    await line.send("Runtime.callFunctionOn", { objectId: object.objectId, functionDeclaration: String(keep) })
  }
}

/** The closed shadow roots below a node, outer ones first, each with the frame it is in. */
const closedIn = (
  root: Described,
  main: string
): ReadonlyArray<{ readonly backendNodeId: number; readonly frameId: string }> => {
  const found: Array<{ readonly backendNodeId: number; readonly frameId: string }> = []
  const left: Array<readonly [Described, string]> = [[root, main]]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [node, frameId] = next
    if (node.shadowRootType === "closed") found.push({ backendNodeId: node.backendNodeId, frameId })
    for (const described of [...(node.children ?? []), ...(node.shadowRoots ?? [])]) left.push([described, frameId])
    if (node.contentDocument !== undefined) left.push([node.contentDocument, node.frameId ?? frameId])
  }
  return found
}

/** Runs in the isolated world, with a closed root as `this`. */
const keep = function (this: ShadowRoot): void {
  const key = Symbol.for("sluice.closed")
  let roots: WeakMap<Element, ShadowRoot> | undefined = Reflect.get(globalThis, key)
  if (roots === undefined) {
    const kept = new WeakMap<Element, ShadowRoot>()
    const own = Object.getOwnPropertyDescriptor(Element.prototype, "shadowRoot")
    Object.defineProperty(globalThis, key, { value: kept })
    Object.defineProperty(Element.prototype, "shadowRoot", {
      configurable: true,
      get(this: Element): ShadowRoot | null {
        return own?.get?.call(this) ?? kept.get(this) ?? null
      }
    })
    roots = kept
  }
  roots.set(this.host, this)
}
