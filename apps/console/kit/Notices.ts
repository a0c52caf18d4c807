/** Short messages about a success or a failure. They stay long enough to be read. */
import { Atom } from "effect/reactivity"
import { plain } from "../data/PlainText.ts"
import { registry } from "./Registry.ts"

export interface Notice {
  readonly id: number
  readonly kind: "done" | "problem"
  readonly text: string
  /** The place within the page that says more. */
  readonly more?: { readonly word: string; readonly address: string }
}

export const notices = Atom.keepAlive(Atom.make<ReadonlyArray<Notice>>([]))

let last = 0

export const say = (kind: Notice["kind"], text: string, more?: Notice["more"]): void => {
  const id = ++last
  const notice = { id, kind, text: plain(text), ...(more === undefined ? {} : { more }) }
  registry.update(notices, (all) => [...all.slice(-1), notice])
  setTimeout(() => dismiss(id), kind === "done" && more === undefined ? 5_000 : 12_000)
}

export const dismiss = (id: number): void => registry.update(notices, (all) => all.filter((one) => one.id !== id))
