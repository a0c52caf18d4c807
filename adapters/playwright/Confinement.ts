/**
 * The isolation of a browser, in case a page takes it over: Chromium's sandbox and, if the service runs as root, a
 * separate user.
 *
 * The user needs no account: each browser gets an unused id. It cannot read files or processes of the service, or
 * signal them.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Processes from "./Processes.ts"
import * as UserClaims from "./UserClaims.ts"

export interface BrowserUser {
  readonly uid: number
  readonly gid: number
}

export interface Confinement {
  /** `fresh` gives each browser a separate id; with `null` it has the user of the service. */
  readonly user: BrowserUser | "fresh" | null
  readonly sandbox: boolean
  /** A sentence for each protection that this machine does not allow, with how to allow it. */
  readonly gaps: ReadonlyArray<string>
}

/** Raised when browsers cannot run as the named user. */
export class UserUnusable extends Error {
  override readonly name = "UserUnusable"
}

/**
 * The confinements to try, the strongest first. `wanted` is the name or the id of a user of the system; `null` for an
 * automatic choice. Throws `UserUnusable` if browsers cannot run as that user.
 */
export const plans = (executablePath: string, wanted: string | null): ReadonlyArray<Confinement> => {
  if (process.getuid?.() !== 0) {
    if (wanted !== null) throw new UserUnusable("only a service that runs as root can give browsers another user")
    return withAndWithoutSandbox(null)
  }
  const user = wanted === null ? (named(accountName) ?? "fresh") : named(wanted)
  if (user === null) {
    throw new UserUnusable(`"${wanted}" is neither a user in /etc/passwd nor a number above 0`)
  }
  const problem = problemWith(user === "fresh" ? firstFree() : user, executablePath)
  if (problem === null) return withAndWithoutSandbox(user)
  if (wanted !== null) throw new UserUnusable(problem)
  return [
    {
      user: null,
      sandbox: false,
      gaps: [`The browser runs as root and without its sandbox: ${problem}. Run the service as another user than root`]
    }
  ]
}

const withAndWithoutSandbox = (user: Confinement["user"]): ReadonlyArray<Confinement> => [
  { user, sandbox: true, gaps: [] },
  { user, sandbox: false, gaps: [noSandbox] }
]

const noSandbox =
  "Chromium runs without its sandbox, because this system gives it no user namespaces. Allow them (user.max_user_namespaces and kernel.apparmor_restrict_unprivileged_userns; in a container its seccomp profile), or install the sandbox helper of the Chromium package"

/** Whether Chromium ended because the system does not allow its sandbox. */
export const isSandboxRefused = (error: unknown): boolean =>
  error instanceof Error &&
  /Chromium sandboxing failed|No usable sandbox|SUID sandbox helper|Failed to move to new namespace|zygote_host_impl|credentials\.cc/.test(
    error.message
  )

/** The account of browsers, if the system has one of this name. */
const accountName = "sluice-browser"

/** A user by name or id; `null` for an unknown user and for root. */
const named = (user: string): BrowserUser | null => {
  const account = accounts().find((one) => one.name === user || String(one.uid) === user)
  if (account !== undefined) return account.uid === 0 ? null : { uid: account.uid, gid: account.gid }
  return /^[1-9]\d{0,8}$/.test(user) ? { uid: Number(user), gid: Number(user) } : null
}

const accounts = () => {
  let text = ""
  try {
    text = readFileSync("/etc/passwd", "utf8")
  } catch {}
  return text.split("\n").flatMap((line) => {
    const [name = "", , uid = "", gid = ""] = line.split(":")
    return /^\d+$/.test(uid) && /^\d+$/.test(gid) ? [{ name, uid: Number(uid), gid: Number(gid) }] : []
  })
}

/** Ids that no distribution, service manager or container runtime assigns. */
const [firstId, lastId] = [60_578, 61_183]

/** Ids of browsers that are being started or run. */
const taken = new Set<number>()

const free = (): ReadonlyArray<number> => {
  const used = new Set([...taken, ...accounts().map(({ uid }) => uid), ...Processes.users()])
  return Array.from({ length: lastId - firstId + 1 }, (_, index) => firstId + index).filter((id) => !used.has(id))
}

const userOf = (id: number | undefined): BrowserUser => {
  if (id === undefined) throw new Error(`no user id from ${firstId} to ${lastId} is free`)
  return { uid: id, gid: id }
}

const firstFree = (): BrowserUser => userOf(free()[0])

/** Claims the first free id that no other process of this machine has claimed. */
const claimFree = (): BrowserUser => userOf(free().find(UserClaims.claim))

/** A user for one browser. `release` ends every process of a separate user. */
export const hold = ({ user }: Confinement): { readonly user: BrowserUser | null; readonly release: () => void } => {
  if (user !== "fresh") return { user, release: () => undefined }
  const fresh = claimFree()
  taken.add(fresh.uid)
  return {
    user: fresh,
    release: () => {
      // Repeat for processes that were started meanwhile.
      for (let round = 0; round < 10; round++) {
        const left = Processes.ofUser(fresh.uid)
        if (left.length === 0) break
        for (const pid of left) Processes.kill(pid)
      }
      taken.delete(fresh.uid)
      UserClaims.release(fresh.uid)
    }
  }
}

/** Timeout of the probe whether a process can run as a user, in milliseconds. */
const probeMillis = 10_000

/** The reason why a user cannot run the browser; `null` if it can. */
const problemWith = (user: BrowserUser, executablePath: string): string | null => {
  const reachable = `test -x "$0" || exit 3; test -x "$1" || exit 4`
  const [program = "", ...args] = command(user, true, ["/bin/sh", "-c", reachable, executablePath, tmpdir()])
  const { error, signal, status, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: probeMillis })
  if (error !== undefined) {
    return "code" in error && error.code === "ENOENT"
      ? `${program} of util-linux is needed to start it as another user, and is not installed`
      : error.message
  }
  if (status === 0) return null
  if (status === 3) return `another user than root may not run ${executablePath}: install Chromium for every user`
  if (status === 4)
    return `another user than root may not enter ${tmpdir()}: set TMPDIR to a folder that all users share`
  return stderr.trim().split("\n")[0] || `${program} ended with ${signal ?? status}`
}

/**
 * A command that runs another one as a user, with only the group of that user. Without new privileges, setuid programs
 * such as a sandbox helper have no effect.
 */
const command = (user: BrowserUser, newPrivileges: boolean, run: ReadonlyArray<string>): ReadonlyArray<string> => [
  "setpriv",
  `--reuid=${user.uid}`,
  `--regid=${user.gid}`,
  "--clear-groups",
  "--inh-caps=-all",
  ...(newPrivileges ? [] : ["--no-new-privs"]),
  "--",
  ...run
]

/** Makes a folder that only a user can access. */
export const folderOf = (user: BrowserUser | null, path: string): string => {
  mkdirSync(path, { mode: 0o700 })
  if (user !== null) chownSync(path, user.uid, user.gid)
  return path
}

/**
 * Writes a program into `folder` that runs `executablePath` as a user, as the process that it was started as, with the same
 * arguments and open files. The profile folder among the arguments becomes the user's.
 */
export const launcher = (folder: string, user: BrowserUser, sandbox: boolean, executablePath: string): string => {
  const path = join(folder, "launch")
  const run = command(user, sandbox, [executablePath]).map(quoted).join(" ")
  writeFileSync(
    path,
    `#!/bin/sh
for word in "$@"; do
  case "$word" in
    --user-data-dir=*) chown -R ${user.uid}:${user.gid} "\${word#*=}" || exit ;;
  esac
done
cd / && unset OLDPWD && exec ${run} "$@"
`
  )
  chmodSync(path, 0o755)
  return path
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
