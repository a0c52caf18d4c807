/** The requests of a run to the network and to models. They are read when the section is opened. */
import { useMemo, useState } from "preact/hooks"
import type { NetworkEvent } from "../../../core/browser/NetworkEventJson.ts"
import type { ModelDecision } from "../../api/decision/DecisionsApi.ts"
import { JsonText } from "../forms/JsonText.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { Loaded } from "../kit/Loaded.tsx"
import { Empty, Folded } from "../kit/Page.tsx"
import { query } from "../kit/Service.ts"
import { Table } from "../kit/Table.tsx"
import { clockSeconds, duration } from "../kit/Times.ts"

/** The number of rows that are drawn; the bundle contains all of them. */
const most = 500

export const Evidence = ({ id }: { readonly id: string }) => (
  <>
    <Folded title="Network">{() => <Network id={id} />}</Folded>
    <Folded title="Model decisions">{() => <Decisions id={id} />}</Folded>
  </>
)

const Network = ({ id }: { readonly id: string }) => {
  const log = useMemo(() => query((client) => client.evidence.network({ params: { session_id: id }, query: {} })), [id])
  const [text, setText] = useState("")
  const [shown, show] = useState<NetworkEvent | null>(null)
  return (
    <Loaded query={log}>
      {({ events, message, truncated }) => {
        if (events.length === 0) {
          return <Empty title="No request is in the log">{message ?? "Its pages sent no request."}</Empty>
        }
        const found = events.filter(({ status, url }) => url.includes(text) || String(status) === text)
        return (
          <>
            <div class="body filters">
              <input
                type="search"
                aria-label="A part of an address, or a status"
                placeholder="Part of an address, or a status"
                value={text}
                onInput={({ currentTarget }) => setText(currentTarget.value.trim())}
              />
              <span class="note">
                {found.length} of {events.length}
                {found.length > most && `, the first ${most} are shown`}
                {truncated && "; some were left out of the log"}
              </span>
            </div>
            <Table
              label="Requests"
              rows={found.slice(0, most)}
              keyOf={(event) => event.id}
              columns={[
                { word: "At", kind: "quiet", cell: ({ started_at }) => clockSeconds(Date.parse(started_at)) },
                {
                  word: "Status",
                  cell: ({ failure, status }) => (
                    <span class={failure !== null || (status ?? 0) >= 400 ? "wrong" : ""}>{status ?? failure}</span>
                  )
                },
                {
                  word: "Request",
                  cell: (event) => (
                    <button type="button" class="link mono" onClick={() => show(event)}>
                      {event.method} {event.url.slice(0, 200)}
                    </button>
                  )
                },
                { word: "Kind", kind: "quiet", cell: ({ resource_type }) => resource_type },
                {
                  word: "Took",
                  kind: "num",
                  cell: ({ duration_ms }) => (duration_ms === null ? "–" : duration(duration_ms))
                }
              ]}
            />
            {shown !== null && (
              <Dialog wide title={`${shown.method} ${shown.status ?? ""}`} onClose={() => show(null)}>
                <p class="mono">{shown.url}</p>
                <JsonText label="Request headers" value={shown.request_headers} />
                <JsonText label="Response headers" value={shown.response_headers} />
                {shown.response_body !== null && <JsonText label="Response" value={shown.response_body} />}
              </Dialog>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

type Decision = typeof ModelDecision.Type

const Decisions = ({ id }: { readonly id: string }) => {
  const asked = useMemo(() => query((client) => client.decisions.list({ params: { session_id: id } })), [id])
  return (
    <Loaded query={asked}>
      {({ decisions, truncated }) =>
        decisions.length === 0 ? (
          <Empty title="No model was asked" />
        ) : (
          <>
            <ul class="changes">
              {decisions.map((decision, index) => (
                <li key={index}>
                  <Decided decision={decision} number={index + 1} />
                </li>
              ))}
            </ul>
            {truncated && <p class="note body">There may be more decisions than were kept.</p>}
          </>
        )
      }
    </Loaded>
  )
}

const Decided = ({
  decision: {
    answer,
    decision,
    duration_ms,
    input_tokens,
    llm_model,
    node_display_name,
    output_tokens,
    prompt,
    purpose,
    refusal
  },
  number
}: {
  readonly decision: Decision
  /** Its position among the decisions of the run, from 1: a step may ask more than once. */
  readonly number: number
}) => (
  <>
    <p>
      <b>{node_display_name}</b>{" "}
      <span class="quiet">
        {purpose} · {llm_model ?? "the default model"} · {duration(duration_ms)} ·{" "}
        {(input_tokens + output_tokens).toLocaleString("en")} tokens
      </span>
    </p>
    <p class={refusal === null ? "" : "wrong"}>{refusal ?? decision}</p>
    <details>
      <summary>Question and answer</summary>
      <pre role="region" tabIndex={0} aria-label={`Question ${number}, of ${node_display_name}`}>
        {prompt}
      </pre>
      {answer !== null && (
        <pre role="region" tabIndex={0} aria-label={`Answer ${number}, for ${node_display_name}`}>
          {answer}
        </pre>
      )}
    </details>
  </>
)
