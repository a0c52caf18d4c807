/** The current state: held runs and the reasons, runs in progress, failures, and the next openings. */
import { Effect, Option } from "effect"
import { AsyncResult, Atom } from "effect/reactivity"
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { counted as countOf, forecastWords } from "../data/Counts.ts"
import { holdWords } from "../data/Holds.ts"
import { gateKinds, useChanges, useEdits, useMinutes } from "../data/Live.ts"
import { Unpause } from "../data/Unpause.tsx"
import { windowOf, workflows } from "../data/Workflows.ts"
import { followMillis, Loaded, useQuery } from "../kit/Loaded.tsx"
import { Empty, Page, Section } from "../kit/Page.tsx"
import { useAtom } from "../kit/Registry.ts"
import { to } from "../kit/Route.ts"
import { query, refresh, renew } from "../kit/Service.ts"
import { may, whoIs } from "../kit/Session.ts"
import { Ago, Status } from "../kit/Status.tsx"
import { short, viewerZone, zoned } from "../kit/Times.ts"
import {
  alarmsOf,
  byCount,
  byOpening,
  failureWords,
  type HeldWorkflow,
  heldByOpening,
  leftOutWords,
  movedAlarms,
  openingWords,
  reasonOf,
  waitSentence,
  workersOf
} from "./HomeModel.ts"

const day = 86_400_000

const waiting = "execution.start,execution.queued,execution.requeued"
const lately = () => ({ status: "execution.failed", start_time: new Date(Date.now() - day).toISOString() })

const held = query((client) => client.runs.summary({ query: { status: "execution.paused" } }))
const live = query((client) => client.runs.summary({ query: { status: waiting } }))
const failed = query((client) => client.runs.summary({ query: lately() }))
const liveRows = query((client) => client.runs.listRuns({ query: { status: waiting, limit: "8" } }))
const failedRows = query((client) => client.runs.listRuns({ query: { ...lately(), limit: "8" } }))

/** Why queued and held runs wait. */
const reasons = query((client) => client.runs.summary({ query: { status: `execution.paused,${waiting}` } }))
const installation = query((client) => client.installation.readInstallation())
const mostDead = 100
const dead = query((client) => client.webhooks.listDeliveries({ query: { status: "dead", limit: mostDead } }))
const due = query((client) =>
  Effect.map(client.schedules.listSchedules({ query: { limit: 1_000 } }), (all) =>
    all
      .filter(({ next_fires_at, state }) => state === "active" && next_fires_at !== null)
      .toSorted((one, other) => (one.next_fires_at ?? "").localeCompare(other.next_fires_at ?? ""))
  )
)
/** The number of workflows whose windows Home reads. */
const mostAsked = 40
const mostShown = 8
/** The number of workflows with held runs that are shown until the reader asks for all. */
const mostHeld = 12
const openings = query((client) =>
  client.workflows
    .list({ query: {} })
    .pipe(
      Effect.flatMap((all) =>
        Effect.forEach(
          all.slice(0, mostAsked),
          ({ id, name }) =>
            Effect.map(client.runWindows.getRunWindow({ params: { workflow_id: id } }), (gate) => ({ id, name, gate })),
          { concurrency: 6 }
        ).pipe(Effect.map((read) => ({ read: byOpening(read), workflows: all.length })))
      )
    )
)

export const HomeView = () => {
  useChanges(() => renew(live, failed, liveRows, failedRows, installation, dead))
  // A pause or a new window holds runs without an event of a run.
  useChanges(() => renew(held, reasons), followMillis)
  useEdits(gateKinds, () => renew(openings, workflows))
  useEdits(["schedule", "workflow"], () => renew(due))
  useMinutes(() => renew(openings, due))
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
        <Workers />
      </div>
      <Section title="Held runs" note="by workflow, with what ends it">
        <Reasons />
        <Loaded query={held}>
          {({ complete, counted_runs, workflows: found }) =>
            found.length === 0 ? (
              <Empty title="No run is held">
                Runs that are submitted while a window is closed or a workflow is paused wait here.
              </Empty>
            ) : (
              <>
                <HeldWorkflows found={found} />
                {!complete && (
                  <p class="body note">
                    These are the newest {counted_runs.toLocaleString("en")} held runs.{" "}
                    <a href={to(["runs"], { status: "execution.paused" })}>All held runs</a>
                  </p>
                )}
              </>
            )
          }
        </Loaded>
      </Section>
      <Alarms />
      {all !== null && all.length === 1 && may("Member") && <RecordYourOwn />}
      <div class="columns even">
        <Section title="Failed in 24 hours">
          <Loaded query={failedRows}>
            {(rows) =>
              rows.length === 0 ? (
                <Empty title="No run failed" />
              ) : (
                <ul class="entries">
                  {rows.map((row) => (
                    <li key={row.session_id}>
                      <span class="entry-text">
                        <a href={to(["runs", row.session_id])}>{row.workflow_name}</a>
                        <span class="quiet one-line" title={failureWords(row.error)}>
                          {failureWords(row.error)}
                        </span>
                      </span>
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
                <Empty title="No run is in progress" />
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
      <div class="columns even">
        <Openings />
        <DueSchedules />
      </div>
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

/** The number of runs that wait for each reason. */
const Reasons = () => {
  const summary = useQuery(reasons).value
  const holds = byCount(summary?.holds ?? {})
  const sentence = waitSentence(summary?.holds ?? {}, summary?.statuses["execution.paused"])
  if (sentence === null) return null
  return (
    <div class="body reasons">
      <p class="lead">{sentence}</p>
      <div class="chips">
        {holds.map(([hold, count]) => (
          <a key={hold} class="button" href={to(["runs"], { hold })}>
            <span>{holdWords[hold] ?? hold}</span> <b>{countOf(count)}</b>
          </a>
        ))}
      </div>
    </div>
  )
}

/** The windows of workflows whose ids are separated by spaces, as far as they are known. */
const windowsOf = Atom.family((ids: string) =>
  Atom.make((get) => ids.split(" ").map((id) => Option.getOrNull(AsyncResult.value(get(windowOf(id))))))
)

const HeldWorkflows = ({
  found
}: {
  readonly found: ReadonlyArray<{
    readonly workflow_id: string
    readonly workflow_name: string
    readonly count: number
  }>
}) => {
  const [isWhole, setWhole] = useState(false)
  const again = () => renew(...found.map(({ workflow_id }) => windowOf(workflow_id)))
  useEdits(gateKinds, again)
  useMinutes(again)
  const gates = useAtom(windowsOf(found.map(({ workflow_id }) => workflow_id).join(" ")))
  const all = heldByOpening(
    found.map(({ count, workflow_id, workflow_name }, index) => ({
      id: workflow_id,
      name: workflow_name,
      count,
      gate: gates[index] ?? null
    }))
  )
  const more = isWhole ? null : leftOutWords(all.slice(mostHeld))
  return (
    <>
      <ul class="entries">
        {all.slice(0, isWhole ? all.length : mostHeld).map((one) => (
          <HeldLine key={one.id} {...one} />
        ))}
      </ul>
      {more !== null && (
        <p class="body">
          <button type="button" class="link" onClick={() => setWhole(true)}>
            {more}
          </button>
        </p>
      )}
    </>
  )
}

const HeldLine = ({ count, id, name }: HeldWorkflow) => {
  const gate = useQuery(windowOf(id)).value
  const reason = gate === null ? null : reasonOf(gate, (instant) => zoned(Date.parse(instant)), whoIs)
  const changed = () => refresh(held, live, reasons, windowOf(id))
  const forecast = useQuery(reasons).value?.forecasts.find(({ workflow_id }) => workflow_id === id)
  const pace = forecast === undefined ? null : forecastWords(forecast, (instant) => zoned(Date.parse(instant)))
  return (
    <li class="held-line">
      <span class="held-count">{count.toLocaleString("en")}</span>
      <span class="held-text">
        <a href={to(["runs"], { status: "execution.paused", workflow: id })}>{name}</a>
        <span class="quiet">{gate === null ? "…" : (reason ?? "They may start now, and wait for a free place")}</span>
        {pace !== null && <span class="quiet">{pace}</span>}
      </span>
      <span class="actions">
        {gate !== null && may("Member") && <Unpause id={id} gate={gate} name={name} onChanged={changed} />}
        <a href={to(["workflows", id, "window"])} aria-label={`Window of ${name}`}>
          Window
        </a>
      </span>
    </li>
  )
}

/** The end of a list that is cut: how many more there are, and where they stand. */
const More = ({ count, href }: { readonly count: number; readonly href: string }) =>
  count <= 0 ? null : (
    <li>
      <a href={href}>and {count.toLocaleString("en")} more</a>
    </li>
  )

const Openings = () => (
  <Section title="Next openings" note={`in your zone, ${viewerZone}`}>
    <Loaded query={openings}>
      {({ read: all, workflows: count }) =>
        all.length === 0 && count <= mostAsked ? (
          <Empty title="Every workflow is always open">
            Give a workflow a <a href={to(["workflows"])}>run window</a>, and its runs start only while it is open.
          </Empty>
        ) : (
          <ul class="entries">
            {all.slice(0, mostShown).map(({ gate, id, name }) => (
              <li key={id}>
                <a href={to(["workflows", id, "window"])}>{name}</a>
                <span class="quiet">{openingWords(gate, (instant) => short(Date.parse(instant)))}</span>
              </li>
            ))}
            <More count={all.length - mostShown} href={to(["workflows"])} />
            {count > mostAsked && (
              <li class="quiet">
                Read from the first {mostAsked} of {count.toLocaleString("en")} workflows
              </li>
            )}
          </ul>
        )
      }
    </Loaded>
  </Section>
)

const DueSchedules = () => (
  <Section title="Due schedules" note={`in your zone, ${viewerZone}`}>
    <Loaded query={due}>
      {(all) =>
        all.length === 0 ? (
          <Empty title="No schedule is due">
            A <a href={to(["schedules"])}>schedule</a> submits runs automatically.
          </Empty>
        ) : (
          <ul class="entries">
            {all.slice(0, mostShown).map(({ id, name, next_fires_at, workflow_id }) => (
              <li key={id}>
                <a href={to(["schedules"], { workflow: workflow_id })}>{name === "" ? "Schedule" : name}</a>
                <span class="quiet">{next_fires_at !== null && short(Date.parse(next_fires_at))}</span>
              </li>
            ))}
            <More count={all.length - mostShown} href={to(["schedules"])} />
          </ul>
        )
      }
    </Loaded>
  </Section>
)

const Warning = () => (
  <svg class="warning" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d="M8 2.5 14.2 13H1.8zM8 6.5v3M8 11.2v.4" fill="none" stroke="currentColor" stroke-width="1.4" />
  </svg>
)

/** Problems of the installation, and deliveries that were given up. Empty when there are none. */
const Alarms = () => {
  const state = useQuery(installation).value
  const given = useQuery(dead).value?.deliveries ?? []
  const alarms = state === null ? [] : [...alarmsOf(state.processes, Date.now()), ...movedAlarms(state.moved_workflows)]
  if (alarms.length === 0 && given.length === 0) return null
  return (
    <Section title="Alarms">
      <ul class="entries">
        {alarms.map(({ remedy, text }) => (
          <li key={text} class="alarm">
            <Warning />
            <span class="entry-text">
              <span>{text}</span>
              <span class="quiet">{remedy}</span>
            </span>
          </li>
        ))}
        {given.length > 0 && (
          <li class="alarm">
            <Warning />
            <span class="entry-text">
              <span>
                {given.length === mostDead ? `${mostDead} or more` : given.length}{" "}
                {given.length === 1 ? "delivery to a webhook was" : "deliveries to webhooks were"} given up
              </span>
              <span class="quiet">
                Repair the receiver, then send them again from the <a href={to(["webhooks"])}>deliveries</a>
              </span>
            </span>
          </li>
        )}
      </ul>
    </Section>
  )
}

/** How many runs can be executed at once, and how many are executed now. */
const Workers = () => {
  const state = useQuery(installation).value
  const known = state === null ? null : workersOf(state.processes)
  if (known === null) return null
  return (
    <div class="tile">
      <span class="tile-count">
        {known.running} / {known.capacity}
      </span>
      <span>Places in use</span>
      <span>
        {counted(known.workers, "worker")}, {counted(known.browsers, "browser")}
      </span>
    </div>
  )
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

/** Shown while there is one workflow, such as that of the demo. */
const RecordYourOwn = () => (
  <Section title="Record your own">
    <p class="body">
      Do a task once on its page to make a workflow of it. <a href={to(["author"])}>Start a recording</a>
    </p>
  </Section>
)

const Newcomer = () => (
  <Page title="Home" note="This workspace has no workflow yet: there are three ways to the first one">
    <div class="columns thirds">
      <Way title="Show it" link="Record it on its page" to={to(["author"])}>
        Do the task once on its page. Each click becomes a step, which you can change, move and try again.
      </Way>
      <DescribeIt />
      <Way title="Bring it" link="Bring a file" to={to(["bring"])}>
        A recording, a script or a workflow of another program becomes a workflow, with a report of what it does.
      </Way>
    </div>
    <p class="note">
      A workflow is a list of steps in a browser: pages to open, fields to fill, data to read. You can also{" "}
      <a href={to(["workflows"], { new: "1" })}>write one as JSON</a>, or read <a href="docs">the reference</a>.
    </p>
  </Page>
)

const Way = ({
  children,
  link,
  title,
  to: href
}: {
  readonly title: string
  readonly link: string
  readonly to: string
  readonly children: ComponentChildren
}) => (
  <Section title={title}>
    <div class="body">
      <p>{children}</p>
      <p>
        <a href={href}>{link}</a>
      </p>
    </div>
  </Section>
)

/** A model does what a person says. Without one: how it is configured. */
const DescribeIt = () => {
  const { models } = useQuery(installation).value ?? {}
  if (models === undefined || models.names.length > 0) {
    return (
      <Way title="Describe it" link="Describe it on its page" to={to(["author"])}>
        Open its page, and choose <em>Describe a task</em> under <em>Add a step</em>: the model {models?.names[0]} does
        what you say, as one step.
      </Way>
    )
  }
  return (
    <Section title="Describe it">
      <div class="body">
        <p>
          No model is configured. Set <code>SLUICE_MODEL_URL</code> to the address of a service with the protocol of
          OpenAI's chat completions, <code>SLUICE_MODEL</code> to the name of its model and{" "}
          <code>SLUICE_MODEL_KEY</code>
          {" to its key, and start Sluice again."}
        </p>
        <p class="note">
          All settings of models are in <code>docs/settings.md</code>.
        </p>
      </div>
    </Section>
  )
}
