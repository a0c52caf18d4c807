/** What is typed of a receiver of alerts, and what of it is sent. */
import type { AlertKind } from "../../../core/event/alert/Alert.ts"
import type { MailSecurity, ReceiverType } from "../../../core/event/alert/AlertReceiver.ts"
import type { WorkflowId } from "../../../core/workspace/Ids.ts"
import type { ReceiverRecord } from "../../api/alert/AlertsApi.ts"

export type Receiver = typeof ReceiverRecord.Type

export const kindWords: Readonly<Record<AlertKind, string>> = {
  failed: "Failed",
  person_needed: "Waits for a person",
  not_started: "Not started in time"
}

/** What a receiver is told of, inside a sentence. */
export const kindList = (kinds: ReadonlyArray<AlertKind>): string =>
  kinds.map((kind) => kindWords[kind].toLowerCase()).join(", ")

/** Who signs in to a mail server. `kept`: what is stored stays. */
export type UserForm = "kept" | "none" | "password"

export interface Given {
  readonly name: string
  readonly type: ReceiverType
  readonly url: string
  readonly host: string
  readonly port: string
  readonly security: MailSecurity
  readonly form: UserForm
  readonly username: string
  readonly password: string
  readonly from: string
  readonly to: string
  readonly events: ReadonlyArray<AlertKind>
  readonly urgent: ReadonlyArray<AlertKind>
  readonly isOfEvery: boolean
  readonly workflows: ReadonlyArray<string>
  readonly isQuiet: boolean
  readonly zone: string
  readonly quietFrom: string
  readonly quietTo: string
}

/** The form as it is opened. `before` is the receiver to change, `null` for a new one. */
export const blank = (before: Receiver | null, zone: string): Given => ({
  name: before?.name ?? "",
  type: before?.type ?? "mail",
  url: "",
  host: before?.smtp?.host ?? "",
  port: String(before?.smtp?.port ?? 587),
  security: before?.smtp?.security ?? "starttls",
  form: before?.smtp?.has_user ? "kept" : "none",
  username: "",
  password: "",
  from: before?.from ?? "",
  to: before?.to.join(", ") ?? "",
  events: before?.events ?? ["failed", "person_needed", "not_started"],
  urgent: before?.urgent ?? [],
  isOfEvery: before === null || before.workflow_ids === null,
  workflows: before?.workflow_ids ?? [],
  isQuiet: before !== null && before.quiet_hours !== null,
  zone: before?.quiet_hours?.time_zone ?? zone,
  quietFrom: before?.quiet_hours?.from ?? "22:00",
  quietTo: before?.quiet_hours?.to ?? "07:00"
})

/** The fields of the form, by their paths in the request. */
export const fields = [
  ...["name", "url", "smtp.host", "smtp.port", "smtp.security", "smtp.user", "from", "to", "events", "workflow_ids"],
  ...["quiet_hours.from", "quiet_hours.to", "quiet_hours.time_zone"]
]

/** The field of a path of the request: a list and the parts of a user are one field each. */
export const fieldOf = (path: string): string =>
  (path.split("[")[0] ?? "").replace(/^smtp\.(username|password)$/, "smtp.user")

const addresses = (text: string): ReadonlyArray<string> => text.split(/[\s,;]+/).filter((one) => one !== "")

/** What is missing in a form, by its field. What is there is judged by the description of the request. */
export const wrongOf = (given: Given, before: Receiver | null): Readonly<Record<string, string>> => {
  const { events, form, host, isOfEvery, password, port, to, type, url, username, workflows } = given
  const isMail = type === "mail"
  const user =
    form === "password" && (username === "" || password === "")
      ? "Type the user name and the password"
      : form === "kept" && before?.smtp?.host !== host.trim()
        ? "Type the user name and the password again: they are not kept for another host"
        : undefined
  return {
    ...(!isMail && before === null && url.trim() === "" ? { url: "Type the address of the incoming web hook" } : {}),
    ...(isMail && host.trim() === "" ? { "smtp.host": "Type the host of the mail server" } : {}),
    ...(isMail && !/^0*[1-9]\d{0,4}$/.test(port.trim()) ? { "smtp.port": "Expected a port from 1 to 65535" } : {}),
    ...(isMail && user !== undefined ? { "smtp.user": user } : {}),
    ...(isMail && addresses(to).length === 0 ? { to: "Type at least one mail address" } : {}),
    ...(events.length === 0 ? { events: "Choose at least one event" } : {}),
    ...(!isOfEvery && workflows.length === 0 ? { workflow_ids: "Choose at least one workflow" } : {})
  }
}

const userOf = ({ form, password, username }: Given) => {
  switch (form) {
    case "kept":
      return {}
    case "none":
      return { username: null, password: null }
    case "password":
      return { username, password }
  }
}

/** Where a receiver is. The address of a channel stays where none is typed. */
const placeOf = (given: Given) => {
  const { from, host, port, security, to, type, url } = given
  if (type !== "mail") return url.trim() === "" ? {} : { url: url.trim() }
  return {
    smtp: { host: host.trim(), port: Number(port), security, ...userOf(given) },
    from: from.trim(),
    to: addresses(to)
  }
}

/** The fields to send of a new receiver, and of one that is changed. */
export const payloadOf = (given: Given) => {
  const { events, isOfEvery, isQuiet, name, quietFrom, quietTo, urgent, workflows, zone } = given
  return {
    name: name.trim(),
    ...placeOf(given),
    events,
    urgent: urgent.filter((kind) => events.includes(kind)),
    workflow_ids: isOfEvery ? null : (workflows as ReadonlyArray<WorkflowId>),
    quiet_hours: isQuiet ? { time_zone: zone.trim(), from: quietFrom.trim(), to: quietTo.trim() } : null
  }
}
