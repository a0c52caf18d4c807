/** Scenarios of the vault and of second factors. */
import { absent, codeOf, credential, entry, expectGeneral, expectTime, newPair, type Scenario } from "../Scenario.ts"
import * as Sealed from "../Sealed.ts"
import { expect, field, listOf, skip } from "../Server.ts"

const unsupported = (name: string, method: string): Scenario => ({
  name,
  section: "GET /vault/tfa-code",
  promise: `The code of a credential with ${method} is 409`,
  run: async (server) => {
    const pair = await credential(server, { tfa_method: method })
    expectGeneral(await server.expect(409, "GET", codeOf(pair)), 409)
  }
})

export const scenarios: ReadonlyArray<Scenario> = [
  {
    name: "vault-plain-refused",
    section: "Authentication",
    promise: "A password that is not sealed is refused, and is not repeated in the answer",
    run: async (server) => {
      const password = "conformance-plain-password"
      const json = { domain: "https://conformance.example", permissioned_user_id: "conformance-plain", password }
      const refused = await server.expect(400, "POST", "/authentication", { json })
      expect(!JSON.stringify(refused).includes(password), "an answer without the password", "an answer with it")
    }
  },
  {
    name: "authentication-malformed",
    section: "POST /authentication (create user)",
    promise: "A body that is not JSON is 400 with a detail",
    run: async (server) => {
      const refused = await server.expect(400, "POST", "/authentication", { text: '{"domain":' })
      const [detail] = listOf(field(refused, "detail"), "detail")
      listOf(field(detail, "loc"), "loc")
      expect(typeof field(detail, "msg") === "string" && typeof field(detail, "type") === "string", "msg, type", detail)
    }
  },
  {
    name: "vault-record",
    section: "Vault entry (complete record)",
    promise: "A credential is read as it was created, with its cookies, ids and times",
    run: async (server) => {
      const cookie = { name: "c", value: "1", domain: "conformance.example", path: "/", secure: true, httpOnly: false }
      const sent = {
        user_alias: "Conformance",
        persist_cookies: true,
        persist_local_storage: false,
        allow_multiple_sessions: true,
        cookie_domain_to_store: "conformance.example"
      }
      const pair = await credential(server, { ...sent, cookies: [cookie] })
      const read = await server.expect(200, "GET", `/vault?${new URLSearchParams(pair)}`)
      for (const [name, value] of Object.entries(sent)) expect(field(read, name) === value, `${name} ${value}`, read)
      const [stored] = listOf(field(read, "cookies"), "cookies")
      for (const [name, value] of Object.entries(cookie)) {
        expect(field(stored, name) === value, `${name} ${value} of the cookie`, stored)
      }
      for (const name of ["id", "workspace_id", "user_id", "created_at", "updated_at"]) {
        expect(typeof field(read, name) === "string", name, read)
      }
      const all = listOf(await server.expect(200, "GET", "/vault"), "the credentials")
      expect(
        all.some((one) => field(one, "permissioned_user_id") === pair.permissioned_user_id),
        "the credential in the list",
        all.length
      )
    }
  },
  {
    name: "vault-pairs",
    section: "What the service does",
    promise:
      "A credential is identified by its user and its domain: another user or another domain is another credential",
    run: async (server) => {
      const pair = newPair()
      const pairs = [pair, newPair(), { ...pair, domain: "https://other.conformance.example" }]
      for (const [index, one] of pairs.entries()) await credential(server, { user_alias: `Credential ${index}` }, one)
      await server.expect(200, "DELETE", "/vault", { json: pair })
      for (const [index, one] of pairs.entries()) {
        if (one === pair) continue
        const read = await server.expect(200, "GET", `/vault?${new URLSearchParams(one)}`)
        expect(field(read, "user_alias") === `Credential ${index}`, `Credential ${index}`, read)
      }
    }
  },
  {
    name: "vault-methods",
    section: "Vault entry (complete record)",
    promise: "tfa_method is AUTHENTICATOR, EMAIL, MAGIC_LINK or SMS: another one is 400",
    run: async (server) => {
      for (const tfa_method of ["EMAIL", "MAGIC_LINK", "SMS"]) await credential(server, { tfa_method })
      const pair = newPair()
      server.later(() => server.send("DELETE", "/vault", { json: pair }))
      await server.expect(400, "POST", "/authentication", { json: { ...pair, tfa_method: "PIGEON" } })
    }
  },
  {
    name: "vault-provider-unknown",
    section: "Vault entry (complete record)",
    promise: "Without a secret provider its fields are null, and an unknown secret provider is 400",
    run: async (server) => {
      const read = await server.expect(200, "GET", `/vault?${new URLSearchParams(await credential(server))}`)
      for (const name of ["secret_provider_id", "secret_ref", "secret_cache_ttl_seconds"]) {
        expect(field(read, name) === null, `${name} null`, read)
      }
      const pair = newPair()
      server.later(() => server.send("DELETE", "/vault", { json: pair }))
      const binding = { secret_provider_id: absent, secret_ref: "site" }
      const { status } = await server.send("POST", "/vault", { json: { ...pair, ...binding } })
      if (status === 404) skip("the server creates no credential with POST /vault: it answers 404")
      expect(status === 400, "400 for an unknown secret provider", status)
    }
  },
  {
    name: "vault-provider",
    section: "Vault entry (complete record)",
    promise: "A credential that is bound to a secret provider has its reference, and user_name and password are null",
    needs: ["encryption key"],
    run: async (server) => {
      const config = {
        url: "https://vault.conformance.example",
        token: await Sealed.seal(server.encryptionKey, "conformance-token")
      }
      const json = { provider_type: "hashicorp_vault", name: `Conformance ${crypto.randomUUID()}`, config }
      const made = await server.send("POST", "/secret-providers?test=false", { json })
      if (made.status === 404) skip("the server has no secret providers: POST /secret-providers answers 404")
      expect(made.status === 200 || made.status === 201, "POST /secret-providers to answer 201", made)
      const id = field(made.body, "id")
      server.later(() => server.send("DELETE", `/secret-providers/${id}`))
      const pair = newPair()
      server.later(() => server.send("DELETE", "/vault", { json: pair }))
      const binding = { secret_provider_id: id, secret_ref: "site", secret_cache_ttl_seconds: 60 }
      const bound = await server.send("POST", "/vault", { json: { ...pair, ...binding } })
      expect(bound.status === 200 || bound.status === 201, "POST /vault to answer 201", bound)
      const read = await server.expect(200, "GET", `/vault?${new URLSearchParams(pair)}`)
      for (const [name, value] of Object.entries(binding)) expect(field(read, name) === value, `${name} ${value}`, read)
      for (const name of ["user_name", "password"]) expect(field(read, name) === null, `${name} null`, read)
      const other = newPair()
      server.later(() => server.send("DELETE", "/vault", { json: other }))
      const password = await Sealed.seal(server.encryptionKey, "conformance")
      await server.expect(400, "POST", "/vault", { json: { ...other, ...binding, password } })
    }
  },
  {
    name: "vault-computed",
    section: "Vault entry (complete record)",
    promise: "tfa_email and tfa_phone_number are computed, and cannot be set",
    run: async (server) => {
      const foreign = { tfa_email: "mine@conformance.example", tfa_phone_number: "+15550100" }
      const pair = newPair()
      server.later(() => server.send("DELETE", "/vault", { json: pair }))
      const made = await server.send("POST", "/vault", { json: { ...pair, ...foreign, tfa_method: "EMAIL" } })
      if (made.status === 400) return
      expect(made.status === 200 || made.status === 201, "POST /vault to answer 201 or 400", made)
      for (const [name, value] of Object.entries(foreign)) {
        expect(field(made.body, name) !== value, `no ${name} as it was sent`, made.body)
      }
    }
  },
  {
    name: "vault-expiry",
    section: "Vault entry (complete record)",
    promise:
      "effective_expires_at is computed from the intervals of a credential, the earlier end counts, and null is none",
    run: async (server) => {
      const cookies = [{ name: "c", value: "1", domain: "conformance.example", path: "/" }]
      const made = async (fields: object) => {
        const pair = await entry(server, { cookies, ...fields })
        const read = await server.expect(200, "GET", `/vault?${new URLSearchParams(pair)}`)
        expectTime(read, "session_data_set_at")
        return { read, end: field(read, "effective_expires_at") }
      }
      const none = await made({})
      expect(none.end === null, "effective_expires_at null without an interval", none.read)
      const day = { expiry_time_from_session_data_set: "1 day" }
      for (const fields of [day, { ...day, expiry_time_from_last_use: "7 days" }]) {
        const { end, read } = await made(fields)
        const set = Date.parse(String(field(read, "session_data_set_at")))
        // The server may round both instants.
        const isDay = Math.abs(Date.parse(String(end)) - set - 86_400_000) <= 1_000
        expect(isDay, "effective_expires_at a day after session_data_set_at", read)
      }
    }
  },
  {
    name: "vault-proxy",
    section: "Vault entry (complete record)",
    promise:
      "The URL of a custom proxy is returned sealed and opens to the original text, and random has no proxy_value",
    needs: ["encryption key"],
    run: async (server) => {
      const url = `http://conformance:${crypto.randomUUID()}@proxy.example:8080`
      const sealed = await Sealed.seal(server.encryptionKey, url)
      const read = async (fields: Readonly<Record<string, unknown>>) => {
        const pair = await entry(server, fields)
        return server.expect(200, "GET", `/vault?${new URLSearchParams(pair)}`)
      }
      const custom = await read({ proxy_setting: "custom", proxy_value: sealed })
      expect(field(custom, "proxy_setting") === "custom", 'proxy_setting "custom"', custom)
      expect(!JSON.stringify(custom).includes(url), "no URL in the clear", "one")
      const value = String(field(custom, "proxy_value"))
      const opened = await Sealed.open(server.encryptionKey, value).catch(() => null)
      expect(opened === url, "a proxy_value that opens with the key of the workspace", "another text")
      const random = await read({ proxy_setting: "random" })
      expect(field(random, "proxy_setting") === "random", 'proxy_setting "random"', random)
      expect((field(random, "proxy_value") ?? null) === null, "no proxy_value with random", random)
      const json = { ...newPair(), proxy_setting: "sometimes" }
      server.later(() => server.send("DELETE", "/vault", { json }))
      await server.expect(400, "POST", "/vault", { json })
    }
  },
  {
    name: "vault-authenticator",
    section: "Vault entry (complete record)",
    promise: "A credential with AUTHENTICATOR needs a tfa_secret",
    run: async (server) => {
      const pair = newPair()
      server.later(() => server.send("DELETE", "/vault", { json: pair }))
      await server.expect(400, "POST", "/authentication", { json: { ...pair, tfa_method: "AUTHENTICATOR" } })
    }
  },
  {
    name: "vault-delete-invalid",
    section: "DELETE /vault",
    promise: "A deletion that names no credential is 400",
    run: async (server) => {
      const refused = await server.expect(400, "DELETE", "/vault", { json: { domain: "https://conformance.example" } })
      expect(field(refused, "statusCode") === 400, "statusCode 400", refused)
    }
  },
  {
    name: "vault-sealed",
    section: "Authentication",
    promise: "A sealed password is returned sealed, and unseals to the original text",
    needs: ["encryption key"],
    run: async (server) => {
      const password = `conformance-${crypto.randomUUID()}`
      const pair = await credential(server, { password: await Sealed.seal(server.encryptionKey, password) })
      const gone = await server.expect(200, "DELETE", "/vault", { json: pair })
      const sealed = String(field(gone, "password"))
      expect(!JSON.stringify(gone).includes(password), "no password in the clear", "one")
      const opened = await Sealed.open(server.encryptionKey, sealed).catch(() => null)
      expect(opened === password, "a password that opens with the key of the workspace", "another text")
    }
  },
  unsupported("tfa-code-sms", "SMS"),
  unsupported("tfa-code-magic-link", "MAGIC_LINK"),
  {
    name: "tfa-code-email-none",
    section: "GET /vault/tfa-code",
    promise: "The code of a credential without a received mail is 404, or 403 where no mail is received",
    run: async (server) => {
      const pair = await credential(server, { tfa_method: "EMAIL" })
      const { body, status } = await server.send("GET", codeOf(pair))
      expect(status === 404 || status === 403, "404 or 403", { status, body })
      expectGeneral(body, status)
    }
  },
  {
    name: "tfa-code-unknown",
    section: "GET /vault/tfa-code",
    promise: "The code of a missing credential is 404",
    run: async (server) => {
      const pair = { domain: "https://conformance.example", permissioned_user_id: "conformance-unknown" }
      expectGeneral(await server.expect(404, "GET", codeOf(pair)), 404)
    }
  },
  {
    name: "tfa-code-authenticator",
    section: "2FA code",
    promise: "The code of an authenticator is that of RFC 6238, with the seconds that are left, and is not cached",
    needs: ["encryption key"],
    run: async (server) => {
      const tfa_secret = await Sealed.seal(server.encryptionKey, Sealed.secret)
      const pair = await credential(server, { tfa_method: "AUTHENTICATOR", tfa_secret })
      // The clocks of this machine and of the server may differ a little.
      const before = await Sealed.codeAt(server.now() - 1_000)
      const { body, headers, status } = await server.send("GET", codeOf(pair))
      const after = await Sealed.codeAt(server.now() + 1_000)
      expect(status === 200, "200", { status, body })
      expect(field(body, "type") === "authenticator", 'type "authenticator"', body)
      const code = field(body, "code")
      expect(code === before || code === after, `the code ${after}`, body)
      const left = field(body, "expires_in_seconds")
      expect(typeof left === "number" && left >= 0 && left <= 30, "expires_in_seconds from 0 to 30", body)
      const cached = headers.get("cache-control")
      expect(cached?.includes("no-store") === true, "the header Cache-Control: no-store", cached)
    }
  },
  {
    name: "tfa-code-invalid-secret",
    section: "Errors",
    promise: "An invalid second-factor secret is 400 when it is sent, or 422 when its code is requested",
    needs: ["encryption key"],
    run: async (server) => {
      const pair = newPair()
      server.later(() => server.send("DELETE", "/vault", { json: pair }))
      const tfa_secret = await Sealed.seal(server.encryptionKey, "!not a secret!")
      const json = { ...pair, tfa_method: "AUTHENTICATOR", tfa_secret }
      const sent = await server.send("POST", "/authentication", { json })
      if (sent.status === 400) return expectGeneral(sent.body, 400)
      expectGeneral(await server.expect(422, "GET", codeOf(pair)), 422)
    }
  }
]
