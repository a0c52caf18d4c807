/** Faults of a server for each scenario of the conformance kit, every one of which that scenario must find. */
import type * as Conformance from "../../kit/conformance/Conformance.ts"

type Options = Conformance.Options
type Send = NonNullable<Options["send"]>

/** An answer of a server, which a fault changes. */
interface Passing {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  status: number
  body: Record<string, unknown> & { length?: number }
}

type Fault = (passing: Passing) => void

const isWindow = ({ path }: Passing) => path.endsWith("/run-window")
const isVersions = ({ path }: Passing) => path.endsWith("/versions")

const onWindows =
  (change: (body: Record<string, unknown>) => void): Fault =>
  (passing) => {
    if (isWindow(passing)) change(passing.body)
  }

const statusOf =
  (from: number, to: number): Fault =>
  (passing) => {
    if (passing.status === from) passing.status = to
  }

const without =
  (name: string): Fault =>
  ({ body }) => {
    delete body[name]
  }

const onRuns =
  (status: string): Fault =>
  ({ body, path }) => {
    if (path.startsWith("/run/") && body.status !== undefined) body.status = status
  }

const onStates =
  (change: (state: { open: boolean; nextOpenAt: string | null }) => object): Fault =>
  ({ body, method, path }) => {
    if (method === "PUT" && path.endsWith("/run-window") && body.state) body.state = change(body.state as never)
  }

const onErrors = (change: (error: { path: string }) => void): Fault =>
  onWindows(({ errors }) => {
    if (Array.isArray(errors)) errors.forEach(change)
  })

const set =
  (name: string, value: unknown): Fault =>
  ({ body }) => {
    if (body[name] !== undefined) body[name] = value
  }

const onLists =
  (change: (one: Record<string, unknown>) => void): Fault =>
  ({ body }) => {
    if (Array.isArray(body)) for (const one of body) change(one)
  }

/** A day later. */
const later = (instant: string | null): string | null =>
  instant === null ? null : new Date(Date.parse(instant) + 86_400_000).toISOString()

const onStored = (change: (window: Record<string, unknown>) => void): Fault =>
  onWindows(({ run_window }) => {
    if (run_window) change(run_window as Record<string, unknown>)
  })

/** Faults in the answers. */
const faults: Readonly<Record<string, Fault | ReadonlyArray<Fault>>> = {
  "window-paths": [
    onErrors((error) => {
      error.path = error.path.replace("special_hours[0].", "special_hours[0]/")
    }),
    onErrors((error) => {
      error.path = error.path.replace("active_end_day", "active_start_day")
    }),
    onErrors((error) => {
      error.path = error.path.replace(/active_end_time$/, "active_end_time.hours")
    }),
    set("error", "Bad Request")
  ],
  "window-malformed": [set("error", "Bad Request"), without("errors")],
  "window-stored": [
    ({ body, method }) => {
      const hours = (body.run_window as { special_hours?: Array<object> } | undefined)?.special_hours
      if (method === "GET" && hours !== undefined) hours[0] = { ...hours[0], label: undefined }
    },
    onStates(({ nextOpenAt }) => ({ open: false, nextOpenAt: nextOpenAt?.replace(":00:00", ":30:00") ?? null }))
  ],
  "window-shifts": onStates(() => ({ open: false, nextOpenAt: null })),
  "window-precedence": [
    onStates(() => ({ open: true, nextOpenAt: null })),
    onStates(({ nextOpenAt }) => ({ open: false, nextOpenAt: nextOpenAt?.replace("T00:", "T09:") ?? null })),
    onStates(({ nextOpenAt }) => ({ open: false, nextOpenAt: nextOpenAt?.replace("T09:", "T00:") ?? null })),
    onStates(({ nextOpenAt }) => ({ open: false, nextOpenAt: nextOpenAt ?? "2030-01-01T00:00:00Z" }))
  ],
  "window-zone": [
    onStates(({ nextOpenAt }) => ({ open: false, nextOpenAt: nextOpenAt?.replace("T08:", "T09:") ?? null })),
    onStates(({ nextOpenAt }) => ({ open: false, nextOpenAt: nextOpenAt?.replace("T07:", "T08:") ?? null }))
  ],
  "window-clock-changes": [
    onStates(({ nextOpenAt }) => ({ open: false, nextOpenAt: nextOpenAt ?? "2030-01-01T00:00:00Z" })),
    onStates(({ nextOpenAt }) => ({ open: false, nextOpenAt: nextOpenAt?.replace("T00:00", "T01:00") ?? null })),
    onStates(({ nextOpenAt }) => ({ open: false, nextOpenAt: nextOpenAt?.replace("T01:00", "T02:00") ?? null })),
    onStates(({ nextOpenAt }) => ({ open: false, nextOpenAt: nextOpenAt?.replace("T00:30", "T01:30") ?? null })),
    onStates(({ nextOpenAt }) => ({ open: false, nextOpenAt: nextOpenAt?.replace("T02:00", "T01:00") ?? null }))
  ],
  "window-read-and-deleted": (passing) => {
    if (passing.method === "DELETE" && isWindow(passing)) passing.body.state = { open: true, nextOpenAt: null }
  },
  "window-travels": [
    ({ body, path }) => {
      if (path.endsWith("/export")) delete body.run_window
    },
    onWindows((body) => {
      body.run_window = null
    }),
    statusOf(400, 201)
  ],
  "window-endpoint-errors": [without("error"), statusOf(404, 200)],
  "held-status": [onRuns("execution.queued"), onRuns("execution.paused")],
  "held-released-by-delete": [onRuns("execution.paused"), set("skippedResourceGroups", [])],
  "lift-lasts": [onRuns("execution.paused"), onRuns("execution.queued")],
  "lift-keeps-pause": [set("resumedRuns", 1), set("resumedRuns", 0), onRuns("execution.queued")],
  "queued-held-by-window": [
    set("resumedRuns", 1),
    onRuns("execution.queued"),
    (passing) => {
      if (isVersions(passing) && Array.isArray(passing.body)) passing.body.push({ version_number: 0 })
    }
  ],
  "unpause-several": [
    set("success", true),
    set("resumedRuns", 1),
    set("errors", ["It is not there"]),
    set("skippedResourceGroups", [])
  ],
  "unpause-invalid": statusOf(400, 200),
  "run-unknown-workflow": statusOf(404, 400),
  "run-input-errors": [
    without("run_input_variables_errors"),
    without("input_schema"),
    ({ body }) => {
      const [error] = (body.run_input_variables_errors ?? []) as Array<Record<string, unknown>>
      if (error !== undefined) error.field = "order"
    }
  ],
  "run-dry": onLists((run) => {
    run.dry_run = false
  }),
  "run-unknown-session": [statusOf(404, 200), set("error", "NotFound")],
  "version-summaries": ["version_id", "created_by", "created_at", "version_note"].map((name) =>
    onLists((version) => {
      delete version[name]
    })
  ),
  "version-content": [
    ({ body, path }) => {
      if (path.endsWith("/versions/1")) body.name = "Renamed"
    },
    ({ body, path }) => {
      if (path.endsWith("/versions/1")) body.run_window = null
    },
    statusOf(404, 200)
  ],
  "metadata-schemas": [set("vault_schema", {}), set("input_schema", {}), set("workspace_id", "w")],
  "component-record": [
    without("component_data"),
    onLists((component) => {
      component.updated_at = "today"
    })
  ],
  "component-name": statusOf(400, 201),
  "limit-nodes": [without("limit_bytes"), set("code", "VALIDATION_FAILED")],
  "limit-edges": [without("field"), statusOf(400, 201)],
  "error-no-key": [statusOf(401, 403), set("error", "Forbidden")],
  "authentication-malformed": without("detail"),
  "vault-record": [
    set("cookies", []),
    set("user_alias", null),
    set("persist_local_storage", true),
    onLists((entry) => {
      entry.permissioned_user_id = "another"
    })
  ],
  "vault-computed": ({ body, method }) => {
    if (method === "POST") body.tfa_email = "mine@conformance.example"
  },
  "vault-expiry": [
    set("effective_expires_at", null),
    ({ body }) => {
      body.effective_expires_at = body.session_data_set_at
    },
    ({ body }) => {
      if (body.expiry_time_from_last_use !== null) body.effective_expires_at = later(String(body.effective_expires_at))
    }
  ],
  "vault-proxy": [
    set("proxy_value", "sealed"),
    set("proxy_setting", "custom"),
    ({ body }) => {
      if (body.proxy_setting === "random") body.proxy_value = "192.0.2.1"
    },
    statusOf(400, 201)
  ],
  "vault-authenticator": statusOf(400, 201),
  "body-limits": [
    without("received_bytes"),
    without("message"),
    ({ body }) => {
      if (body.limit_bytes === 26_214_400) body.limit_bytes = 25_000_000
    }
  ],
  "body-without-length": ({ body }) => {
    body.received_bytes = 0
  },
  "limit-reached": [statusOf(201, 400), set("description", "d".repeat(4_000))],
  "limit-on-save": [without("limit_chars"), statusOf(400, 200)],
  "key-required": statusOf(401, 200),
  components: (passing) => {
    if (passing.path === "/workflow-components") passing.body = {}
  },
  metadata: without("vault_schema"),
  "vault-delete": without("workspace_id"),
  "authentication-invalid": without("detail"),
  "tfa-code-parameters": statusOf(400, 422),
  "window-set": onWindows((body) => {
    if (body.state !== undefined) body.state = { open: true, nextOpenAt: "2026-01-01T00:00:00Z" }
  }),
  "window-invalid": onWindows(({ errors }) => {
    if (Array.isArray(errors)) errors.length = 1
  }),
  "window-empty": statusOf(400, 200),
  "window-overnight": statusOf(400, 200),
  "window-next-opening": onWindows((body) => {
    body.state = { open: false, nextOpenAt: null }
  }),
  "window-warning": without("warnings"),
  "window-unknown-workflow": statusOf(404, 400),
  "window-no-version": (passing) => {
    if (isVersions(passing) && Array.isArray(passing.body)) passing.body.reverse()
  },
  "window-kept-by-save": onWindows((body) => {
    body.run_window = null
  }),
  "run-held": ({ body }) => {
    if (body.resumedRuns !== undefined) body.resumedRuns = 0
  },
  "run-released-by-window": ({ body }) => {
    if (body.skippedResourceGroups !== undefined) body.skippedResourceGroups = []
  },
  "unpause-workflow": without("errors"),
  "run-input-checked": (passing) => {
    if (passing.path === "/run") passing.status = 201
  },
  "interaction-unknown-session": statusOf(404, 200),
  "limit-name": without("limit_chars"),
  "limit-description": without("field"),
  "limit-version-note": without("code"),
  "limit-several": without("code"),
  "body-too-large": without("limit_bytes"),
  "role-window": statusOf(403, 200),
  "role-member": (passing) => {
    if (isWindow(passing)) passing.status = 403
  },
  "role-unpause": without("error"),
  "key-revoked": statusOf(401, 200),
  "key-shown-once": (passing) => {
    if (passing.path === "/api-keys" && Array.isArray(passing.body)) passing.body.length = 0
  },
  "vault-plain-refused": statusOf(400, 201),
  "vault-delete-invalid": statusOf(400, 404),
  "vault-sealed": (passing) => {
    if (passing.method === "DELETE") passing.body.password = "tide-and-timber"
  },
  "tfa-code-sms": statusOf(409, 404),
  "tfa-code-magic-link": statusOf(409, 404),
  "tfa-code-email-none": without("message"),
  "tfa-code-unknown": statusOf(404, 200),
  "tfa-code-authenticator": (passing) => {
    if (passing.body.code !== undefined) passing.body.code = "000000"
  },
  "tfa-code-invalid-secret": statusOf(400, 201),
  "limit-input-schema": without("field"),
  "limit-output-schema": without("limit_bytes"),
  "limit-vault-schema": without("code"),
  "limit-dry-run": without("limit_bytes"),
  "limit-actual-chars": without("actual_chars"),
  "error-malformed": without("error"),
  "error-not-found": ({ body }) => {
    if (body.error === "Not Found") body.error = "NotFound"
  },
  "error-window-shape": onWindows(({ errors }) => {
    if (Array.isArray(errors)) for (const one of errors) delete one.path
  }),
  "special-hours-overnight": statusOf(400, 200),
  "special-hours-both": statusOf(400, 200),
  "unpause-unknown": without("errors"),
  "stream-unknown": statusOf(404, 200),
  "webhook-secret-once": (passing) => {
    if (passing.method === "POST") passing.body.secret = passing.body.id
  },
  "webhook-listed": statusOf(404, 200),
  "webhook-address": statusOf(400, 201),
  "webhook-test-fails": ({ body }) => {
    if (body.success === false) body.success = true
  },
  "webhook-signed": (passing) => {
    if (passing.method === "POST" && passing.body.secret !== undefined) passing.body.secret = "another secret"
  },
  "webhook-replay": without("nr_failed"),
  "vault-pairs": set("user_alias", "Credential 1"),
  "vault-methods": [statusOf(400, 201), statusOf(201, 400)],
  "vault-provider-unknown": [without("secret_ref"), statusOf(400, 201)],
  "vault-provider": [set("password", "sealed"), set("secret_ref", "another"), statusOf(400, 201)],
  "component-updated": [
    ({ body }) => {
      body.updated_at = body.created_at
    },
    ({ body }) => {
      body.created_at = body.updated_at
    }
  ],
  "lift-ends-with-window": onRuns("execution.queued"),
  "window-one-date": [
    onStates(() => ({ open: true, nextOpenAt: null })),
    onStates(({ nextOpenAt }) => ({ open: false, nextOpenAt: later(nextOpenAt) }))
  ],
  "recurrence-start": [
    onStates(() => ({ open: true, nextOpenAt: null })),
    onStates(({ nextOpenAt }) => ({ open: false, nextOpenAt: later(nextOpenAt) }))
  ],
  "recurrence-frequencies": [
    statusOf(200, 400),
    statusOf(400, 200),
    onErrors((error) => {
      error.path = "special_hours[0].recurrence_start"
    })
  ],
  "window-replaced": [
    onStored((window) => {
      window.special_hours = [{ active: false }]
    }),
    onStored((window) => {
      window.regular_hours = []
    }),
    onStored((window) => {
      window.time_zone = "UTC"
    })
  ],
  "rate-limit": [
    set("statusCode", 400),
    set("error", "Bad Request"),
    ({ headers }) => headers.delete("retry-after"),
    ({ headers, status }) => {
      if (status === 429) headers.set("retry-after", "0.5")
    },
    ({ headers }) => headers.set("x-ratelimit-remaining", "1"),
    ({ body, status }) => {
      if (status === 429) body.retryAfterSeconds = 3_600
    }
  ],
  "tfa-code-received": [
    set("type", "authenticator"),
    without("received_at"),
    set("received_at", "2026-01-01T00:00:00.000Z"),
    ({ body }) => {
      if (body.code !== undefined) body.expires_in_seconds = 30
    },
    ({ headers }) => headers.delete("cache-control")
  ],
  "tfa-code-separate": [set("code", "000000"), set("tfa_email", "shared@inbox.example"), statusOf(404, 200)],
  "tfa-code-discarded": statusOf(404, 200),
  "tfa-code-fresh": statusOf(404, 200),
  "running-not-held": onRuns("execution.paused"),
  "credential-busy": onRuns("execution.start"),
  "credential-pool": onRuns("execution.start"),
  "credential-limit": onRuns("execution.start"),
  "credential-login": onRuns("execution.start"),
  "session-kept": [
    set("cookies", []),
    set("session_data_set_at", null),
    ({ body }) => {
      if (body.persist_cookies === false) body.cookies = [{ name: "conformance", value: "kept" }]
    }
  ],
  "interaction-expires": (passing) => {
    if (passing.path.endsWith("/user_interaction")) passing.status = 201
  },
  "clock-ends-lift": onRuns("execution.queued"),
  "clock-opens-window": (passing) => {
    if (isWindow(passing) && passing.method === "GET") passing.body.state = { open: false, nextOpenAt: null }
  }
}

/** Faults in the text of streams. */
const streamFaults: Readonly<Record<string, ReadonlyArray<(text: string) => string>>> = {
  "stream-run": [(text) => text.replace(/"timestamp":(\d+),/g, '"timestamp":$1000,')],
  "stream-paused": [
    (text) => text.replaceAll('"run_window"', '"workflow"'),
    (text) => text.replace(/"message":"[^"]*"/g, '"message":"The run window is closed"')
  ],
  "stream-resumed": [(text) => text.replace(/^id: .*\n/gm, "")],
  "interaction-waiting": [
    (text) => text.replaceAll('"interaction.waiting"', '"execution.failed"'),
    (text) => text.replace(/"expires_at":(\d+)/g, '"expires_at":1$1'),
    (text) => text.replaceAll('"current_step":"Enter the code"', '"current_step":"TFA"'),
    (text) => text.replaceAll('"missing_properties":["code"]', '"missing_properties":[]'),
    (text) => text.replaceAll('"required":["code"]', '"required":[]'),
    (text) => text.replace(/"pattern":"[^"]*"/g, '"pattern":"^[0-9]+$"'),
    (text) => text.replace(/"pattern":"[^"]*"/g, '"pattern":"^[0-9{6}$("')
  ],
  "interaction-expires": [(text) => text.replaceAll('"execution.failed"', '"execution.success"')],
  "run-version-fixed": [
    (text) => text.replaceAll('"current_step":"First"', '"current_step":"Second"'),
    (text) => text.replaceAll('"current_step":"Second"', '"current_step":"First"')
  ],
  "running-not-held": [(text) => text.replaceAll('"execution.success"', '"execution.stopped"')],
  "credential-shared": [(text) => text.replaceAll('"interaction.waiting"', '"execution.failed"')],
  "run-authenticator": [(text) => text.replaceAll('"execution.step"', '"interaction.waiting"')],
  "run-magic-link": [
    (text) => text.replaceAll('"execution.step"', '"interaction.waiting"'),
    (text) => text.replaceAll('"execution.success"', '"execution.failed"')
  ],
  "tfa-code-discarded": [(text) => text.replaceAll('"execution.step"', '"interaction.waiting"')],
  "stream-client": [(text) => text.replaceAll('"session_id"', '"run_id"')]
}

/** Requests over a proxy that breaks the answers: those of streams by a change of their text, others by a fault. */
const broken =
  (fault: Fault, ofStream: (text: string) => string = (text) => text): Send =>
  async (url, request) => {
    const answer = await fetch(url, request)
    const headers = new Headers(answer.headers)
    const kind = headers.get("content-type") ?? ""
    if (kind.includes("event-stream")) {
      const changed = new TransformStream<string, string>({
        transform: (text, controller) => controller.enqueue(ofStream(text))
      })
      const pieces = answer.body?.pipeThrough(new TextDecoderStream()).pipeThrough(changed)
      return new Response(pieces?.pipeThrough(new TextEncoderStream()) ?? null, answer)
    }
    const text = await answer.text()
    if (!kind.includes("json")) return new Response(text, answer)
    const passing = {
      method: request.method ?? "GET",
      path: new URL(url).pathname,
      headers,
      status: answer.status,
      body: JSON.parse(text)
    }
    fault(passing)
    return new Response(JSON.stringify(passing.body), { status: passing.status, headers })
  }

const sound: Fault = () => undefined

/** Requests over a proxy that changes the JSON of requests. */
const asking =
  (change: (body: Record<string, unknown>) => void): Send =>
  (url, request) => {
    if (typeof request.body !== "string") return fetch(url, request)
    const body = JSON.parse(request.body)
    change(body)
    return fetch(url, { ...request, body: JSON.stringify(body) })
  }

/** A server that takes the second key for the first one in some requests, such as `GET /vault`. */
const mistaking =
  (asked: RegExp) =>
  ({ key, secondKey }: Options): Partial<Options> => ({
    send: (url, request) => {
      const headers = new Headers(request.headers)
      const isAsked = asked.test(`${request.method} ${new URL(url).pathname}`)
      if (headers.get("cc-key") === secondKey && isAsked) headers.set("cc-key", key)
      return fetch(url, { ...request, headers })
    }
  })

/** A server that answers the first code of a credential again and again. */
const repeating = (): Partial<Options> => {
  let first: unknown
  return {
    send: broken(({ body, path }) => {
      if (!path.endsWith("/tfa-code")) return
      first ??= body.code
      body.code = first
    })
  }
}

/** A server that answers each code as received an hour before the former answer. */
const agingTimes = (): Partial<Options> => {
  let hours = 0
  return {
    send: broken(({ body }) => {
      const at = Date.parse(String(body.received_at))
      if (!Number.isNaN(at)) body.received_at = new Date(at - hours++ * 3_600_000).toISOString()
    })
  }
}

/** A server that changes the text of what it sends to the receiver. */
const delivering =
  (change: (text: string) => string) =>
  ({ receiver }: Options): Partial<Options> => ({
    receiver: {
      url: receiver?.url ?? "",
      received: async (path, count) =>
        ((await receiver?.received(path, count)) ?? []).map(({ body, signature }) => ({
          body: new TextEncoder().encode(change(new TextDecoder().decode(body))),
          signature
        }))
    }
  })

const severalSessions = asking((body) => {
  if (body.allow_multiple_sessions === false) body.allow_multiple_sessions = true
})

/** A server that knows no limits of a credential that several runs use. */
const unlimited = asking((body) => {
  delete body.max_concurrency
  delete body.prevent_concurrency_during_login
})

/** A server that answers the cookies of the first run alone. */
const forgetting = (): Partial<Options> => {
  let reads = 0
  return {
    send: broken(({ body, method, path }) => {
      if (method === "GET" && path.endsWith("/vault") && reads++ > 0) body.cookies = null
    })
  }
}

/** What breaks a server in another way: the options that replace those of the server without faults. */
const others: ReadonlyArray<readonly [name: string, change: (options: Options) => Partial<Options>]> = [
  ["isolation-lists", mistaking(/^GET \/workflows$/)],
  ["isolation-lists", mistaking(/^GET \/workflow-components$/)],
  ["isolation-lists", mistaking(/^GET \/vault$/)],
  ["isolation-workflows", mistaking(/^GET .*\/run-window$/)],
  ["isolation-workflows", mistaking(/^PUT .*\/run-window$/)],
  ["isolation-workflows", mistaking(/^DELETE .*\/run-window$/)],
  ["isolation-workflows", mistaking(/\/versions$/)],
  ["isolation-workflows", mistaking(/\/versions\/1$/)],
  ["isolation-workflows", mistaking(/ \/run$/)],
  ["isolation-workflows", mistaking(/\/runs\/unpause$/)],
  ["isolation-runs", mistaking(/ \/run\/[^/]+$/)],
  ["isolation-runs", mistaking(/\/events$/)],
  ["isolation-runs", mistaking(/\/interrupt$/)],
  ["isolation-vault", mistaking(/\/tfa-code$/)],
  ["isolation-vault", mistaking(/^DELETE \/vault$/)],
  ["isolation-vault", mistaking(/\/authentication$/)],
  ["tfa-code-received", agingTimes],
  ["tfa-code-newest", repeating],
  ["tfa-code-newest", agingTimes],
  ["interaction-webhook", ({ receiver }) => ({ receiver: { url: receiver?.url ?? "", received: async () => [] } })],
  [
    "interaction-webhook",
    delivering((text) => text.replace(/"missing_properties":\[[^\]]*\]/, '"missing_properties":[]'))
  ],
  ["interaction-webhook", delivering((text) => text.replace(/"expires_at":\d+/, '"expires_at":0'))],
  ["credential-busy", () => ({ send: severalSessions })],
  ["credential-pool", () => ({ send: severalSessions })],
  ["credential-limit", () => ({ send: unlimited })],
  ["credential-login", () => ({ send: unlimited })],
  ["session-kept", forgetting]
]

/** The name of a scenario, and the options for a server with a fault that it must find. */
export const breaking: ReadonlyArray<readonly [name: string, change: (options: Options) => Partial<Options>]> = [
  ...Object.entries(faults).flatMap(([name, some]) =>
    (typeof some === "function" ? [some] : some).map((fault) => [name, () => ({ send: broken(fault) })] as const)
  ),
  ...Object.entries(streamFaults).flatMap(([name, changes]) =>
    changes.map((change) => [name, () => ({ send: broken(sound, change) })] as const)
  ),
  ...others
]

/** A server whose metadata of workflows has no vault schema. */
export const withoutVaultSchema = broken(without("vault_schema"))
