/**
 * Runs in every document before its scripts: knows the timers that an act began, and when the document last changed by
 * itself. It changes nothing for the page: a timer is what it was, and is called as it was.
 *
 * The world of the engine asks by an event whose name the page does not know; the answer is in the element that comes with it.
 */

/** Longest delay of a timer that counts, and how long after its act it may be due, in milliseconds. */
const longest = 2_000

/**
 * Longest delay of a timer of the load that is waited for before the first act, and of one that nothing known began: it may
 * be of an answer. In milliseconds.
 */
const soon = 500

/** Elements that are pressed so that something happens. */
const controls =
  "button, a[href], summary, [role=button], [role=link], [role=menuitem], input:is([type=submit], [type=button], [type=image])"

/** Events that show an effect of a click. */
const effects = [
  ...["input", "change", "submit", "reset", "toggle", "scroll", "play", "pause", "invalid", "select"],
  ...["hashchange", "popstate", "pagehide", "copy", "cut", "fullscreenchange"]
]

/** What began a timer: an act, the load of the document, or perhaps an answer that came. */
type Cause = "act" | "load" | "answer"

/** Events that acts cause. Those of a moving pointer are not among them. */
const acts = [
  "pointerdown",
  "mousedown",
  "pointerup",
  "mouseup",
  "click",
  "dblclick",
  "auxclick",
  "contextmenu",
  "keydown",
  "keyup",
  "beforeinput",
  "input",
  "change",
  "submit",
  "paste",
  "drop",
  "pointerover",
  "wheel"
]

/** Watches for effects of clicks, and returns whether the last click of a control had none that was seen. */
const watchClicks = (begin: typeof setTimeout): (() => boolean) => {
  /** The last click of a control, and whether an effect of it was seen. */
  let click: { readonly control: Element; isSeen: boolean; hasBubbled: boolean } | null = null
  const see = (): void => {
    if (click !== null) click.isSeen = true
  }
  const changed = new MutationObserver(see)
  addEventListener(
    "click",
    (event) => {
      const target = event.target
      const control = event.isTrusted && target instanceof Element ? target.closest(controls) : null
      changed.disconnect()
      click = control === null ? null : { control, isSeen: false, hasBubbled: false }
      if (control === null) return
      changed.observe(document, { attributes: true, childList: true, characterData: true, subtree: true })
      const own = click
      begin(() => {
        if (own === click) changed.disconnect()
      }, longest)
    },
    { capture: true, passive: true }
  )
  // What a page keeps from here, or from the browser, it has taken for itself.
  addEventListener("click", (event) => {
    if (click !== null) click.hasBubbled = !event.defaultPrevented
  })
  for (const type of effects) addEventListener(type, see, { capture: true, passive: true })
  addEventListener(
    "focusin",
    ({ target }) => {
      if (target instanceof Node && click?.control.contains(target) !== true) see()
    },
    { capture: true, passive: true }
  )
  return () => click?.isSeen === false && click.hasBubbled
}

export const watch = (name: string): void => {
  // Pages replace what is global, also to find out who calls it.
  const { apply } = Reflect
  const begin = setTimeout
  const end = clearTimeout
  const instant = performance.now.bind(performance)
  const write = Element.prototype.setAttribute
  /** The instants at which timers are due, by their ids. Without prototypes, which pages change. */
  const due: Record<Cause | "soon", Record<number, number>> = {
    act: Object.create(null),
    load: Object.create(null),
    answer: Object.create(null),
    soon: Object.create(null)
  }
  /** When the first timer began that led to one of an answer, by its id. */
  const origins: Record<number, number> = Object.create(null)
  let origin = 0
  /** When the document was loaded. */
  let loaded = Number.POSITIVE_INFINITY
  let turn: Cause | null = null
  let turns = 0
  let lastAct = -longest
  let lastChange = -longest

  /** What begins from now until the next turn of the event loop is because of this. */
  const during = (cause: Cause): void => {
    const own = ++turns
    turn = cause
    begin(() =>
      begin(() => {
        if (own === turns) turn = null
      })
    )
  }
  const forget = (id: number): void => {
    delete due.act[id]
    delete due.load[id]
    delete due.answer[id]
    delete due.soon[id]
    delete origins[id]
  }
  const isPending = (timers: Record<number, number>): boolean => {
    const now = instant()
    let any = false
    for (const id in timers) {
      // It should have run; a page that is that busy does not answer either.
      if ((timers[id] ?? 0) + longest < now) delete timers[id]
      else any = true
    }
    return any
  }
  const causeOf = (delay: number): Cause | null => {
    const now = instant()
    if (turn === "act" && now + delay <= lastAct + longest) return "act"
    const isLoad = turn === "load" || (turn === null && now < loaded)
    if (isLoad && delay <= longest && now + delay <= loaded + longest) return "load"
    if (delay > soon || turn === "act" || turn === "load") return null
    return turn === null || now + delay <= origin + longest ? "answer" : null
  }
  window.setTimeout = new Proxy(begin, {
    apply: (target, self, given) => {
      const handler = given[0]
      const wait = given[1]
      const asked = typeof wait === "number" ? wait : typeof wait === "string" ? +wait : 0
      const delay = asked > 0 ? asked : 0
      const cause = typeof handler === "function" ? causeOf(delay) : null
      if (cause === null) return apply(target, self, given)
      const from = cause === "answer" && turn === "answer" ? origin : instant()
      given[0] = function (this: unknown, ...rest: ReadonlyArray<unknown>) {
        forget(id)
        origin = from
        during(cause)
        return apply(handler, this, rest)
      }
      const id: number = apply(target, self, given)
      due[cause][id] = instant() + delay
      if (cause === "answer") origins[id] = from
      if (cause === "load" && delay <= soon) due.soon[id] = instant() + delay
      return id
    }
  })
  window.clearTimeout = new Proxy(end, {
    apply: (target, self, given) => {
      if (typeof given[0] === "number") forget(given[0])
      return apply(target, self, given)
    }
  })
  const acting = () => {
    lastAct = instant()
    during("act")
  }
  for (const type of acts) addEventListener(type, acting, { capture: true, passive: true })
  const isQuiet = watchClicks(begin)
  addEventListener("load", () => {
    begin(() => {
      loaded = instant()
    })
  })
  const changes = new MutationObserver(() => {
    if (turn !== "act") lastChange = instant()
  })
  addEventListener("DOMContentLoaded", () =>
    changes.observe(document, { childList: true, characterData: true, subtree: true })
  )
  addEventListener(name, (event) => {
    const answer = (event as MouseEvent).relatedTarget
    if (answer === null) return
    const timers = `${isPending(due.act) ? 1 : 0},${isPending(due.load) ? 1 : 0},${isPending(due.soon) ? 1 : 0}`
    let begun = ""
    if (isPending(due.answer)) for (const id in due.answer) begun += `,${origins[id] ?? 0}`
    apply(write, answer, ["value", `${timers},${instant() - lastChange},${isQuiet() ? 1 : 0}${begun}`])
  })
}
