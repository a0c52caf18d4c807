/** One run: why it waits, its steps, its video and pictures, and its output. */
import { Effect, Stream } from "effect"
import { Atom } from "effect/reactivity"
import type { ComponentChildren } from "preact"
import { useEffect, useMemo, useState } from "preact/hooks"
import { AskedVerb } from "../data/AskedVerb.tsx"
import { gateKinds, useEdits } from "../data/Live.ts"
import { Unpause } from "../data/Unpause.tsx"
import { startOneWord } from "../data/Unpausing.ts"
import { askFor, type Verb, verbs } from "../data/Verbs.ts"
import { versionOf, type Workflow, windowOf, workflowOf } from "../data/Workflows.ts"
import { copy, JsonText } from "../forms/JsonText.tsx"
import { Clipped } from "../kit/Clipped.tsx"
import { Download } from "../kit/Download.tsx"
import { Loaded, useQuery } from "../kit/Loaded.tsx"
import { say } from "../kit/Notices.ts"
import { Page, Section } from "../kit/Page.tsx"
import { now, useAtom } from "../kit/Registry.ts"
import { go, to } from "../kit/Route.ts"
import { act, client, events, query, refresh, renew } from "../kit/Service.ts"
import { may, whoIs } from "../kit/Session.ts"
import { Ago, Status } from "../kit/Status.tsx"
import { duration, full, offsetName, short, viewerZone, zoned } from "../kit/Times.ts"
import { Again } from "./Again.tsx"
import { Evidence } from "./Evidence.tsx"
import { useFilm } from "./Film.ts"
import { Live } from "./Live.tsx"
import { Question } from "./Question.tsx"
import {
  holdWords,
  isAsking,
  isEnded,
  localAddress,
  markdownOf,
  neverRan,
  type Run,
  type Step,
  stepsOf,
  waitWords
} from "./RunModel.ts"
import { Steps } from "./Steps.tsx"

const runOf = Atom.family((id: string) => query((client) => client.runs.record({ params: { session_id: id } })))

const noVersion = query(() => Effect.succeed(null))

/** Reads the record again after each event of the run, until the run has ended. */
const useFollowing = (id: string, isOver: boolean) => {
  // The beginning or the end of a hold is no event of the run.
  useEdits(gateKinds, () => !isOver && renew(runOf(id)))
  useEffect(() => {
    if (isOver) return
    let pending = false
    const again = Effect.sync(() => {
      if (pending) return
      pending = true
      setTimeout(() => {
        pending = false
        refresh(runOf(id))
      }, 250)
    })
    const abort = new AbortController()
    const following = Stream.runForEach(events(id), () => again).pipe(Effect.ignore, Effect.andThen(again))
    void Effect.runPromise(following, { signal: abort.signal }).catch(() => undefined)
    return () => abort.abort()
  }, [id, isOver])
}

export const RunView = ({ id }: { readonly id: string }) => {
  const { value } = useQuery(runOf(id))
  useFollowing(id, value !== null && isEnded(value))
  return value === null ? (
    <Page title="Run">
      <Loaded query={runOf(id)} rows={8}>
        {() => null}
      </Loaded>
    </Page>
  ) : (
    <Shown run={value} />
  )
}

const Shown = ({ run }: { readonly run: Run }) => {
  const workflow = useQuery(workflowOf(run.workflow_id)).value
  // The run may have executed an earlier version.
  const isLatest = workflow === null || workflow.version_id === run.version_id
  const earlier = useQuery(isLatest ? noVersion : versionOf(`${run.workflow_id} ${run.version_id}`)).value
  const executed = isLatest ? workflow : earlier
  const nodes = executed?.nodes ?? []
  const steps = useMemo(() => stepsOf(run, nodes), [run, executed])
  const missed = useMemo(() => neverRan(run, steps, nodes), [run, executed])
  const film = run.video_urls.at(-1)
  const { follow, playedAt, seek, video } = useFilm(Date.parse(film?.timestamp ?? ""))
  const name = workflow?.name ?? "a deleted workflow"
  const again = () => refresh(runOf(run.session_id))

  return (
    <Page
      title={`Run of ${name}`}
      note={
        <>
          <span class="mono">{run.session_id}</span> · <a href={to(["workflows", run.workflow_id])}>Workflow</a> ·{" "}
          <a href={to(["runs"], { workflow: run.workflow_id })}>Its runs</a>
          {executed !== null && (
            <>
              {" "}
              ·{" "}
              <a href={to(["workflows", run.workflow_id, "versions"])}>
                Version {executed.version_number}
                {workflow !== null && executed.version_number < workflow.version_number ? ", not the latest" : ""}
              </a>
            </>
          )}
        </>
      }
      actions={<Actions run={run} name={name} steps={steps} workflow={workflow} onChanged={again} />}
    >
      <Facts run={run} />
      {run.waits_for.length > 0 && <WhyHeld run={run} onChanged={again} />}
      {isAsking(run) && <Question id={run.session_id} onAnswered={again} />}
      <Failures run={run} />
      <Warnings run={run} />
      <div class="columns">
        <Section
          title="Steps"
          note={`${steps.length}${missed.length === 0 ? "" : ` of ${steps.length + missed.length}`} · times in ${viewerZone}`}
        >
          <Steps steps={steps} missed={missed} playedAt={playedAt} onSeek={film === undefined ? null : seek} />
        </Section>
        <div class="stack">
          {run.status === "execution.start" && <Live id={run.session_id} />}
          {film !== undefined && (
            <Section title="Video">
              <video
                ref={video}
                controls
                preload="metadata"
                src={localAddress(film.signed_screen_recording_url)}
                onTimeUpdate={follow}
              />
            </Section>
          )}
          <Section title="Output">
            <div class="body">
              {isNothing(run.output_data) ? (
                <p class="note">
                  {isEnded(run) ? "This run returned no data." : "The data of a run is shown here when it ends."}
                </p>
              ) : (
                <JsonText label="Output" value={run.output_data} />
              )}
            </div>
          </Section>
          {run.file_urls.length > 0 && (
            <Section title="Files">
              <ul class="body plain-list">
                {run.file_urls.map((file) => (
                  <li key={file.signed_file_url}>
                    <a href={localAddress(file.signed_file_url)} download={file.file_name}>
                      {file.file_name}
                    </a>{" "}
                    <span class="quiet">{zoned(Date.parse(file.timestamp))}</span>
                  </li>
                ))}
                {run.file_deliveries.map(({ delivery_errors, destination, id, path, status }) => (
                  <li key={id} class="quiet">
                    {status === "delivered"
                      ? `Sent to ${destination} as ${path}`
                      : status === "pending"
                        ? `Is being sent to ${destination} as ${path}`
                        : `Was not sent to ${destination}: ${delivery_errors.at(-1) ?? "the delivery was given up"}`}
                  </li>
                ))}
              </ul>
            </Section>
          )}
          <Section title="Inputs">
            <div class="body">
              {isNothing(run.input_variables) ? (
                <p class="note">This run has no inputs.</p>
              ) : (
                <JsonText label="Inputs" value={run.input_variables} />
              )}
              {run.encrypted_variables.length > 0 && (
                <p class="note">Credentials: {run.encrypted_variables.join(", ")}. Their values stand in the vault.</p>
              )}
            </div>
          </Section>
        </div>
      </div>
      <Evidence id={run.session_id} />
    </Page>
  )
}

const isNothing = (value: unknown): boolean =>
  value === null || (typeof value === "object" && Object.keys(value).length === 0)

/** The actions on a run. */
const Actions = ({
  name,
  onChanged,
  run,
  steps,
  workflow
}: {
  readonly run: Run
  readonly name: string
  readonly steps: ReadonlyArray<Step>
  readonly workflow: Workflow | null
  readonly onChanged: () => void
}) => {
  const [asked, ask] = useState<Verb | null>(null)
  return (
    <>
      {may("Member") && !isEnded(run) && (
        <button type="button" class="danger" onClick={() => ask(verbs.interrupt)}>
          Interrupt…
        </button>
      )}
      {may("Member") && (run.status === "execution.failed" || run.status === "execution.stopped") && (
        <button type="button" onClick={() => ask(verbs.retry)}>
          Retry…
        </button>
      )}
      {may("Member") && run.status === "execution.failed" && workflow !== null && <Repair id={run.session_id} />}
      {may("Member") && workflow !== null && <Again run={run} schema={workflow.input_schema} />}
      <button type="button" onClick={() => void copy(markdownOf(run, name, steps), "Markdown")}>
        Copy as Markdown
      </button>
      <button type="button" onClick={() => void copy(JSON.stringify(run, null, 2), "JSON")}>
        Copy as JSON
      </button>
      <Download path={`run/${run.session_id}/bundle`} name={`run-${run.session_id}.tar`}>
        Evidence bundle
      </Download>
      {asked !== null && (
        <AskedVerb
          verb={asked}
          selection={{ session_ids: [run.session_id] }}
          onOne={({ retry_session_id }) => {
            say("done", `The run was ${asked.done}`)
            if (typeof retry_session_id === "string") go(to(["runs", retry_session_id]))
          }}
          onClose={(isDone) => {
            ask(null)
            if (isDone) onChanged()
          }}
        />
      )}
    </>
  )
}

/** Opens the workflow in Author, with its page as it was before the step that failed. */
const Repair = ({ id }: { readonly id: string }) => {
  const [isBusy, setBusy] = useState(false)
  const open = async () => {
    setBusy(true)
    const opened = await act(client()["workflow builder"].openSessionFromFailedRun({ payload: { sessionId: id } }))
    setBusy(false)
    if (opened !== null) go(to(["author", opened.conversationId]))
  }
  return (
    <button type="button" class="primary" disabled={isBusy} onClick={() => void open()}>
      Repair on the page
    </button>
  )
}

const Facts = ({ run }: { readonly run: Run }) => {
  const present = useAtom(now)
  const took =
    run.execution_start === null
      ? null
      : (run.execution_end === null ? present : Date.parse(run.execution_end)) - Date.parse(run.execution_start)
  return (
    <dl class="facts">
      <Fact name="State">
        <Status status={run.status} />
      </Fact>
      <Fact name="Submitted">
        <Ago at={run.created_at} />
      </Fact>
      <Fact name="Started">
        <Ago at={run.execution_start} />
      </Fact>
      <Fact name="Took">{took === null ? <span class="quiet">–</span> : duration(took)}</Fact>
      <Fact name="Retries">{run.session_retries}</Fact>
      {run.priority !== 0 && <Fact name="Priority">{run.priority}</Fact>}
      {run.start_by !== null && (
        <Fact name="Must start by">
          <Ago at={run.start_by} />
        </Fact>
      )}
      {run.reference !== null && <Fact name="Reference">{run.reference}</Fact>}
      {run.model_calls.spent + run.model_calls.saved > 0 && (
        <Fact name="Model">
          {run.model_calls.spent} calls, {run.model_calls.saved} steps without
        </Fact>
      )}
      {run.was_recovered && <Fact name="Recovered">{run.recovered_error_ids.length}</Fact>}
      {run.outcome_certainty !== null && (
        <Fact name="Done on the site">{run.outcome_certainty.replaceAll("_", " ")}</Fact>
      )}
    </dl>
  )
}

export const Fact = ({ children, name }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** Lets this run alone start although its window is closed. */
const release = async (id: string) => {
  const answer = await act(askFor(verbs.release, { session_ids: [id] }, false))
  const [result] = answer?.results ?? []
  if (result === undefined) return
  if (result.outcome === "released") say("done", "The run may start now")
  else say("problem", result.message ?? result.outcome)
}

/** The reason for the earliest start of a run, as the end of a sentence. */
const startsLater = {
  run_window: ", when its run window opens",
  manual: ", when its pause ends",
  retry_delay: ", when it is tried again",
  pace: ", by the pace of its workflow (an estimate)",
  capacity: ", when the workers have a free place (an estimate)"
} as const

/** Why a run waits: the cause, its beginning and end, and the action that ends it. */
const WhyHeld = ({ onChanged, run }: { readonly run: Run; readonly onChanged: () => void }) => {
  const gate = useQuery(windowOf(run.workflow_id)).value
  const zone = gate?.run_window?.time_zone ?? null
  useEdits(gateKinds, () => renew(windowOf(run.workflow_id)))
  const changed = () => {
    refresh(windowOf(run.workflow_id))
    onChanged()
  }
  return (
    <section class="held-card" aria-label="Why this run waits">
      {run.holds.map((hold) => (
        <div key={hold.kind}>
          <h2>{holdWords[hold.kind].title}</h2>
          {hold.kind === "manual" && hold.reason !== "" && <p>{hold.reason}</p>}
          <p class="note">
            Since {zoned(Date.parse(hold.since))}, by {whoIs(hold.by)}
            {hold.until === null ? (
              "; no end is known"
            ) : (
              <>
                ; until <Both at={hold.until} zone={zone} />
              </>
            )}
          </p>
          {may("Member") && (
            <div class="row">
              {hold.kind === "run_window" && (
                <button type="button" class="primary" onClick={() => void release(run.session_id).then(onChanged)}>
                  {startOneWord}
                </button>
              )}
              {gate !== null && (
                <Unpause
                  id={run.workflow_id}
                  gate={gate}
                  only={hold.kind === "manual" ? "workflow" : "run_window"}
                  onChanged={changed}
                />
              )}
              {hold.kind === "run_window" && <WindowLink run={run} />}
            </div>
          )}
          {may("Member") ? (
            <p class="note">{holdWords[hold.kind].press}</p>
          ) : (
            hold.kind === "run_window" && <WindowLink run={run} />
          )}
        </div>
      ))}
      {run.waits_for.map((wait) => {
        const words = waitWords(wait)
        return (
          words !== null && (
            <div key={wait.reason}>
              <h2>{words.title}</h2>
              <p class="note">
                {words.text}
                {wait.reason === "deadline" && wait.until !== null && (
                  <>
                    {" "}
                    That is <Both at={wait.until} zone={zone} />.
                  </>
                )}
                {wait.reason === "limit" && (
                  <>
                    {" "}
                    <a href={to(["limits"])}>Open the limits</a>
                  </>
                )}
              </p>
            </div>
          )
        )
      })}
      {run.can_start_at !== null && (
        <p>
          It can start at <Both at={run.can_start_at} zone={zone} />
          {run.can_start_reason === null ? "" : startsLater[run.can_start_reason]}.
        </p>
      )}
    </section>
  )
}

const WindowLink = ({ run }: { readonly run: Run }) => (
  <a href={to(["workflows", run.workflow_id, "window"])}>Open the run window</a>
)

/** An instant in the zone of the window and in that of the reader. */
const Both = ({ at, zone }: { readonly at: string; readonly zone: string | null }) => {
  const instant = Date.parse(at)
  if (zone === null || zone === viewerZone) return <time dateTime={at}>{zoned(instant)}</time>
  return (
    <time dateTime={at} title={full(instant)}>
      {short(instant, zone)} {offsetName(instant, zone)} ({zone}), {short(instant)} here
    </time>
  )
}

const Warnings = ({ run }: { readonly run: Run }) => {
  const { warning_count, warnings } = run
  if (warning_count === 0) return null
  const more = warning_count - warnings.length
  return (
    <section class="warnings" aria-label="Warnings">
      {warnings.map(({ code, message, node, value }, index) => (
        <div key={index}>
          <h2>
            {code} · {node.name}
          </h2>
          <p>
            <Clipped text={message} />
          </p>
          {value !== null && value !== "" && <p class="note mono">{value}</p>}
        </div>
      ))}
      {more > 0 && <p class="note">{more} more warnings are not kept</p>}
    </section>
  )
}

const Failures = ({ run }: { readonly run: Run }) => {
  if (run.errors.length === 0) return null
  return (
    <section class="failures" aria-label="Errors">
      {run.errors.map((error, index) => {
        const {
          error_code,
          error_id,
          full_url,
          llm_error_category: category,
          llm_error_sub_type: subType,
          message
        } = error as Readonly<Record<string, unknown>>
        return (
          <div key={String(error_id ?? index)}>
            <h2>{String(error_code ?? "Error")}</h2>
            <p>
              <Clipped text={String(message ?? "")} />
            </p>
            {typeof category === "string" && (
              <p class="note">
                Category: <a href={to(["runs"], { category })}>{category}</a>
                {typeof subType === "string" && (
                  <>
                    , <a href={to(["runs"], { "sub-type": subType })}>{subType}</a>
                  </>
                )}
              </p>
            )}
            {typeof full_url === "string" && full_url !== "" && <p class="note mono">{full_url}</p>}
          </div>
        )
      })}
    </section>
  )
}
