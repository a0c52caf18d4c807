/** Answers the calls of a page to be printed, in its own world. */
import { written } from "../read/Written.ts"

/** What a document tells when it asks to be printed. */
export interface Asked {
  readonly title: string
  /** Its address, or the one that its relative addresses refer to. */
  readonly url: string
  /** The document as HTML. */
  readonly html: string
  /** Whether it is the document of the frame that tells, and not one of another window. */
  readonly own: boolean
  /** The call: a name of the document, and its number there. */
  readonly call: readonly [document: number, number: number]
}

/** Runs in every document before its own scripts. It tells by the function of the window that `binding` names. */
export const answerPrinting = (binding: string): void => {
  const isSame = Symbol.for("sluice.printed")
  let tell: ((asked: Asked) => Promise<void>) | undefined
  const hear = (given: typeof tell): void => {
    tell = given
    // The page does not see it.
    Reflect.deleteProperty(window, binding)
  }
  // It may be defined after this script has run.
  if (Reflect.has(window, binding)) hear(Reflect.get(window, binding))
  else Object.defineProperty(window, binding, { configurable: true, set: hear })

  /** A window that this one opens blank has no script of ours in it yet. */
  const install = (one: Window & typeof globalThis): void => {
    // How many calls were told of, how many of them are not taken yet, and the first since which nothing has changed.
    let [told, open, sameFrom] = [0, 0, 0]
    const name = Math.random()
    const watch = new one.MutationObserver(() => {
      sameFrom = told
    })
    const settle = (): void => {
      if (watch.takeRecords().length > 0) sameFrom = told
    }
    const call = (): void => {
      one.dispatchEvent(new one.Event("beforeprint"))
      // A person has one dialog at a time; what is asked for beyond a few is not kept.
      if (open < 3) {
        const { baseURI, title } = one.document
        const html = written(one.document)
        settle()
        open++
        tell?.({ title, url: baseURI, html, own: one === window, call: [name, told++] })
          .catch(() => undefined)
          .then(() => open--)
        watch.observe(one.document, { attributes: true, characterData: true, childList: true, subtree: true })
      }
      one.dispatchEvent(new one.Event("afterprint"))
    }
    Object.defineProperty(one, isSame, {
      configurable: true,
      value: (...[document, number]: Asked["call"]) => {
        settle()
        return document === name && number >= sameFrom
      }
    })
    one.print = new Proxy(one.print, { apply: call })
    one.open = new Proxy(one.open, {
      apply: (native, self, args) => {
        const other = Reflect.apply(native, self, args)
        try {
          if (!Reflect.has(other, isSame)) install(other)
        } catch {
          // There is none, or it is of another site.
        }
        return other
      }
    })
    one.Document.prototype.execCommand = new Proxy(one.Document.prototype.execCommand, {
      apply: (native, self, args) => {
        if (`${args[0]}`.toLowerCase() !== "print") return Reflect.apply(native, self, args)
        call()
        return true
      }
    })
  }

  install(window)
}
