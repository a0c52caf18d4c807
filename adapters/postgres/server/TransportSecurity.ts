/** The settings of TLS for connections to PostgreSQL, with the meaning that `sslmode` has in libpq. */
import { readFileSync } from "node:fs"
import { isIP } from "node:net"
import { type ConnectionOptions, checkServerIdentity, createSecureContext } from "node:tls"
import { Redacted, Result } from "effect"
import type { Host, Tls } from "./ConnectionUrl.ts"

/** How a connection is secured; `false` for plain text. */
export type Security = false | ConnectionOptions

/**
 * The ways that are tried in turn, the first one first. Reads the files that the URL names, and fails with the sentence that
 * names the parameter.
 *
 * `host` is asked at each connection: the certificate must be that of the host which is connected to.
 */
export const securities = (tls: Tls, host: () => Host): Result.Result<ReadonlyArray<Security>, string> => {
  if (tls.mode === "disable") return Result.succeed([false])
  const files = filesOf(tls)
  if (Result.isFailure(files)) return Result.fail(files.failure)
  const verifiesName = tls.mode === "verify-full"
  // As in libpq, an authority that is named is asked also where the mode alone would not ask for one.
  const verifies = verifiesName || tls.mode === "verify-ca" || tls.rootCertificate !== null
  const secured: ConnectionOptions = {
    ...files.success,
    ...(tls.minVersion === null ? {} : { minVersion: tls.minVersion }),
    ...(tls.maxVersion === null ? {} : { maxVersion: tls.maxVersion }),
    rejectUnauthorized: verifies,
    // The client reads this at each connection. An address is no name that may be sent.
    get servername() {
      const { name } = host()
      return tls.sendsName && isIP(name) === 0 && !name.startsWith("/") ? name : ""
    },
    checkServerIdentity: (_sent, certificate) =>
      verifiesName ? checkServerIdentity(host().name, certificate) : undefined
  }
  const both: Readonly<Record<string, ReadonlyArray<Security>>> = {
    prefer: [secured, false],
    allow: [false, secured]
  }
  return Result.succeed(both[tls.mode] ?? [secured])
}

/** The contents of the files, which are tried as a whole. */
const filesOf = (tls: Tls): Result.Result<ConnectionOptions, string> => {
  const named = [
    ["sslrootcert", "ca", tls.rootCertificate === "system" ? null : tls.rootCertificate],
    ["sslcert", "cert", tls.certificate],
    ["sslkey", "key", tls.key],
    ["sslcrl", "crl", tls.revocations]
  ] as const
  const options: Record<string, string> = {}
  for (const [parameter, option, file] of named) {
    if (file === null) continue
    try {
      options[option] = readFileSync(file, "utf8")
    } catch {
      return Result.fail(`The file of ${parameter} in DATABASE_URL cannot be read: ${file}`)
    }
  }
  const passphrase = tls.keyPassword === null ? {} : { passphrase: Redacted.value(tls.keyPassword) }
  const all = { ...options, ...passphrase }
  try {
    createSecureContext(all)
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "they are not in the form PEM"
    return Result.fail(`The files of ${parametersIn(tls)} in DATABASE_URL cannot be used: ${reason}`)
  }
  return Result.succeed(all)
}

const parametersIn = (tls: Tls): string =>
  [
    ...(tls.rootCertificate === null || tls.rootCertificate === "system" ? [] : ["sslrootcert"]),
    ...(tls.certificate === null ? [] : ["sslcert", "sslkey"]),
    ...(tls.revocations === null ? [] : ["sslcrl"])
  ].join(", ")
