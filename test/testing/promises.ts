/**
 * Asks the stores in memory for the promises of every contract, without a test runner, so that every runtime can: each
 * broken one is printed, and the exit code is 1 then.
 */
import { Effect } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as Contract from "../../core/testing/contract/Contract.ts"
import { promises } from "./AllPromises.ts"

const broken = await Effect.runPromise(Contract.broken(promises, Effect.provide(Memory.layer)))
for (const { reason, title } of broken) process.stdout.write(`${title}\n${reason}\n`)
process.stdout.write(`${promises.length} promises of stores, ${broken.length} broken\n`)
process.exitCode = broken.length === 0 ? 0 : 1
