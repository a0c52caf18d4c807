/**
 * Servers that follow the documentation of 1Password Connect and HashiCorp Vault, for the requests of the service.
 */
import { Effect, type Scope } from "effect"
import { type Answer, type Asked, type StandIn, standIn } from "./fakeServer.ts"

export interface ConnectItem {
  readonly id: string
  title: string
  readonly category?: string
  readonly state?: string
  readonly sections?: ReadonlyArray<{ readonly id: string; readonly label?: string }>
  fields: ReadonlyArray<Readonly<Record<string, unknown>>>
}

export interface ConnectVault {
  readonly id: string
  readonly name: string
  readonly items: Array<ConnectItem>
}

export interface ConnectServer extends StandIn {
  readonly token: string
  readonly vaults: Array<ConnectVault>
}

/** An id as 1Password makes them: 26 lower-case letters and digits. */
export const id = (name: string): string => name.padEnd(26, "0")

export const connectServer = (vaults: Array<ConnectVault>): Effect.Effect<ConnectServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const token = "canary-connect-token"
    const error = (status: number, message: string): Answer => [status, { status, message }]
    const answer = ({ headers, method, url }: Asked): Answer => {
      if (headers.authorization !== `Bearer ${token}`) return error(401, "Invalid bearer token")
      const parts = url.pathname.split("/").slice(1).map(decodeURIComponent)
      if (method !== "GET" || parts[0] !== "v1" || parts[1] !== "vaults") return error(404, "Not found")
      const filter = url.searchParams.get("filter")
      const wanted = filter === null ? null : /^(name|title) eq ("(?:[^"\\]|\\.)*")$/.exec(filter)
      if (filter !== null && wanted === null) return error(400, "Invalid filter")
      const text = wanted === null ? null : String(JSON.parse(wanted[2] ?? ""))
      if (parts.length === 2) {
        const shown = vaults.filter(({ name }) => text === null || name === text)
        return [200, shown.map(({ id, items, name }) => ({ id, name, items: items.length, type: "USER_CREATED" }))]
      }
      if (!/^[a-z0-9]{26}$/.test(parts[2] ?? "")) return error(400, "Invalid Vault UUID")
      const vault = vaults.find(({ id }) => id === parts[2])
      if (vault === undefined) return error(404, "Vault not found")
      const summary = (item: ConnectItem) => ({
        id: item.id,
        title: item.title,
        category: item.category ?? "LOGIN",
        vault: { id: vault.id },
        ...(item.state === undefined ? {} : { state: item.state })
      })
      if (parts.length === 4)
        return [200, vault.items.filter(({ title }) => text === null || title === text).map(summary)]
      if (!/^[a-z0-9]{26}$/.test(parts[4] ?? "")) return error(400, "Invalid Item UUID")
      const item = vault.items.find(({ id }) => id === parts[4])
      return item === undefined
        ? error(404, "Item not found")
        : [200, { ...summary(item), sections: item.sections ?? [], fields: item.fields }]
    }
    return { ...(yield* standIn(answer)), token, vaults }
  })

export interface VaultServer extends StandIn {
  /** The token that may read everything. */
  readonly token: string
  readonly role: { readonly role_id: string; readonly secret_id: string }
  /** The secrets below the mount, by their paths; `null` is a deleted one. */
  readonly secrets: Map<string, Readonly<Record<string, unknown>> | null>
  readonly state: { sealed: boolean; leaseSeconds: number; namespace: string | null }
  /** Revokes every token that was issued for the role. */
  readonly revoke: () => void
}

export const vaultServer = (
  secrets: VaultServer["secrets"],
  mount = "secret"
): Effect.Effect<VaultServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const token = "canary-vault-token"
    const role = { role_id: "role-1", secret_id: "canary-secret-id" }
    const state: VaultServer["state"] = { sealed: false, leaseSeconds: 1_200, namespace: null }
    const given = new Set<string>()
    let count = 0
    const errors = (status: number, ...errors: ReadonlyArray<string>): Answer => [status, { errors }]
    const denied = errors(403, "1 error occurred:\n\t* permission denied\n\n")

    const logIn = (text: string): Answer => {
      const { role_id, secret_id } = JSON.parse(text)
      if (role_id !== role.role_id || secret_id !== role.secret_id) return errors(400, "invalid role or secret ID")
      const client_token = `canary-leased-${++count}`
      given.add(client_token)
      const auth = {
        client_token,
        lease_duration: state.leaseSeconds,
        renewable: true,
        policies: ["default"],
        num_uses: 0
      }
      return [200, { request_id: "1", lease_id: "", renewable: false, lease_duration: 0, data: null, auth }]
    }

    const list = (folder: string): Answer => {
      const keys = new Set(
        [...secrets.keys()]
          .filter((path) => path.startsWith(folder))
          .map((path) => path.slice(folder.length).replace(/\/.*$/, "/"))
      )
      return keys.size === 0 ? errors(404) : [200, { data: { keys: [...keys].sort() } }]
    }

    const read = (path: string): Answer => {
      const data = secrets.get(path)
      if (data === undefined) return errors(404)
      const metadata = { created_time: "2026-01-01T00:00:00Z", deletion_time: "", destroyed: false, version: 1 }
      return [
        data === null ? 404 : 200,
        { lease_id: "", renewable: false, lease_duration: 0, data: { data, metadata } }
      ]
    }

    const answer = ({ headers, method, text, url }: Asked): Answer => {
      if (state.sealed) return errors(503, "Vault is sealed")
      if ((headers["x-vault-namespace"] ?? null) !== state.namespace) return denied
      const path = decodeURIComponent(url.pathname)
      if (method === "POST" && path === "/v1/auth/approle/login") return logIn(text)
      const sent = String(headers["x-vault-token"] ?? "")
      if (sent !== token && !given.has(sent)) return denied
      if (path === "/v1/auth/token/lookup-self") return [200, { data: { display_name: "test", ttl: 3_600 } }]
      const data = `/v1/${mount}/data/`
      const metadata = `/v1/${mount}/metadata/`
      if (path.startsWith(metadata) && url.searchParams.get("list") === "true") return list(path.slice(metadata.length))
      return path.startsWith(data) ? read(path.slice(data.length)) : denied
    }
    return { ...(yield* standIn(answer)), token, role, secrets, state, revoke: () => given.clear() }
  })
