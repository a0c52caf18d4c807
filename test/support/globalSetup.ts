/**
 * One real PostgreSQL server for a whole test run, unless `SLUICE_TEST_DATABASE_URL` names one.
 */
import { startServer } from "./ownServer.ts"

export default async () => {
  if (process.env.SLUICE_TEST_DATABASE_URL) return undefined
  const { stop, url } = await startServer(["max_connections=200"])
  process.env.SLUICE_TEST_DATABASE_URL = url
  return stop
}
