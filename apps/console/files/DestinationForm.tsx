/** Registers a place that the files of runs are sent to, or changes one. */
import { useState } from "preact/hooks"
import { DestinationType, type HostKey, OnConflict, urlProblem } from "../../../core/run/delivery/FileDestination.ts"
import type { FileDestinationRecord } from "../../api/file-destination/FileDestinationsApi.ts"
import { Field } from "../forms/Field.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { act, client, problemsByField } from "../kit/Service.ts"
import { type AccessForm, accessForms, accessOf, blank, type Given, wrongOf } from "./DestinationModel.ts"

export type Destination = typeof FileDestinationRecord.Type

const typeWords: Readonly<Record<DestinationType, string>> = {
  http: "HTTP (PUT)",
  webdav: "WebDAV folder",
  s3: "S3-compatible bucket",
  sftp: "SFTP server"
}

const placeholders: Readonly<Record<DestinationType, string>> = {
  http: "https://files.example.com/invoices/",
  webdav: "https://dav.example.com/invoices/",
  s3: "https://s3.eu-central-1.amazonaws.com/invoices/in",
  sftp: "sftp://files.example.com/~/invoices"
}

const conflictWords: Readonly<Record<OnConflict, string>> = {
  rename: "The file gets another name",
  fail: "The file is not delivered"
}

const formWords: Readonly<Record<AccessForm, string>> = {
  kept: "As it is now",
  none: "None",
  password: "User name and password",
  key: "User name and private key",
  token: "Token"
}

const hidden = { type: "password" as const, autocomplete: "off" as const, spellcheck: false }

const fields = ["name", "url", "host_key", "access"]

/** A field of one line for a part of what is given. */
const entry =
  (given: Given, change: (part: Partial<Given>) => void) =>
  (name: keyof Given, more: object = {}) => (
    <input
      type="text"
      value={given[name]}
      onInput={({ currentTarget }) => change({ [name]: currentTarget.value })}
      {...more}
    />
  )

/** What the chosen form of access needs. */
const AccessFields = ({
  given,
  onChange
}: {
  readonly given: Given
  readonly onChange: (part: Partial<Given>) => void
}) => {
  const { form, type } = given
  const text = entry(given, onChange)
  return (
    <>
      {(form === "password" || form === "key") && (
        <Field label={type === "s3" ? "Access key" : "User name"}>
          {text("username", { autocomplete: "off", spellcheck: false })}
        </Field>
      )}
      {form === "password" && (
        <Field label={type === "s3" ? "Secret key" : "Password"}>{text("password", hidden)}</Field>
      )}
      {form === "password" && type === "s3" && (
        <Field label="Region" hint="Left out where the address of AWS has it, or the store takes us-east-1.">
          {text("region", { spellcheck: false })}
        </Field>
      )}
      {form === "key" && (
        <Field label="Private key" hint="In the OpenSSH or PEM form, without a passphrase.">
          <textarea
            rows={4}
            autocomplete="off"
            spellcheck={false}
            value={given.privateKey}
            onInput={({ currentTarget }) => onChange({ privateKey: currentTarget.value })}
          />
        </Field>
      )}
      {form === "token" && <Field label="Token">{text("token", hidden)}</Field>}
    </>
  )
}

export const DestinationForm = ({
  before,
  onClose,
  onSaved
}: {
  /** The one to change; `null`: a new one. */
  readonly before: Destination | null
  readonly onClose: () => void
  readonly onSaved: () => void
}) => {
  const [given, setGiven] = useState<Given>(blank(before))
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const [isBusy, setBusy] = useState(false)
  const change = (part: Partial<Given>) => {
    setGiven({ ...given, ...part })
    setProblems({})
  }
  const text = entry(given, change)
  const forms = accessForms(given.type, before)
  const form = forms.includes(given.form) ? given.form : (forms[0] ?? "none")
  const send = async (event: Event) => {
    event.preventDefault()
    const found = wrongOf({ ...given, form }, urlProblem)
    setProblems(found)
    if (Object.keys(found).length > 0) return
    const failed = (error: unknown) => setProblems(problemsByField(error, fields))
    const access = accessOf({ ...given, form })
    const payload = {
      name: given.name.trim(),
      url: given.url.trim(),
      on_conflict: given.onConflict,
      ...(given.type === "sftp" ? { host_key: given.hostKey.trim() as typeof HostKey.Type } : {}),
      ...(access === undefined ? {} : { access })
    }
    setBusy(true)
    const saved = await act(
      before === null
        ? client().fileDestinations.createDestination({ payload: { ...payload, type: given.type } })
        : client().fileDestinations.changeDestination({ params: { destination_id: before.id }, payload }),
      { failed, done: before === null ? "The destination was registered" : "The destination was changed" }
    )
    setBusy(false)
    if (saved === null) return
    onSaved()
    onClose()
  }
  return (
    <Dialog title={before === null ? "New destination" : "Change the destination"} onClose={onClose}>
      <form class="form" onSubmit={send} noValidate>
        <Field label="Name" hint="Workflows name it by this." problem={problems.name}>
          {text("name")}
        </Field>
        {before === null && (
          <Field label="Kind">
            <select
              value={given.type}
              onChange={({ currentTarget }) => change({ type: currentTarget.value as DestinationType })}
            >
              {DestinationType.literals.map((type) => (
                <option key={type} value={type}>
                  {typeWords[type]}
                </option>
              ))}
            </select>
          </Field>
        )}
        <Field label="Address" hint="The folder that the paths of files begin at." problem={problems.url}>
          {text("url", { inputMode: "url", placeholder: placeholders[given.type] })}
        </Field>
        {given.type === "sftp" && (
          <Field
            label="Host key"
            hint="The fingerprint that ssh-keygen -l prints on the server. Another key gets nothing."
            problem={problems.host_key}
          >
            {text("hostKey", { placeholder: "SHA256:…", spellcheck: false })}
          </Field>
        )}
        <Field label="Access" problem={problems.access}>
          <select value={form} onChange={({ currentTarget }) => change({ form: currentTarget.value as AccessForm })}>
            {forms.map((one) => (
              <option key={one} value={one}>
                {formWords[one]}
              </option>
            ))}
          </select>
        </Field>
        <AccessFields given={{ ...given, form }} onChange={change} />
        <Field label="When a file of this name is there">
          <select
            value={given.onConflict}
            onChange={({ currentTarget }) => change({ onConflict: currentTarget.value as OnConflict })}
          >
            {OnConflict.literals.map((one) => (
              <option key={one} value={one}>
                {conflictWords[one]}
              </option>
            ))}
          </select>
        </Field>
        <div class="dialog-actions">
          <button type="submit" class="primary" disabled={isBusy}>
            {before === null ? "Register" : "Save"}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
