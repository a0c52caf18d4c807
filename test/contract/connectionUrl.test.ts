import { readFileSync } from "node:fs"
import { userInfo } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import * as ConnectionUrl from "../../adapters/postgres/server/ConnectionUrl.ts"

const targetOf = (url: string): ConnectionUrl.Target => {
  const read = ConnectionUrl.read(url)
  assert.strictEqual(read._tag, "Target", JSON.stringify(read))
  if (read._tag !== "Target") throw new Error("unreachable")
  return read.target
}

const problemsOf = (url: string): ReadonlyArray<string> => {
  const read = ConnectionUrl.read(url)
  return read._tag === "Problems" ? read.problems : []
}

const passwordOf = ({ password }: ConnectionUrl.Target) => (password === null ? null : Redacted.value(password))

const place = (name: string, port = 5432, address: string | null = null) => ({ name, address, port })

describe("DATABASE_URL", () => {
  it.each<readonly [string, Partial<Record<keyof ConnectionUrl.Target, unknown>>]>([
    ["postgres://u@db/d", { hosts: [place("db")], user: "u", database: "d", searchPath: null, needsWritable: false }],
    ["postgresql://u@db:6000", { hosts: [place("db", 6000)], database: "u" }],
    ["postgres://u@[::1]:6000/d", { hosts: [place("::1", 6000)] }],
    ["postgres:///d?host=/run/postgresql&user=u", { hosts: [place("/run/postgresql")], user: "u" }],
    ["postgres://u@%2Frun%2Fpostgresql:6000/d", { hosts: [place("/run/postgresql", 6000)] }],
    ["postgres:///d", { hosts: [place("localhost")], user: userInfo().username }],
    ["postgres://u@a:1,b:2,c/d", { hosts: [place("a", 1), place("b", 2), place("c")], needsWritable: true }],
    ["postgres://u@/d?host=a,b&port=7", { hosts: [place("a", 7), place("b", 7)] }],
    [
      "postgres://u@a,b/d?hostaddr=10.0.0.1,10.0.0.2",
      { hosts: [place("a", 5432, "10.0.0.1"), place("b", 5432, "10.0.0.2")] }
    ],
    ["postgres://u@a,b/d?target_session_attrs=any", { needsWritable: false }],
    ["postgres://u@a/d?target_session_attrs=read-write", { needsWritable: true }],
    ["postgres://u@a/d?application_name=x%20y&connect_timeout=0", { applicationName: "x y", connectTimeoutMillis: 0 }],
    ["postgres://u@a/d?fallback_application_name=x", { applicationName: "x" }],
    ["postgres://u@a/d?keepalives=0", { keepAliveMillis: null }],
    ["postgres://u@a/d?keepalives_idle=7", { keepAliveMillis: 7_000 }],
    [
      "postgres://u@a/d?options=-c%20geqo%3Doff&search_path=x,public",
      { options: "-c geqo=off", searchPath: "x,public" }
    ],
    ['postgres://u@a/d?schema=a"b', { searchPath: '"a""b"' }],
    ["postgres://u@a/d?dbname=e&client_encoding=UTF8&gssencmode=disable&channel_binding=prefer", { database: "e" }]
  ])("%s is read", (url, expected) => assert.deepInclude(targetOf(url), expected))

  it("has a user and a password of any characters, percent-encoded", () => {
    const all = "p@/:#?%&= ü[]"
    const target = targetOf(`postgres://u:${encodeURIComponent(all)}@db/d`)
    assert.strictEqual(passwordOf(target), all)
    assert.strictEqual(passwordOf(targetOf(`postgres://u@db/d?password=${encodeURIComponent(all)}`)), all)
    assert.strictEqual(passwordOf(targetOf("postgres://u:a:b@db/d")), "a:b")
    assert.isNull(passwordOf(targetOf("postgres://u@db/d")))
  })

  it.each<readonly [string, ConnectionUrl.SslMode]>([
    ["", "disable"],
    ["ssl=true", "require"],
    ["ssl=false", "disable"],
    ["requiressl=1", "require"],
    ["ssl=true&sslmode=verify-full", "verify-full"],
    ["sslrootcert=system", "verify-full"],
    ...ConnectionUrl.sslModes.map((mode) => [`sslmode=${mode}`, mode] as const)
  ])('with "%s" is secured as %s', (query, mode) =>
    assert.strictEqual(targetOf(`postgres://u@db/d?${query}`).tls.mode, mode)
  )

  it("names the files and bounds of TLS", () => {
    const query =
      "sslmode=verify-ca&sslrootcert=/ca&sslcert=/c&sslkey=/k&sslpassword=secret&sslcrl=/r&sslsni=0&ssl_min_protocol_version=TLSv1.2&ssl_max_protocol_version=TLSv1.3"
    const { keyPassword, ...tls } = targetOf(`postgres://u@db/d?${query}`).tls
    assert.deepStrictEqual(tls, {
      mode: "verify-ca",
      rootCertificate: "/ca",
      certificate: "/c",
      key: "/k",
      revocations: "/r",
      sendsName: false,
      minVersion: "TLSv1.2",
      maxVersion: "TLSv1.3"
    })
    assert.strictEqual(keyPassword === null ? null : Redacted.value(keyPassword), "secret")
  })

  const secret = "S3cr"
  it.each(["@", "/", "#", "?", "%", "@@", "/@", "?@", "#@", "@/", "@?", "/?", "%zz"])(
    'with "%s" in its password as it is gets one sentence about it, and no piece of it',
    (character) => {
      for (const host of ["db", "db:5432", "a:1,b:2", "[::1]"]) {
        for (const query of ["", "?sslmode=require", "?x=1"]) {
          const problems = problemsOf(`postgres://user:${secret}${character}${secret}@${host}/d${query}`)
          assert.lengthOf(problems, 1, character)
          assert.include(problems[0], "percent-encoded")
          assert.notInclude(problems.join(), secret)
        }
      }
    }
  )

  it.each([
    ["mysql://u@db/d", "must begin with postgres:// or postgresql://"],
    ["db/d", "must begin with postgres:// or postgresql://"],
    [
      "postgres://u@db/d?sslmode=nonsense",
      "sslmode=nonsense in DATABASE_URL is refused: expected disable, allow, prefer, require, verify-ca, verify-full"
    ],
    ["postgres://u@db/d?ssl=1", "ssl=1 in DATABASE_URL is refused: expected true, false"],
    ["postgres://u@db/d?ssl=true&sslmode=disable", "contradict each other"],
    ["postgres://u@db/d?sslrootcert=/ca", "sslrootcert in DATABASE_URL has no effect without TLS"],
    ["postgres://u@db/d?sslmode=require&sslrootcert=system", "needs sslmode=verify-full"],
    ["postgres://u@db/d?sslmode=require&sslcert=/c", "sslcert and sslkey"],
    ["postgres://u@db/d?target_session_attrs=standby", "expected any, read-write, primary"],
    ["postgres://u@db/d?channel_binding=require", "expected disable, prefer"],
    ["postgres://u@db/d?sslnegotiation=direct", "expected postgres"],
    ["postgres://u@db/d?client_encoding=LATIN1", "client_encoding=LATIN1"],
    [
      "postgres://u@db/d?connect_timeout=soon",
      "connect_timeout=soon in DATABASE_URL is refused: expected a number of seconds"
    ],
    ["postgres://u@db/d?sslmod=require", 'parameter "sslmod", which is unknown'],
    ["postgres://u@db/d?sslmode=require&sslmode=disable", '"sslmode" twice'],
    ["postgres://u@a,b/d?port=1,2,3", "2 hosts and 3 ports"],
    ["postgres://u@a,b/d?hostaddr=10.0.0.1", "2 hosts and 1 addresses"],
    ["postgres://u@db:99999/d", "a port that is no number from 1 to 65535"],
    ...Object.keys(ConnectionUrl.refused).map((name) => [
      `postgres://u@db/d?${name}=1`,
      `cannot have the parameter "${name}"`
    ])
  ])("%s is refused", (url, expected) => assert.include(problemsOf(String(url)).join("\n"), String(expected)))

  it("has all its parameters in the docs", () => {
    const page = readFileSync("docs/database.md", "utf8")
    for (const name of [...ConnectionUrl.honoured, ...Object.keys(ConnectionUrl.refused)]) {
      assert.include(page, `\`${name}\``, name)
    }
  })
})
