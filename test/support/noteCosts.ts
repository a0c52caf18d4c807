/**
 * Notes what each test file costs in the folder `SLUICE_TEST_COSTS`: a setup file of the runner, which loads it before each
 * test file in the process of that file.
 */
import { appendFileSync } from "node:fs"
import { afterAll, expect } from "vitest"
import { type Cost, startedBy } from "./costs.ts"

const ownMillis = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1_000
}

const folder = process.env.SLUICE_TEST_COSTS

if (folder !== undefined) {
  const began = { wall: performance.now(), own: ownMillis(), started: startedBy(process.pid) }
  afterAll(() => {
    const cost: Cost = {
      file: expect.getState().testPath ?? "",
      wall: performance.now() - began.wall,
      own: ownMillis() - began.own,
      // A process that ends in another's care takes its time with it.
      started: Math.max(0, startedBy(process.pid) - began.started)
    }
    appendFileSync(`${folder}/${process.pid}.jsonl`, `${JSON.stringify(cost)}\n`)
  })
}
