/** A file of the service, which the page asks for: a plain link would not send the page's half of the session. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { say } from "./Notices.ts"
import { lookForEnd, proof } from "./Session.ts"

const fetched = async (path: string): Promise<Blob | string> => {
  const answer = await fetch(path, { headers: proof() }).catch(() => null)
  if (answer === null) return "The service cannot be reached"
  if (answer.status === 401) await lookForEnd()
  return answer.ok ? answer.blob() : `The service answered ${answer.status}`
}

const save = (content: Blob, name: string): void => {
  const address = URL.createObjectURL(content)
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

export const Download = ({
  children,
  name,
  path
}: {
  readonly path: string
  readonly name: string
  readonly children: ComponentChildren
}) => {
  const [isBusy, setBusy] = useState(false)
  const start = async () => {
    setBusy(true)
    const content = await fetched(path)
    setBusy(false)
    if (typeof content === "string") say("problem", content)
    else save(content, name)
  }
  return (
    <button type="button" disabled={isBusy} onClick={() => void start()}>
      {children}
    </button>
  )
}
