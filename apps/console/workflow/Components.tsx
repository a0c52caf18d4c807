/** The components of the steps of a workflow, and the other workflows that contain each. */
import { Effect } from "effect"
import { useMemo } from "preact/hooks"
import type { Workflow } from "../data/Workflows.ts"
import { useQuery } from "../kit/Loaded.tsx"
import { Section } from "../kit/Page.tsx"
import { to } from "../kit/Route.ts"
import { query } from "../kit/Service.ts"
import { componentsOf } from "./WorkflowModel.ts"

export const Components = ({ workflow: { id, nodes } }: { readonly workflow: Workflow }) => {
  const found = useMemo(() => componentsOf(nodes), [nodes])
  const asked = useMemo(
    () =>
      query((client) =>
        Effect.forEach(
          found,
          ({ id: component_id, steps }) =>
            Effect.all({
              steps: Effect.succeed(steps),
              component: client["workflow components"].getComponent({ params: { component_id } }),
              usage: client["workflow components"].componentUsage({ params: { component_id } })
            }).pipe(Effect.option),
          { concurrency: 6 }
        )
      ),
    [found]
  )
  const { value } = useQuery(asked)
  if (found.length === 0) return null
  return (
    <Section title="Components" note="Parts that several workflows share: a new version of one updates them all">
      <ul class="entries">
        {(value ?? []).map((one) => {
          if (one._tag === "None") return null
          const { component, steps, usage } = one.value
          const others = usage.filter((other) => other.id !== id)
          return (
            <li key={component.id}>
              <b>{component.name}</b>
              <span class="quiet">
                version {component.version_number} · {steps} {steps === 1 ? "step" : "steps"} here ·{" "}
                {others.length === 0 ? "in no other workflow" : "also in "}
                {others.slice(0, 8).map((other, index) => (
                  <span key={other.id}>
                    {index > 0 && ", "}
                    <a href={to(["workflows", other.id])}>{other.name}</a>
                  </span>
                ))}
                {others.length > 8 && ` and ${others.length - 8} more`}
              </span>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
