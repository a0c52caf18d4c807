/** The named failures of workflows, and what the service does when a run fails with one. */
import { useState } from "preact/hooks"
import { Confirm } from "../forms/Confirm.tsx"
import { SchemaForm } from "../forms/SchemaForm.tsx"
import type { Json } from "../forms/SchemaModel.ts"
import { Dialog } from "../kit/Dialog.tsx"
import { Loaded } from "../kit/Loaded.tsx"
import { Empty, Page } from "../kit/Page.tsx"
import { to } from "../kit/Route.ts"
import { act, client, problemsByField, query, refresh } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { Table } from "../kit/Table.tsx"
import { actionWords, type Code, fieldNames, fieldsOf, schema } from "./ErrorCodesModel.ts"

const codes = query((client) => client.errorCodes.listErrorCodes({ query: {} }))

type Asked = { readonly what: "new" } | { readonly what: "edit" | "remove"; readonly code: Code }

export const ErrorCodesView = () => {
  const [asked, ask] = useState<Asked | null>(null)
  const close = () => ask(null)
  return (
    <Page
      title="Error codes"
      note="Names for the failures of workflows, with the action for each"
      actions={
        may("Member") && (
          <button type="button" class="primary" onClick={() => ask({ what: "new" })}>
            New error code
          </button>
        )
      }
    >
      <div class="section">
        <Loaded isFollowed query={codes}>
          {(all) =>
            all.length === 0 ? (
              <Empty title="No error code yet">
                A step of a workflow names the error code of its failure. Runs can be filtered by it, and it decides
                whether a run is tried again.
              </Empty>
            ) : (
              <Listed codes={all} onAsk={ask} />
            )
          }
        </Loaded>
      </div>
      {(asked?.what === "new" || asked?.what === "edit") && (
        <Editing code={asked.what === "edit" ? asked.code : null} onClose={close} />
      )}
      {asked?.what === "remove" && (
        <Confirm
          title={`Delete ${asked.code.error_code}`}
          word="Delete it"
          onClose={close}
          onConfirm={() =>
            act(client().errorCodes.removeErrorCode({ params: { error_code_id: asked.code.id } }), {
              done: "The error code was deleted"
            }).then(() => refresh(codes))
          }
        >
          Steps that use the code must use another one when their workflow is next saved. Runs that failed with it keep
          its name. This cannot be undone.
        </Confirm>
      )}
    </Page>
  )
}

const Listed = ({
  codes: all,
  onAsk
}: {
  readonly codes: ReadonlyArray<Code>
  readonly onAsk: (asked: Asked) => void
}) => (
  <Table
    label="Error codes"
    rows={all}
    keyOf={({ id }) => id}
    columns={[
      {
        word: "Name",
        cell: ({ description, error_code }) => (
          <>
            <b>{error_code}</b>
            {description !== "" && <span class="quiet"> {description}</span>}
          </>
        )
      },
      { word: "When a run fails with it", cell: actionWords },
      {
        word: "Runs",
        kind: "tight",
        cell: ({ error_code }) => (
          <a
            href={to(["runs"], { error: error_code, since: "month" })}
            aria-label={`Runs that failed with ${error_code}`}
          >
            Runs
          </a>
        )
      },
      {
        word: "Action",
        kind: "tight",
        cell: (code) =>
          may("Member") && (
            <div class="row-actions">
              <button
                type="button"
                aria-label={`Edit ${code.error_code}`}
                onClick={() => onAsk({ what: "edit", code })}
              >
                Edit…
              </button>
              <button
                type="button"
                aria-label={`Delete ${code.error_code}`}
                onClick={() => onAsk({ what: "remove", code })}
              >
                Delete…
              </button>
            </div>
          )
      }
    ]}
  />
)

const Editing = ({ code, onClose }: { readonly code: Code | null; readonly onClose: () => void }) => {
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const values =
    code === null
      ? {}
      : Object.fromEntries(fieldNames.flatMap((name) => (code[name] === null ? [] : [[name, code[name]]])))
  const failed = (error: unknown) => setProblems(problemsByField(error, fieldNames))
  const save = async (given: Readonly<Record<string, Json>>) => {
    setProblems({})
    const payload = fieldsOf(given)
    if (code === null) {
      const found = await act(client().errorCodes.findOrCreateErrorCode({ payload }), { failed })
      if (found === null) return
      if (!found.created) {
        setProblems({ error_code: "There is an error code with this name: edit that one, or choose another name" })
        return
      }
    } else {
      const changed = await act(client().errorCodes.changeErrorCode({ params: { error_code_id: code.id }, payload }), {
        done: "The error code was changed",
        failed
      })
      if (changed === null) return
    }
    refresh(codes)
    onClose()
  }
  return (
    <Dialog title={code === null ? "New error code" : `Edit ${code.error_code}`} onClose={onClose}>
      <SchemaForm
        schema={schema}
        values={values}
        problems={problems}
        send={code === null ? "Create" : "Save"}
        onSend={save}
      />
    </Dialog>
  )
}
