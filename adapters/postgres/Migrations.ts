/**
 * Brings a database to the present schema. Each migration runs once, in a transaction, whoever starts first.
 */
import { Effect, Layer } from "effect"
import { Migrator } from "effect/sql"
import { foundation } from "./migrations/0001_foundation.ts"

const migrate = Migrator.make({})({
  loader: Migrator.fromRecord({ "0001_foundation": foundation }),
  table: "sluice_migrations"
})

/** Migrates when it is built. Layers that need the schema are built on it. */
export const layer = Layer.effectDiscard(Effect.orDie(migrate))
