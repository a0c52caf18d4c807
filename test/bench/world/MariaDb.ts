/** MariaDB of Debian, with its data in the folder of an application, reached by a socket in it. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { debian } from "./Packages.ts"
import { type Process, startUntil } from "./Processes.ts"

const run = promisify(execFile)

const version = "1:10.11.19-0+deb12u1"

const others = ["mariadb-client-core", "libmariadb3", "libaio1", "liburing2", "mysql-common"]

export const user = { name: "ada", password: "engine-1843" }

export interface Database extends Process {
  readonly socket: string
  /** Runs statements, and answers the rows of the last ones, each as its columns. */
  readonly query: (sql: string) => Promise<ReadonlyArray<ReadonlyArray<string>>>
}

/** What the tables of the server itself are made by. */
const systemTables = ["mysql_system_tables", "mysql_performance_tables", "mysql_system_tables_data"]

/** Starts a server with nothing in it but a user who may do everything. */
export const start = async (folder: string, state: string): Promise<Database> => {
  const root = await debian(folder, "mariadb-server-core", version, others)
  const data = join(state, "database")
  const socket = join(state, "mariadb.sock")
  const scripts = join(root, "usr/share/mysql")
  const env = { LD_LIBRARY_PATH: join(root, "usr/lib/x86_64-linux-gnu") }
  const options = [
    "--no-defaults",
    // The server refuses to run as root unless it is told to.
    ...(process.getuid?.() === 0 ? ["--user=root"] : []),
    `--basedir=${join(root, "usr")}`,
    `--datadir=${data}`,
    `--lc-messages-dir=${scripts}`,
    "--innodb-log-file-size=8M"
  ]
  await mkdir(data)
  const texts = await Promise.all(systemTables.map((name) => readFile(join(scripts, `${name}.sql`), "utf8")))
  const making = spawn(join(root, "usr/sbin/mariadbd"), [...options, "--bootstrap"], {
    env: { ...process.env, ...env },
    stdio: ["pipe", "ignore", "pipe"]
  })
  let said = ""
  making.stderr.on("data", (bytes) => {
    said = `${said}${bytes}`.slice(-2_000)
  })
  making.stdin.end(["create database mysql;", "use mysql;", ...texts].join("\n"))
  const [code] = await once(making, "exit")
  if (code !== 0) throw new Error(`Cannot make the tables of MariaDB in ${data}: exit code ${code}: ${said}`)
  const { name, password } = user
  const first = join(state, "first.sql")
  await writeFile(
    first,
    `create user ${name}@localhost identified by '${password}';\ngrant all on *.* to ${name}@localhost with grant option;\n`
  )
  const client = [
    "--no-defaults",
    `--socket=${socket}`,
    `--user=${name}`,
    `--password=${password}`,
    "--default-character-set=utf8mb4",
    "--batch",
    "--raw",
    "--skip-column-names"
  ]
  const query = async (sql: string) => {
    const { stdout } = await run(join(root, "usr/bin/mariadb"), [...client, "-e", sql], {
      env: { ...process.env, ...env }
    })
    return stdout
      .split("\n")
      .slice(0, -1)
      .map((row) => row.split("\t"))
  }
  const server = await startUntil(
    join(root, "usr/sbin/mariadbd"),
    [...options, "--skip-networking", `--socket=${socket}`, `--pid-file=${join(state, "pid")}`, `--init-file=${first}`],
    { cwd: state, env, answers: () => query("select 1"), at: socket }
  )
  return { socket, query, ...server }
}
