/** What a form shows between a save and the next reading of what it saved. */
import { useRef, useState } from "preact/hooks"

/**
 * The stored value of a form: the last one that was read, or saved since. After a save, the reading from before it is not
 * shown again. The query is refreshed after the returned function is called.
 */
export const useSaved = <A>(read: A): readonly [stored: A, setSaved: (value: A) => void] => {
  const latest = useRef(read)
  latest.current = read
  const [saved, set] = useState<{ readonly value: A; readonly before: A } | null>(null)
  return [
    saved !== null && saved.before === read ? saved.value : read,
    (value) => set({ value, before: latest.current })
  ]
}

type Texts = Readonly<Record<string, string>>

/** The texts that were typed or changed after others had been sent: these give way to the stored values. */
export const typedSince = (typed: Texts, sent: Texts): Texts =>
  Object.fromEntries(Object.entries(typed).filter(([name, text]) => sent[name] !== text))
