/** Short messages about a success or a failure. They stay long enough to be read. */
import { Atom } from "effect/reactivity"
import { plain } from "../data/PlainText.ts"
import { registry } from "./Registry.ts"

export interface Notice {
  readonly id: number
  readonly kind: "done" | "problem"
  readonly text: string
}

export const notices = Atom.keepAlive(Atom.make<ReadonlyArray<Notice>>([]))

let last = 0

export const say = (kind: Notice["kind"], text: string): void => {
  const id = ++last
  registry.update(notices, (all) => [...all.slice(-1), { id, kind, text: plain(text) }])
  setTimeout(() => dismiss(id), kind === "done" ? 5_000 : 12_000)
}

export const dismiss = (id: number): void => registry.update(notices, (all) => all.filter((one) => one.id !== id))
