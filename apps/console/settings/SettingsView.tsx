/** The settings of the workspace. Every role may read them, an Owner may change them. */
import { Fragment } from "preact"
import { useState } from "preact/hooks"
import { useSaved } from "../forms/Saved.ts"
import { SchemaForm } from "../forms/SchemaForm.tsx"
import type { Json } from "../forms/SchemaModel.ts"
import { Loaded } from "../kit/Loaded.tsx"
import { Page } from "../kit/Page.tsx"
import { to } from "../kit/Route.ts"
import { act, client, problemsByField, query, refresh } from "../kit/Service.ts"
import { may, ownWorkspaceId } from "../kit/Session.ts"
import { Sessions } from "./Sessions.tsx"
import { changesOf, fieldNames, formOf, readForm, type Settings, schema, valueWords } from "./SettingsModel.ts"

const settings = query((client) => client.workspaces.getSettings({ params: { workspace_id: ownWorkspaceId() } }))

export const SettingsView = () => (
  <Page title="Settings" note="They apply to every run of this workspace.">
    <div class="section">
      <div class="body narrow">
        <Loaded isFollowed query={settings} rows={5}>
          {(stored) => (may("Owner") ? <Form read={stored} /> : <Listed stored={stored} />)}
        </Loaded>
      </div>
    </div>
    <p>
      <a href={to(["model-spending"])}>What models cost</a>
    </p>
    <Sessions />
  </Page>
)

const Form = ({ read }: { readonly read: Settings }) => {
  const [stored, setSaved] = useSaved(read)
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const values = formOf(stored)
  const save = async (given: Readonly<Record<string, Json>>) => {
    const read = readForm(given)
    setProblems(read.problems)
    if (Object.keys(read.problems).length > 0) return false
    const saved = await act(
      client().workspaces.changeSettings({
        params: { workspace_id: ownWorkspaceId() },
        payload: changesOf(stored, read.values)
      }),
      { done: "The settings were saved", failed: (error) => setProblems(problemsByField(error, fieldNames)) }
    )
    if (saved === null) return false
    setSaved(saved)
    refresh(settings)
    return true
  }
  return <SchemaForm schema={schema} values={values} problems={problems} send="Save the settings" onSend={save} />
}

const Listed = ({ stored }: { readonly stored: Settings }) => (
  <>
    <dl class="facts">
      {fieldNames.map((name) => (
        <Fragment key={name}>
          <dt>{schema.properties[name].title}</dt>
          <dd>{valueWords(name, stored[name])}</dd>
        </Fragment>
      ))}
    </dl>
    <p class="note">An Owner can change them.</p>
  </>
)
