/**
 * Pages that ask to be printed, by `print()` or `document.execCommand("print")` in any of their windows and frames.
 *
 * The browser's own dialog belongs to no page, and no PDF can be made while it is open. Each document therefore answers the
 * call itself: as with the dialog, what it shows at that moment is what is printed, whatever it shows afterwards.
 */
import { randomBytes } from "node:crypto"
import type { BrowserContext, Frame, Page } from "playwright-core"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import { expressionOf } from "../../script/Script.ts"
import type { Asked } from "../injected/act/Printing.ts"
import type { Tabs } from "../page/Tabs.ts"
import { within } from "../TimeLimit.ts"

/** How long a page may take to be printed, in milliseconds. */
export const printMillis = 60_000

let source: string | undefined
let picker: string | undefined

/** The scripts that answer: pages that ask to be printed, by a binding, and those that ask for a file. */
const answering = (binding: string): string => {
  source ??= expressionOf(new URL("../injected/act/Printing.ts", import.meta.url))
  picker ??= expressionOf(new URL("../injected/act/FilePicker.ts", import.meta.url))
  return `${source}.answerPrinting("${binding}");${picker}.answerPicker()`
}

/** Maximum number of calls that are kept at one time. */
const mostCalls = 20

/** A call of a page. */
export interface Call {
  /** The document that was printed, or why it could not be; `null` while it is being printed. */
  printed: { readonly title: string; readonly pdf: Uint8Array } | PageFailure | null
}

export interface PrintCalls {
  /** Those that were not taken, oldest first. */
  readonly waiting: () => ReadonlyArray<Call>
  /** Takes them all. The pages may ask again. */
  readonly take: () => void
}

export const pdfOf = (page: Page): Promise<Uint8Array> => page.pdf({ printBackground: true, preferCSSPageSize: true })

type Answer = (source: { readonly frame: Frame; readonly page: Page }, what: Asked) => unknown

/** What answers the calls of the pages of a context. */
const answers = new WeakMap<BrowserContext, { answer: Answer }>()

/** Has each document of a new context answer its calls. Pickers of files are answered by it as well, by one message. */
export const prepare = async (context: BrowserContext): Promise<void> => {
  const state: { answer: Answer } = { answer: () => undefined }
  answers.set(context, state)
  const binding = `f${randomBytes(8).toString("hex")}`
  await context.exposeBinding(binding, (source, what: Asked) => state.answer(source, what))
  await context.addInitScript({ content: answering(binding) })
}

export const follow = (tabs: Tabs): PrintCalls => {
  let calls: Array<Call> = []
  const letting: Array<() => void> = []
  /** One at a time, so that they are kept in their order. */
  let last: Promise<unknown> = Promise.resolve()

  const asked: Answer = ({ frame, page }, what) => {
    // A document answers its next call when this one was taken.
    const taken = new Promise<void>((resolve) => letting.push(resolve))
    if (calls.length >= mostCalls) return taken
    const call: Call = { printed: null }
    calls.push(call)
    const isPage = what.own && frame === page.mainFrame()
    last = last.then(async () => {
      if (!calls.includes(call)) return
      const pdf = (isPage ? await ofPage(page, what.call) : null) ?? (await within(printMillis, ofCopy(tabs, what)))
      call.printed = pdf === null ? notPrinted : { title: what.title, pdf }
    })
    last = last.catch(() => {
      call.printed = failure("the page that asked to be printed could not be printed")
    })
    return taken
  }

  const prepared = answers.get(tabs.current().page.context())
  if (prepared !== undefined) prepared.answer = asked

  return {
    waiting: () => calls,
    take: () => {
      calls = []
      for (const go of letting.splice(0)) go()
    }
  }
}

const failure = (reason: string): PageFailure => new PageFailure({ kind: "download", reason })

export const notPrinted = failure(`it was not printed within ${printMillis} ms`)

export const late = (waitMillis: number): PageFailure =>
  failure(`the page asked to be printed, which took longer than ${waitMillis / 1_000} s (timeout_seconds)`)

/** The page itself, as long as it shows what it showed when it asked; `null` otherwise. */
const ofPage = async (page: Page, call: Asked["call"]): Promise<Uint8Array | null> => {
  const isSame = () =>
    page.evaluate((one) => Reflect.get(window, Symbol.for("sluice.printed"))?.(...one) === true, call)
  try {
    if (!(await isSame())) return null
    const pdf = await within(printMillis, pdfOf(page))
    return (await isSame()) ? pdf : null
  } catch {
    // It has gone meanwhile.
    return null
  }
}

/** The copy of a document, at its address and without its scripts. */
const ofCopy = ({ beside }: Tabs, { html, url }: Asked): Promise<Uint8Array> =>
  beside(async (page) => {
    const address = url.replace(/#.*$/s, "")
    if (!/^https?:/.test(address)) await page.setContent(html)
    else {
      await page.route(
        (at) => at.href === address,
        (route) => route.fulfill({ contentType: "text/html; charset=utf-8", body: html }),
        { times: 1 }
      )
      await page.goto(address)
    }
    return pdfOf(page)
  })
