/**
 * The requests of the page to the service.
 */

const path = location.pathname.replace(/\/$/, "")

/** The token or ticket of the page; it is renewed while the page listens. */
const entrance: { ticket: string | null } = { ticket: null }

export const isIn = (): boolean => entrance.ticket !== null

export const enterWith = (ticket: string): void => {
  entrance.ticket = ticket
}

/** Names this page, so that no two have control at once. */
export const me = Array.from(crypto.getRandomValues(new Uint8Array(18)), (byte) => (byte % 36).toString(36)).join("")

const authorization = () => ({ authorization: `Bearer ${entrance.ticket}` })

interface Answer {
  readonly ok: boolean
  readonly status: number
  readonly body: { readonly message?: string; readonly ticket?: string }
}

const read = async (answer: Response): Promise<Answer> => ({
  ok: answer.ok,
  status: answer.status,
  body: await answer.json()
})

/** Trades a token for a ticket. */
export const trade = async (token: string): Promise<Answer> =>
  read(
    await fetch(`${path}/view`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token })
    })
  )

/** The run in progress, as one answer without end. */
export const view = (): Promise<Response> => fetch(`${path}/view`, { headers: authorization(), cache: "no-store" })

/** Sends something that only a page with a ticket may. With `leaving`, it arrives even where the page is closed. */
export const send = async (
  what: "control" | "gestures",
  body: Readonly<Record<string, unknown>>,
  leaving = false
): Promise<Answer> =>
  read(
    await fetch(`${path}/${what}`, {
      method: "POST",
      keepalive: leaving,
      headers: { ...authorization(), "content-type": "application/json" },
      body: JSON.stringify({ holder: me, ...body })
    })
  )
