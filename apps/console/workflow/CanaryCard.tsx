/** The canary of a workflow: how its version and the one before do, and the end of it by hand. */
import { useMemo } from "preact/hooks"
import { workflowOf } from "../data/Workflows.ts"
import { useQuery } from "../kit/Loaded.tsx"
import { Section } from "../kit/Page.tsx"
import { act, client, query, refresh } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { Ago } from "../kit/Status.tsx"
import { countsOf, headingOf } from "./CanaryModel.ts"

export const CanaryCard = ({ id }: { readonly id: string }) => {
  const params = { workflow_id: id }
  const found = useMemo(() => query((client) => client.canaries.getCanary({ params })), [id])
  const canary = useQuery(found).value
  if (canary === null || canary === undefined) return null
  const end = (how: "promoteCanary" | "stopCanary", done: string) =>
    void act(client().canaries[how]({ params, payload: {} }), { done }).then(() => refresh(found, workflowOf(id)))
  return (
    <Section title={headingOf(canary)}>
      <p>
        {countsOf(canary).map(({ text, version }) => (
          <span key={version}>
            <b>Version {version}</b>: {text}.{" "}
          </span>
        ))}
      </p>
      <p class="quiet">
        {canary.reason !== null && <>{canary.reason}. </>}
        Begun <Ago at={canary.started_at} />
        {canary.ended_at !== null && (
          <>
            , ended <Ago at={canary.ended_at} />
          </>
        )}
      </p>
      {canary.state === "running" && may("Member") && (
        <div class="row">
          <button
            type="button"
            class="primary"
            onClick={() => end("promoteCanary", `All runs get version ${canary.version_number}`)}
          >
            Promote version {canary.version_number}
          </button>
          <button type="button" onClick={() => end("stopCanary", `Version ${canary.base_version_number} is back`)}>
            Roll back to version {canary.base_version_number}
          </button>
        </div>
      )}
    </Section>
  )
}
