/**
 * Captures the text that a page copies on a click. It does not reach the clipboard of the browser, which other sessions
 * share, and the page needs no permission.
 */
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import { maxCopied } from "../../../core/browser/vision/Typing.ts"
import type { Tab } from "../page/Tabs.ts"
import { within } from "../TimeLimit.ts"

/** The interval at which copied text is checked for, in milliseconds. */
const lookMillis = 50

/** How long a frame is waited for that does not answer before the act, in milliseconds. */
const frameMillis = 2_000

/** How long one look at a frame may take, in milliseconds: a long text takes its time. */
const answerMillis = 5_000

/** What a page has copied: its length, and as much of it as is taken. */
interface Copied {
  readonly length: number
  readonly text: string
}

/**
 * Runs an action, and returns the text that the page copies within a number of milliseconds. Frames that do not answer
 * are skipped.
 */
export const during = async (tab: Tab, millis: number, act: () => Promise<unknown>): Promise<string> => {
  const listening = tab.page.frames().map(async (frame) => {
    const isListening = await within(frameMillis, frame.evaluate(listen))
    return isListening === true ? [frame] : []
  })
  const frames = (await Promise.all(listening)).flat()
  try {
    await act()
    const until = performance.now() + millis
    while (true) {
      const all = await Promise.all(frames.map((frame) => within(answerMillis, frame.evaluate(take, maxCopied))))
      const copied = all.find((text) => text !== null)
      if (copied != null) return taken(copied)
      if (performance.now() > until) throw failed(`the page copied nothing within ${millis} ms after the click`)
      await new Promise((resolve) => setTimeout(resolve, lookMillis))
    }
  } finally {
    await Promise.all(frames.map((frame) => within(frameMillis, frame.evaluate(stop))))
  }
}

const taken = ({ length, text }: Copied): string => {
  if (length <= maxCopied) return text
  throw failed(`the page copied ${length} characters: at most ${maxCopied} are taken`)
}

const failed = (reason: string): PageFailure => new PageFailure({ kind: "unusable", reason, acted: true })

/** Runs in the world of the page: takes over what it copies by the two ways that pages have. Always `true`. */
const listen = (): boolean => {
  const held: { text: string | null; stop: () => void } = { text: null, stop: () => undefined }
  const { clipboard } = navigator
  const put = (text: string): void => {
    held.text = text
  }
  const own = {
    writeText: (text: string) => Promise.resolve(put(String(text))),
    write: async (items: ReadonlyArray<ClipboardItem>) => {
      for (const item of items) {
        const type = item.types.find((mime) => mime === "text/plain") ?? item.types.find((mime) => mime === "text/html")
        if (type !== undefined) put(await (await item.getType(type)).text())
      }
    }
  }
  // Pages of insecure origins have no clipboard.
  const isThere = clipboard !== undefined
  if (isThere) {
    for (const [name, value] of Object.entries(own))
      Object.defineProperty(clipboard, name, { value, configurable: true })
  }
  const onCopy = (event: ClipboardEvent): void => {
    const written = event.clipboardData?.getData("text/plain") ?? ""
    const field = document.activeElement
    const isField = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement
    const chosen = isField
      ? field.type === "password"
        ? ""
        : field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0)
      : String(getSelection())
    put(event.defaultPrevented ? written : chosen)
    event.clipboardData?.clearData()
    event.preventDefault()
  }
  addEventListener("copy", onCopy)
  held.stop = () => {
    removeEventListener("copy", onCopy)
    if (isThere) for (const name of Object.keys(own)) Reflect.deleteProperty(clipboard, name)
  }
  Object.defineProperty(window, Symbol.for("sluice.copying"), { value: held, configurable: true })
  return true
}

/** Runs in the world of the page. */
const take = (most: number): Copied | null => {
  const held: { text: string | null } | undefined = Reflect.get(window, Symbol.for("sluice.copying"))
  const text = held?.text ?? null
  return text === null ? null : { length: text.length, text: text.length > most ? "" : text }
}

/** Runs in the world of the page. */
const stop = (): void => {
  const held: { stop: () => void } | undefined = Reflect.get(window, Symbol.for("sluice.copying"))
  held?.stop()
  Reflect.deleteProperty(window, Symbol.for("sluice.copying"))
}
