/** What matters now: what is held and why, what runs, what failed, and what opens next. */
import { useChanges } from "../data/Live.ts"
import { windowOf, workflows } from "../data/Workflows.ts"
import { Loaded, useQuery } from "../kit/Loaded.tsx"
import { Empty, Page, Section } from "../kit/Page.tsx"
import { to } from "../kit/Route.ts"
import { act, client, query, refresh } from "../kit/Service.ts"
import { may, whoIs } from "../kit/Session.ts"
import { Ago, Status } from "../kit/Status.tsx"
import { short, viewerZone } from "../kit/Times.ts"
import { reasonOf } from "./HomeModel.ts"

const day = 86_400_000

const waiting = "execution.start,execution.queued,execution.requeued"
const lately = () => ({ status: "execution.failed", start_time: new Date(Date.now() - day).toISOString() })

const held = query((client) => client.runs.summary({ query: { status: "execution.paused" } }))
const live = query((client) => client.runs.summary({ query: { status: waiting } }))
const failed = query((client) => client.runs.summary({ query: lately() }))
const liveRows = query((client) => client.runs.listRuns({ query: { status: waiting, limit: "8" } }))
const failedRows = query((client) => client.runs.listRuns({ query: { ...lately(), limit: "8" } }))

export const HomeView = () => {
  useChanges(() => refresh(held, live, failed, liveRows, failedRows))
  const all = useQuery(workflows).value
  if (all !== null && all.length === 0) return <Newcomer />
  return (
    <Page title="Home">
      <div class="tiles">
        <Tile word="Held" query={held} href={to(["runs"], { status: "execution.paused" })} tone="held" />
        <Tile
          word="Waiting or running"
          query={live}
          href={to(["runs"], { status: "execution.start,execution.queued,execution.requeued" })}
          tone="busy"
        />
        <Tile
          word="Failed in 24 hours"
          query={failed}
          href={to(["runs"], { status: "execution.failed", since: "day" })}
          tone="bad"
        />
      </div>
      <Section title="Held runs" note="by workflow, with what ends it">
        <Loaded query={held}>
          {({ workflows: found }) =>
            found.length === 0 ? (
              <Empty title="No run is held">
                Runs that come while a window is closed, or a workflow is paused, wait here.
              </Empty>
            ) : (
              <ul class="entries">
                {found.slice(0, 12).map(({ count, workflow_id, workflow_name }) => (
                  <HeldWorkflow key={workflow_id} id={workflow_id} count={count} name={workflow_name} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
      <div class="columns even">
        <Section title="Failed in 24 hours">
          <Loaded query={failedRows}>
            {(rows) =>
              rows.length === 0 ? (
                <Empty title="Nothing failed" />
              ) : (
                <ul class="entries">
                  {rows.map((row) => (
                    <li key={row.session_id}>
                      <a href={to(["runs", row.session_id])}>{row.workflow_name}</a>
                      <span class="quiet">
                        <Ago at={row.execution_end} />
                      </span>
                    </li>
                  ))}
                </ul>
              )
            }
          </Loaded>
        </Section>
        <Section title="In progress">
          <Loaded query={liveRows}>
            {(rows) =>
              rows.length === 0 ? (
                <Empty title="Nothing runs now" />
              ) : (
                <ul class="entries">
                  {rows.map((row) => (
                    <li key={row.session_id}>
                      <a href={to(["runs", row.session_id])}>{row.workflow_name}</a>
                      <Status status={row.status} />
                    </li>
                  ))}
                </ul>
              )
            }
          </Loaded>
        </Section>
      </div>
      <Section title="Windows" note={`what opens next, in your zone, ${viewerZone}`}>
        <Loaded query={workflows}>
          {(items) => (
            <ul class="entries">
              {items.slice(0, 10).map(({ id, name }) => (
                <WindowLine key={id} id={id} name={name} />
              ))}
            </ul>
          )}
        </Loaded>
      </Section>
    </Page>
  )
}

const Tile = ({
  href,
  query,
  tone,
  word
}: {
  readonly word: string
  readonly href: string
  readonly tone: string
  readonly query: typeof held
}) => {
  const { value } = useQuery(query)
  const total = value?.total ?? null
  const count = total === null ? "–" : `${total.count.toLocaleString("en")}${total.exact ? "" : "+"}`
  return (
    <a class={`tile ${total !== null && total.count > 0 ? tone : ""}`} href={href}>
      <span class="tile-count">{count}</span>
      <span>{word}</span>
    </a>
  )
}

const HeldWorkflow = ({ count, id, name }: { readonly id: string; readonly name: string; readonly count: number }) => {
  const gate = useQuery(windowOf(id)).value
  const reason = gate === null ? null : reasonOf(gate, (instant) => short(Date.parse(instant)), whoIs)
  const ends = reason?.ends
  return (
    <li class="held-line">
      <span class="held-count">{count.toLocaleString("en")}</span>
      <span class="held-text">
        <a href={to(["runs"], { status: "execution.paused", workflow: id })}>{name}</a>
        <span class="quiet">
          {gate === null ? "…" : (reason?.text ?? "They may start now, and wait for a free place")}
        </span>
      </span>
      <span class="actions">
        {ends !== undefined && may("Member") && (
          <button
            type="button"
            aria-label={`${ends === "workflow" ? "End the pause" : "Unpause All"}: ${name}`}
            onClick={() =>
              void act(client().runWindows.unpause({ payload: { pause_resource: ends, resource_ids: [id] } }), {
                done: ({ resumedRuns }) => `${resumedRuns} waiting ${resumedRuns === 1 ? "run" : "runs"} may start now`
              }).then(() => refresh(held, live, windowOf(id)))
            }
          >
            {ends === "workflow" ? "End the pause" : "Unpause All"}
          </button>
        )}
        <a href={to(["workflows", id, "window"])} aria-label={`Window of ${name}`}>
          Window
        </a>
      </span>
    </li>
  )
}

const WindowLine = ({ id, name }: { readonly id: string; readonly name: string }) => {
  const gate = useQuery(windowOf(id)).value
  if (gate === null) return null
  const words =
    gate.manual_pause !== null
      ? "paused"
      : gate.run_window === null
        ? "always open"
        : gate.state?.open === true
          ? "open now"
          : gate.lift !== null
            ? "closed, but lifted"
            : gate.state?.nextOpenAt == null
              ? "never opens"
              : `opens ${short(Date.parse(gate.state.nextOpenAt))}`
  return (
    <li>
      <a href={to(["workflows", id, "window"])}>{name}</a>
      <span class="quiet">{words}</span>
    </li>
  )
}

const Newcomer = () => (
  <Page title="Home">
    <Section title="Begin here">
      <Empty title="This workspace has no workflow yet">
        <p>A workflow is what runs in the browser: pages to open, fields to fill, data to read.</p>
        <p>
          <a href={to(["workflows"], { new: "1" })}>Create your first workflow</a>, or read{" "}
          <a href="docs">the reference</a>.
        </p>
      </Empty>
    </Section>
  </Page>
)
