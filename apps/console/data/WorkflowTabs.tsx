/** The parts of a workflow, each with its address. */
import { to } from "../kit/Route.ts"

const parts = { outline: "Outline", window: "Window", versions: "Versions", json: "JSON" } as const

export const WorkflowTabs = ({ current, id }: { readonly id: string; readonly current: string }) => (
  <nav class="tabs" aria-label="Parts of this workflow">
    {Object.entries(parts).map(([name, word]) => (
      <a
        key={name}
        href={to(name === "outline" ? ["workflows", id] : ["workflows", id, name])}
        aria-current={name === current ? "page" : undefined}
      >
        {word}
      </a>
    ))}
    <a href={to(["schedules"], { workflow: id })}>Schedules</a>
    <a href={to(["runs"], { workflow: id })}>Runs</a>
  </nav>
)
