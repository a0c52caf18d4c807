/** The schedules, which submit runs automatically, with the actions on each. */
import { useMemo, useState } from "preact/hooks"
import { WorkflowFilter } from "../data/WorkflowFilter.tsx"
import { namesOf, workflows } from "../data/Workflows.ts"
import { Confirm } from "../forms/Confirm.tsx"
import { Loaded, useQuery } from "../kit/Loaded.tsx"
import { Empty, Page } from "../kit/Page.tsx"
import { go, to } from "../kit/Route.ts"
import { act, query as ask, client, refresh } from "../kit/Service.ts"
import { may, whoIs } from "../kit/Session.ts"
import { Ago } from "../kit/Status.tsx"
import { Table } from "../kit/Table.tsx"
import { Edit } from "./Edit.tsx"
import { type Schedule, stateOf, timing } from "./ScheduleModel.ts"

/** The most schedules of one answer. */
const most = 1_000

type Asked =
  | { readonly what: "edit"; readonly former: Schedule | null }
  | { readonly what: "delete"; readonly one: Schedule }

export const SchedulesView = ({ query }: { readonly query: URLSearchParams }) => {
  const workflow = query.get("workflow") ?? ""
  const schedules = useMemo(
    () =>
      ask((client) =>
        client.schedules.listSchedules({
          query: { limit: most, ...(workflow === "" ? {} : { workflow_id: workflow }) }
        })
      ),
    [workflow]
  )
  const names = namesOf(useQuery(workflows).value)
  const [asked, setAsked] = useState<Asked | null>(null)
  const close = () => setAsked(null)
  const again = () => refresh(schedules)
  return (
    <Page
      title="Schedules"
      note="They submit runs automatically. While a run window is closed, these runs wait like all others."
      actions={
        may("Member") && (
          <button type="button" class="primary" onClick={() => setAsked({ what: "edit", former: null })}>
            New schedule
          </button>
        )
      }
    >
      <div class="filters">
        <WorkflowFilter workflow={workflow === "" ? null : workflow} />
      </div>
      <div class="section">
        <Loaded isFollowed query={schedules} rows={4}>
          {(all) =>
            all.length === 0 ? (
              <Empty title="No schedule yet">
                A schedule runs a workflow at times that you choose, or whenever its run window opens.
              </Empty>
            ) : (
              <Listed schedules={all} names={names} onAsk={setAsked} onChanged={again} />
            )
          }
        </Loaded>
      </div>
      {asked?.what === "edit" && (
        <Edit former={asked.former} names={names} workflow={workflow} onClose={close} onSaved={again} />
      )}
      {asked?.what === "delete" && (
        <Confirm
          title={`Delete ${titleOf(asked.one)}`}
          word="Delete it"
          onClose={close}
          onConfirm={() =>
            act(client().schedules.removeSchedule({ params: { schedule_id: asked.one.id } }), {
              done: "The schedule was deleted"
            }).then(again)
          }
        >
          It submits no more runs. Runs that it has submitted stay. This cannot be undone.
        </Confirm>
      )}
    </Page>
  )
}

const titleOf = (schedule: Schedule): string => (schedule.name === "" ? timing(schedule) : schedule.name)

const Listed = ({
  names,
  onAsk,
  onChanged,
  schedules
}: {
  readonly schedules: ReadonlyArray<Schedule>
  readonly names: ReadonlyMap<string, string>
  readonly onAsk: (asked: Asked) => void
  readonly onChanged: () => void
}) => (
  <Table
    label="Schedules"
    rows={schedules}
    keyOf={({ id }) => id}
    columns={[
      {
        word: "Schedule",
        cell: (one) => (
          <>
            <button type="button" class="link" onClick={() => onAsk({ what: "edit", former: one })}>
              {titleOf(one)}
            </button>
            <div class="quiet">
              {one.name !== "" && `${timing(one)} `}
              {one.time_zone !== null && `(${one.time_zone})`}
            </div>
          </>
        )
      },
      {
        word: "Workflow",
        cell: ({ workflow_id }) => (
          <a href={to(["workflows", workflow_id])}>{names.get(workflow_id) ?? "a deleted workflow"}</a>
        )
      },
      { word: "Next", kind: "quiet", cell: ({ next_fires_at }) => <Ago at={next_fires_at} /> },
      { word: "State", cell: (one) => stateOf(one, whoIs) },
      {
        word: "Action",
        kind: "tight",
        cell: (one) => may("Member") && <Actions schedule={one} onAsk={onAsk} onChanged={onChanged} />
      }
    ]}
  />
)

const Actions = ({
  onAsk,
  onChanged,
  schedule
}: {
  readonly schedule: Schedule
  readonly onAsk: (asked: Asked) => void
  readonly onChanged: () => void
}) => {
  const params = { schedule_id: schedule.id }
  const title = titleOf(schedule)
  const run = async () => {
    const made = await act(client().schedules.runScheduleNow({ params }), { done: "A run was submitted" })
    if (made !== null) go(to(["runs", made.session_id]))
  }
  return (
    <div class="row-actions">
      <button type="button" aria-label={`Submit a run: ${title}`} onClick={() => void run()}>
        Submit a run
      </button>
      {schedule.paused === null ? (
        <button
          type="button"
          aria-label={`Pause ${title}`}
          onClick={() =>
            void act(client().schedules.pauseSchedule({ params, payload: {} }), {
              done: "The schedule is paused"
            }).then(onChanged)
          }
        >
          Pause
        </button>
      ) : (
        <button
          type="button"
          aria-label={`Resume ${title}`}
          onClick={() =>
            void act(client().schedules.resumeSchedule({ params }), { done: "The schedule continues" }).then(onChanged)
          }
        >
          Resume
        </button>
      )}
      <button type="button" aria-label={`Delete ${title}`} onClick={() => onAsk({ what: "delete", one: schedule })}>
        Delete…
      </button>
    </div>
  )
}
