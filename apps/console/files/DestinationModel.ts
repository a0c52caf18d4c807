/** What is typed of a destination of files, and what of it is sent. */
import type { DestinationType, OnConflict } from "../../../core/run/delivery/FileDestination.ts"

/** How a destination is signed in to. `kept`: what is stored stays. */
export type AccessForm = "kept" | "none" | "password" | "key" | "token"

export interface Given {
  readonly name: string
  readonly type: DestinationType
  readonly url: string
  readonly hostKey: string
  readonly onConflict: OnConflict
  readonly form: AccessForm
  readonly username: string
  readonly password: string
  readonly privateKey: string
  readonly token: string
  readonly region: string
}

/** What a form needs of the destination that it changes. */
export interface Before {
  readonly name: string
  readonly type: DestinationType
  readonly url: string
  readonly host_key: string | null
  readonly on_conflict: OnConflict
}

export const blank = (before: Before | null): Given => ({
  name: before?.name ?? "",
  type: before?.type ?? "http",
  url: before?.url ?? "",
  hostKey: before?.host_key ?? "",
  onConflict: before?.on_conflict ?? "rename",
  form: before === null ? "none" : "kept",
  username: "",
  password: "",
  privateKey: "",
  token: "",
  region: ""
})

const formsOf: Readonly<Record<DestinationType, ReadonlyArray<AccessForm>>> = {
  http: ["none", "token", "password"],
  webdav: ["none", "password", "token"],
  s3: ["password"],
  sftp: ["key", "password"]
}

/** The forms that a type of destination takes, the usual one first. */
export const accessForms = (type: DestinationType, before: Before | null): ReadonlyArray<AccessForm> => [
  ...(before === null ? [] : (["kept"] as const)),
  ...formsOf[type]
]

/** What is wrong in a form, by the field of the request. `urlProblem` says why an address is none. */
export const wrongOf = (
  { form, hostKey, name, password, privateKey, token, type, url, username }: Given,
  urlProblem: (text: string) => string | undefined
): Readonly<Record<string, string>> => {
  const address = urlProblem(url.trim())
  const hasUser = username !== "" && (form === "key" ? privateKey.trim() !== "" : password !== "")
  const access =
    form === "token" && token.trim() === ""
      ? "Type the token"
      : (form === "password" || form === "key") && !hasUser
        ? `Type the user name and the ${form === "key" ? "private key" : "password"}`
        : undefined
  return {
    ...(name.trim() === "" ? { name: "Type a name" } : {}),
    ...(address === undefined ? {} : { url: address }),
    ...(type === "sftp" && hostKey.trim() === "" ? { host_key: "Type the fingerprint of the host key" } : {}),
    ...(access === undefined ? {} : { access })
  }
}

/** The access to send: `undefined` leaves what is stored, `null` stores none. */
export const accessOf = ({ form, password, privateKey, region, token, username }: Given) => {
  switch (form) {
    case "kept":
      return undefined
    case "none":
      return null
    case "token":
      return { token: token.trim() }
    case "key":
      return { username, private_key: `${privateKey.trim()}\n` }
    case "password":
      return { username, password, ...(region.trim() === "" ? {} : { region: region.trim() }) }
  }
}
