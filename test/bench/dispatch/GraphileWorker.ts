/** A worker process of the reference, whose jobs do nothing. */
import { given, telling } from "./Worker.ts"

interface Runner {
  readonly promise: Promise<void>
}

interface Graphile {
  readonly run: (options: object) => Promise<Runner>
  readonly Logger: new (factory: () => () => void) => object
}

const work = given()
const { capacity, reference, url } = work
const { began, finished, ready } = telling(work)
const graphile = (await import(reference ?? "")) as Graphile
await ready()
const runner = await graphile.run({
  taskList: {
    nothing: () => {
      began()
      finished()
    }
  },
  preset: {
    worker: {
      connectionString: url,
      concurrentJobs: capacity,
      maxPoolSize: 10,
      logger: new graphile.Logger(() => () => {}),
      // As its documentation of performance advises for high throughput.
      localQueue: { size: 500 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0
    }
  }
})
await runner.promise
