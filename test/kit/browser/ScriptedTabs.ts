/** The tabs of a browser in memory. */
import { Effect, Ref } from "effect"
import { defaultPageLimits, tooManyTabs } from "../../../core/agent/Limits.ts"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import type { Dialog, Tabs } from "../../../core/browser/Tabs.ts"

/** A dialog of a page. A prompt may propose an answer. */
export interface ScriptedDialog extends Omit<Dialog, "entered"> {
  readonly proposes?: string
}

interface Open {
  /** In the order in which they were opened. */
  readonly ids: ReadonlyArray<number>
  /** In the order in which they were looked at, the present one last. */
  readonly looked: ReadonlyArray<number>
  readonly next: number
}

export interface ScriptedTabs extends Tabs {
  readonly says: (dialog: ScriptedDialog) => Effect.Effect<void>
}

/**
 * Tabs with the state of the active one in `state`. `fresh` is the state of an empty tab, with what belongs to the
 * session as a whole taken from another.
 */
export const make = <S>(state: Ref.Ref<S>, fresh: (from: S) => S, carry: (to: S, from: S) => S) =>
  Effect.gen(function* () {
    const open = yield* Ref.make<Open>({ ids: [0], looked: [0], next: 1 })
    const aside = new Map<number, S>()
    const shown = yield* Ref.make<ReadonlyArray<Dialog>>([])

    const turnTo = (id: number) =>
      Effect.gen(function* () {
        const { looked } = yield* Ref.get(open)
        const present = yield* Ref.get(state)
        const before = looked.at(-1)
        if (before !== undefined) aside.set(before, present)
        yield* Ref.set(state, carry(aside.get(id) ?? fresh(present), present))
        yield* Ref.update(open, (now) => ({ ...now, looked: [...now.looked.filter((one) => one !== id), id] }))
      })

    const openTab = Effect.gen(function* () {
      const { ids, next } = yield* Ref.get(open)
      if (ids.length >= defaultPageLimits.tabs) return yield* tooManyTabs(defaultPageLimits)
      yield* Ref.update(open, (now) => ({ ...now, ids: [...now.ids, next], next: next + 1 }))
      yield* turnTo(next)
    })

    const at = (index: number) =>
      Effect.gen(function* () {
        const { ids } = yield* Ref.get(open)
        const id = ids[index]
        if (id !== undefined) return id
        const reason =
          ids.length === 1
            ? "only 1 tab is open, number 0"
            : `${ids.length} tabs are open, numbers 0 to ${ids.length - 1}`
        return yield* new PageFailure({ kind: "tab", reason })
      })

    return {
      tabs: Effect.map(Ref.get(open), ({ ids, looked }) => ({
        open: ids.length,
        current: ids.indexOf(looked.at(-1) ?? -1)
      })),
      openTab,
      switchTab: (index) => Effect.flatMap(at(index), turnTo),
      closeTab: Effect.fnUntraced(function* (index) {
        const { looked } = yield* Ref.get(open)
        const id = index === null ? (looked.at(-1) ?? 0) : yield* at(index)
        if ((yield* Ref.get(open)).ids.length === 1) yield* openTab
        const present = (yield* Ref.get(open)).looked.at(-1)
        const left = (yield* Ref.get(open)).looked.filter((one) => one !== id)
        if (present === id) yield* turnTo(left.at(-1) ?? 0)
        yield* Ref.update(open, (now) => ({
          ...now,
          ids: now.ids.filter((one) => one !== id),
          looked: now.looked.filter((one) => one !== id)
        }))
        aside.delete(id)
      }),
      dialogs: Ref.getAndSet(shown, []),
      says: ({ kind, message, proposes = "" }) =>
        Ref.update(shown, (before) => [...before, { kind, message, entered: kind === "prompt" ? proposes : null }])
    } satisfies ScriptedTabs
  })
