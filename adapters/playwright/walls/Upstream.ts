/**
 * Connections that go out through a proxy: HTTP and HTTPS proxies by CONNECT, SOCKS5 proxies by name. The proxy resolves
 * the names of the hosts that it is asked for.
 */
import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http"
import { request as httpsRequest } from "node:https"
import { isIP, type Socket } from "node:net"
import { Redacted } from "effect"
import { SocksClient } from "socks"
import { named, type Proxy } from "../../../core/vault/Proxies.ts"
import type { Names } from "../../http/Names.ts"
import { isPrivate } from "../../http/PrivateAddress.ts"

/** How long a proxy may take to answer, in milliseconds. */
const answerMillis = 20_000

/** The proxy did not do what it was asked. `isItsOwn` unless what failed is the way from it to the host. */
export class ProxyFailed extends Error {
  readonly isItsOwn: boolean
  constructor(proxy: Proxy, reason: string, isItsOwn: boolean) {
    super(`the proxy ${named(proxy)} ${reason}`)
    this.isItsOwn = isItsOwn
  }
}

/** The address of a proxy. One that is not of the installation may not lie in a private network. */
const addressOf = async (proxy: Proxy, allowPrivate: boolean, names: Names): Promise<string> => {
  const addresses =
    isIP(proxy.host) > 0
      ? [proxy.host]
      : await names.resolve(proxy.host).catch(() => {
          throw new ProxyFailed(proxy, "has no address: its name cannot be resolved", true)
        })
  if (!proxy.isOwn && !allowPrivate && addresses.some(isPrivate)) {
    throw new ProxyFailed(
      proxy,
      "is at a private or loopback address; SLUICE_ALLOW_PRIVATE_NETWORKS=1 allows them",
      true
    )
  }
  return addresses[0] ?? proxy.host
}

const authorization = ({ password, username }: Proxy): Record<string, string> =>
  username === "" && Redacted.value(password) === ""
    ? {}
    : {
        "proxy-authorization": `Basic ${Buffer.from(`${username}:${Redacted.value(password)}`).toString("base64")}`
      }

/** A request to an HTTP or HTTPS proxy itself, with its certificate checked for the name that it was given by. */
const ask = (proxy: Proxy, address: string, options: RequestOptions) => {
  const asked = {
    ...options,
    host: address,
    port: proxy.port,
    agent: false,
    timeout: answerMillis,
    headers: { ...options.headers, ...authorization(proxy) }
  }
  if (proxy.scheme === "http") return httpRequest(asked)
  // Without a name the certificate is checked for the address.
  const name = isIP(proxy.host) > 0 ? {} : { servername: proxy.host }
  return httpsRequest({ ...asked, ...name })
}

/** The code of an error. Its text may contain the password, so only the code is reported. */
const causeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "no answer"
  if ("code" in error && typeof error.code === "string") return error.code
  return /\b(E[A-Z]{4,})\b/.exec(error.message)?.[1] ?? "no answer"
}

/** The result of a connection to a proxy that failed before it answered. */
const unreachable = (proxy: Proxy, error: unknown): ProxyFailed =>
  error instanceof ProxyFailed ? error : new ProxyFailed(proxy, `could not be reached: ${causeOf(error)}`, true)

const refused = (proxy: Proxy, status: number): ProxyFailed =>
  status === 407 || status === 401
    ? new ProxyFailed(proxy, "refused its user name and password", true)
    : new ProxyFailed(proxy, `answered with status ${status}`, status === 403 || status < 400)

/** The way out through a proxy, whose own name is looked up by `names`. */
export interface Upstream {
  /** A connection to a host. */
  readonly connect: (host: string, port: number) => Promise<Socket>
  /** Begins a request in clear to a host. */
  readonly request: (url: URL, options: Pick<RequestOptions, "method" | "headers">) => Promise<ClientRequest>
}

export const make = (proxy: Proxy, allowPrivate: boolean, names: Names): Upstream => {
  const address = () => addressOf(proxy, allowPrivate, names)
  const connect: Upstream["connect"] = async (host, port) => connectAt(proxy, await address(), host, port)
  return {
    connect,
    request: async (url, options) => {
      if (proxy.scheme !== "socks5") return ask(proxy, await address(), { ...options, path: url.href })
      const socket = await connect(url.hostname.replace(/^\[|\]$/g, ""), Number(url.port || 80))
      return httpRequest({ ...options, path: url.pathname + url.search, createConnection: () => socket })
    }
  }
}

const connectAt = async (proxy: Proxy, address: string, host: string, port: number): Promise<Socket> => {
  if (proxy.scheme === "socks5") return throughSocks(proxy, address, host, port)
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`
  return new Promise((resolve, reject) => {
    const asked = ask(proxy, address, { method: "CONNECT", path: authority, headers: { host: authority } })
    asked.on("connect", (answer: IncomingMessage, socket: Socket, head: Buffer) => {
      const { statusCode = 502 } = answer
      if (statusCode >= 200 && statusCode < 300) {
        socket.setTimeout(0)
        if (head.length > 0) socket.unshift(head)
        resolve(socket)
      } else {
        socket.destroy()
        reject(refused(proxy, statusCode))
      }
    })
    asked.on("response", ({ statusCode = 502 }) => {
      asked.destroy()
      reject(refused(proxy, statusCode))
    })
    asked.on("timeout", () => asked.destroy(new ProxyFailed(proxy, "did not answer in time", true)))
    asked.on("error", (error) => reject(unreachable(proxy, error)))
    asked.end()
  })
}

const throughSocks = async (proxy: Proxy, address: string, host: string, port: number): Promise<Socket> => {
  const password = Redacted.value(proxy.password)
  const { socket } = await SocksClient.createConnection({
    command: "connect",
    destination: { host, port },
    proxy: {
      host: address,
      port: proxy.port,
      type: 5,
      ...(proxy.username === "" && password === "" ? {} : { userId: proxy.username, password })
    },
    timeout: answerMillis,
    set_tcp_nodelay: true
  }).catch((error: unknown) => {
    const text = error instanceof Error ? error.message : ""
    if (/auth/i.test(text)) throw new ProxyFailed(proxy, "refused its user name and password", true)
    const rejection = /rejected connection - (\w+)/.exec(text)?.[1]
    if (rejection === undefined) throw unreachable(proxy, error)
    throw new ProxyFailed(proxy, `could not connect: ${rejection}`, rejection === "NotAllowed")
  })
  return socket
}

/** The failure of a request to a proxy, whether it was refused or broke. */
export const failureOf = (proxy: Proxy, problem: { readonly status: number } | { readonly error: unknown }) =>
  "status" in problem ? refused(proxy, problem.status) : unreachable(proxy, problem.error)
