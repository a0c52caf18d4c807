/** The saved views of the list: a button for each shows its runs. */
import { useState } from "preact/hooks"
import { canonical, keepViews, mostViews, problemOf, type SavedView, savedViews, withView } from "../data/SavedViews.ts"
import { Field } from "../forms/Field.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { say } from "../kit/Notices.ts"
import { Chip } from "../kit/Page.tsx"
import { useAtom } from "../kit/Registry.ts"
import { go, to } from "../kit/Route.ts"

export const Saved = ({ query }: { readonly query: string }) => {
  const views = useAtom(savedViews)
  const [isNaming, setNaming] = useState(false)
  const here = canonical(query)
  const shown = views.find((view) => view.query === here)
  const show = (view: SavedView) => go(to(["runs"], Object.fromEntries(new URLSearchParams(view.query))))
  const remove = (view: SavedView) => {
    const problem = keepViews(views.filter(({ name }) => name !== view.name))
    say(problem === null ? "done" : "problem", problem ?? `The view ${view.name} was removed`)
  }
  if (views.length === 0 && here === "") return null
  return (
    <div class="chips saved" role="group" aria-label="Saved views">
      {views.map((view) => (
        <Chip key={view.name} pressed={view === shown} onClick={() => show(view)}>
          {view.name}
        </Chip>
      ))}
      {shown === undefined && here !== "" && (
        <button type="button" class="plain" onClick={() => setNaming(true)}>
          Save this view…
        </button>
      )}
      {shown !== undefined && (
        <button type="button" class="plain" onClick={() => remove(shown)}>
          Remove this view
        </button>
      )}
      {isNaming && <Naming query={here} views={views} onClose={() => setNaming(false)} />}
    </div>
  )
}

const Naming = ({
  onClose,
  query,
  views
}: {
  readonly query: string
  readonly views: ReadonlyArray<SavedView>
  readonly onClose: () => void
}) => {
  const [name, setName] = useState("")
  const [problem, setProblem] = useState<string | null>(null)
  const isKnown = views.some((view) => view.name === name.trim())
  const save = (event: Event) => {
    event.preventDefault()
    const wrong = problemOf(name)
    if (wrong !== null) return setProblem(wrong)
    const next = withView(views, { name: name.trim(), query })
    const failed =
      next === null ? `A browser keeps ${mostViews} views. Remove one, or save under the name of one` : keepViews(next)
    if (failed !== null) return setProblem(failed)
    onClose()
  }
  return (
    <Dialog title="Save this view" onClose={onClose}>
      <form class="form" onSubmit={save} noValidate>
        <Field
          label="Name"
          problem={problem}
          hint={isKnown ? "It replaces the view of this name" : "This browser keeps the filters, for you alone"}
        >
          <input
            autofocus
            placeholder="Such as Failed today"
            value={name}
            onInput={({ currentTarget }) => {
              setName(currentTarget.value)
              setProblem(null)
            }}
          />
        </Field>
        <button type="submit" class="primary">
          Save
        </button>
      </form>
    </Dialog>
  )
}
