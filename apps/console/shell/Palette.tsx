/** Goes to a place or a workflow by a few letters of its name. */
import { useState } from "preact/hooks"
import { savedViews } from "../data/SavedViews.ts"
import { workflows } from "../data/Workflows.ts"
import { Dialog } from "../kit/Dialog.tsx"
import { useQuery } from "../kit/Loaded.tsx"
import { useAtom } from "../kit/Registry.ts"
import { go, to } from "../kit/Route.ts"
import { leave } from "../kit/Session.ts"
import { type Choice, ranked } from "./PaletteModel.ts"

const isId = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i

const fixed: ReadonlyArray<Choice> = [
  { word: "Home", kind: "Place", address: to([]) },
  { word: "Runs", kind: "Place", address: to(["runs"]) },
  { word: "Held runs", kind: "Place", address: to(["runs"], { status: "execution.paused" }) },
  { word: "Failed runs", kind: "Place", address: to(["runs"], { status: "execution.failed" }) },
  { word: "Workflows", kind: "Place", address: to(["workflows"]) },
  { word: "New workflow", kind: "Action", address: to(["workflows"], { new: "1" }) },
  { word: "Bring it: a file of another program", kind: "Action", address: to(["bring"]) },
  { word: "Vault", kind: "Place", address: to(["vault"]) },
  { word: "Webhooks", kind: "Place", address: to(["webhooks"]) },
  { word: "Alerts", kind: "Place", address: to(["alerts"]) },
  { word: "Files", kind: "Place", address: to(["files"]) },
  { word: "Schedules", kind: "Place", address: to(["schedules"]) },
  { word: "Limits", kind: "Place", address: to(["limits"]) },
  { word: "Error codes", kind: "Place", address: to(["error-codes"]) },
  { word: "Members", kind: "Place", address: to(["members"]) },
  { word: "Settings", kind: "Place", address: to(["settings"]) },
  { word: "Audit", kind: "Place", address: to(["audit"]) },
  { word: "Keys", kind: "Place", address: to(["keys"]) },
  { word: "API reference", kind: "Place", address: "docs" },
  { word: "Sign out", kind: "Action", address: "" }
]

export const Palette = ({ onClose }: { readonly onClose: () => void }) => {
  const [text, setText] = useState("")
  const [at, setAt] = useState(0)
  const known = useQuery(workflows).value ?? []
  const views = useAtom(savedViews)
  const choices: ReadonlyArray<Choice> = [
    ...(isId.test(text.trim())
      ? [{ word: `Run ${text.trim()}`, kind: "Run", address: to(["runs", text.trim()]) }]
      : []),
    ...fixed,
    ...views.map(({ name, query }) => ({ word: name, kind: "Saved view", address: `${to(["runs"])}?${query}` })),
    ...known.flatMap(({ id, name }) => [
      { word: name, kind: "Workflow", address: to(["workflows", id]) },
      { word: `${name}: window`, kind: "Window", address: to(["workflows", id, "window"]) },
      { word: `${name}: runs`, kind: "Runs", address: to(["runs"], { workflow: id }) }
    ])
  ]
  const found = ranked(choices, text).slice(0, 12)
  const chosen = Math.min(at, found.length - 1)
  const take = (choice: Choice | undefined) => {
    if (choice === undefined) return
    onClose()
    if (choice.address === "") void leave()
    else if (choice.address.startsWith("#")) go(choice.address)
    else location.assign(choice.address)
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setAt(Math.min(chosen + 1, found.length - 1))
    else if (event.key === "ArrowUp") setAt(Math.max(chosen - 1, 0))
    else if (event.key === "Enter") take(found[chosen])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Go to or do" onClose={onClose}>
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length === 0 ? undefined : `palette-${chosen}`}
        aria-label="Place, workflow, action or the id of a run"
        placeholder="A place, a workflow, or the id of a run"
        autofocus
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setAt(0)
        }}
        onKeyDown={pressed}
      />
      <ul class="palette" id="palette-list" role="listbox" aria-label="Found">
        {found.map((choice, index) => (
          <li
            key={choice.word + choice.kind}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => take(choice)}
          >
            <span>{choice.word}</span>
            <span class="quiet">{choice.kind}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="note">Nothing found with this name.</p>}
    </Dialog>
  )
}
