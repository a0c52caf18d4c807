/**
 * A pool of threads that run operations by name, each with a deadline and a memory limit. The sandbox and the mail
 * reader use it.
 *
 * A thread is started when an operation needs one, and terminated when idle. If an operation exceeds its deadline or
 * memory, its thread is terminated and the operation fails. Each operation has an owner, such as a workspace, and an asker,
 * such as one of its keys. Owners take turns, and so do the askers of each. With several threads, one owner never uses
 * the last free thread.
 */
import { Worker } from "node:worker_threads"
import { TooCostly } from "../../core/workflow/sandbox/Sandbox.ts"

export interface Options<Name extends string> {
  /** The name of the threads, for debuggers and messages. */
  readonly name: string
  /** Maximum number of threads. */
  readonly threads: number
  readonly deadlineMillis: (name: Name) => number
  /** The memory limit of the heap of a thread. */
  readonly memoryMegabytes: number
  /** Maximum number of waiting operations of one owner. */
  readonly waiting: number
  /** Maximum number of waiting operations of one asker of it. */
  readonly waitingOfAsker: number
  /** Time after which an idle thread is terminated. */
  readonly idleMillis: number
  /** The module of each thread, which answers by `Serving.serve`. */
  readonly module: URL
}

/** A message of a thread. */
export type Reply =
  | { readonly _tag: "Ready" }
  | { readonly _tag: "Answered"; readonly text: string }
  | { readonly _tag: "TooLarge"; readonly limit: string }
  | { readonly _tag: "Broken"; readonly message: string }

/** The result of an operation: its answer as JSON, an exceeded limit, or an internal error. */
export type Ending =
  | { readonly _tag: "Answered"; readonly text: string }
  | { readonly _tag: "Refused"; readonly error: TooCostly }
  | { readonly _tag: "Broken"; readonly error: Error }

interface Job<Name extends string> {
  readonly owner: string
  readonly asker: string
  readonly name: Name
  /** The argument of the operation, which can be cloned to another thread. */
  readonly asked: unknown
  readonly end: (ending: Ending) => void
}

interface Thread<Name extends string> {
  readonly worker: Worker
  ready: boolean
  job: Job<Name> | null
  timer: NodeJS.Timeout | null
}

export class ThreadPool<Name extends string> {
  readonly #options: Options<Name>
  readonly #threads = new Set<Thread<Name>>()
  /** The waiting jobs, by owner and asker; those whose turn is next come first. */
  readonly #waiting = new Map<string, Map<string, Array<Job<Name>>>>()
  #isClosed = false

  constructor(options: Options<Name>) {
    this.#options = options
  }

  /**
   * Starts an operation when a thread is free for it. The returned function cancels an operation that has not started.
   */
  readonly submit = (job: Job<Name>): (() => void) => {
    const ofOwner = this.#waiting.get(job.owner) ?? new Map<string, Array<Job<Name>>>()
    const queue = ofOwner.get(job.asker) ?? []
    const { waiting, waitingOfAsker } = this.#options
    const all = [...ofOwner.values()].reduce((sum, { length }) => sum + length, 0)
    const exceeded = queue.length >= waitingOfAsker ? waitingOfAsker : all >= waiting ? waiting : null
    if (exceeded !== null || this.#isClosed) {
      job.end(refused("queue", `${exceeded ?? waiting}`))
      return () => {}
    }
    queue.push(job)
    ofOwner.set(job.asker, queue)
    this.#waiting.set(job.owner, ofOwner)
    this.#dispatch()
    return () => {
      const at = queue.indexOf(job)
      if (at >= 0) queue.splice(at, 1)
      if (queue.length === 0) this.#clear(job, ofOwner, queue)
    }
  }

  /** Forgets an asker, and an owner, that wait for nothing. */
  #clear(
    { asker, owner }: Job<Name>,
    ofOwner: Map<string, ReadonlyArray<Job<Name>>>,
    queue: ReadonlyArray<Job<Name>>
  ): void {
    if (ofOwner.get(asker) === queue) ofOwner.delete(asker)
    if (ofOwner.size === 0 && this.#waiting.get(owner) === ofOwner) this.#waiting.delete(owner)
  }

  readonly close = async (): Promise<void> => {
    this.#isClosed = true
    await Promise.all(
      [...this.#threads].map((thread) => {
        this.#forget(thread)
        return thread.worker.terminate()
      })
    )
  }

  #dispatch(): void {
    for (;;) {
      const next = this.#nextOwner()
      if (next === null) return
      const thread = this.#free() ?? (this.#threads.size < this.#options.threads ? this.#start() : null)
      if (thread === null) return
      this.#give(thread, this.#take(next))
    }
  }

  /** The next job of an owner, who is moved with its asker to the end of those that wait. */
  #take(owner: string): Job<Name> {
    const ofOwner = this.#waiting.get(owner)
    const [asker, queue] = ofOwner?.entries().next().value ?? []
    const job = queue?.shift()
    if (ofOwner === undefined || asker === undefined || queue === undefined || job === undefined) {
      throw new Error(`Nothing of ${owner} waits`)
    }
    ofOwner.delete(asker)
    if (queue.length > 0) ofOwner.set(asker, queue)
    this.#waiting.delete(owner)
    if (ofOwner.size > 0) this.#waiting.set(owner, ofOwner)
    return job
  }

  /** The next waiting owner that uses less than its share of the threads. */
  #nextOwner(): string | null {
    const share = Math.max(this.#options.threads - 1, 1)
    const used = new Map<string, number>()
    for (const { job } of this.#threads) if (job !== null) used.set(job.owner, (used.get(job.owner) ?? 0) + 1)
    for (const owner of this.#waiting.keys()) if ((used.get(owner) ?? 0) < share) return owner
    return null
  }

  #free(): Thread<Name> | null {
    for (const thread of this.#threads) if (thread.job === null) return thread
    return null
  }

  #give(thread: Thread<Name>, job: Job<Name>): void {
    if (thread.timer !== null) clearTimeout(thread.timer)
    thread.timer = null
    thread.job = job
    thread.worker.ref()
    thread.worker.postMessage({ name: job.name, asked: job.asked })
    if (thread.ready) this.#watch(thread)
  }

  /** Terminates the thread if its operation is not done at its deadline. */
  #watch(thread: Thread<Name>): void {
    const { job } = thread
    if (job === null) return
    const millis = this.#options.deadlineMillis(job.name)
    thread.timer = setTimeout(() => this.#lose(thread, refused("time", `${millis / 1_000} s`)), millis)
  }

  #start(): Thread<Name> {
    // The thread gets neither the environment nor the arguments of the process.
    const worker = new Worker(this.#options.module, {
      name: this.#options.name,
      env: {},
      argv: [],
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#options.memoryMegabytes, stackSizeMb: stackMegabytes }
    })
    const thread: Thread<Name> = { worker, ready: false, job: null, timer: null }
    this.#threads.add(thread)
    worker.on("message", (reply: Reply) => this.#hear(thread, reply))
    worker.on("error", (error: NodeJS.ErrnoException) => {
      const isMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY"
      this.#lose(thread, isMemory ? refused("memory", `${this.#options.memoryMegabytes} MB`) : broken(error))
    })
    worker.on("exit", () =>
      this.#lose(thread, broken(new Error(`A thread of the ${this.#options.name} ended unexpectedly`)))
    )
    return thread
  }

  #hear(thread: Thread<Name>, reply: Reply): void {
    if (reply._tag === "Ready") {
      thread.ready = true
      this.#watch(thread)
      return
    }
    const { job } = thread
    if (thread.timer !== null) clearTimeout(thread.timer)
    thread.job = null
    thread.worker.unref()
    thread.timer = setTimeout(() => this.#lose(thread, null), this.#options.idleMillis).unref()
    switch (reply._tag) {
      case "Answered":
        job?.end(reply)
        break
      case "TooLarge":
        job?.end(refused("size", reply.limit))
        break
      case "Broken":
        job?.end(broken(new Error(`An operation of the ${this.#options.name} failed: ${reply.message}`)))
    }
    this.#dispatch()
  }

  /** Terminates a thread, and ends its operation with the given result. */
  #lose(thread: Thread<Name>, ending: Ending | null): void {
    if (!this.#threads.has(thread)) return
    const { job } = thread
    this.#forget(thread)
    void thread.worker.terminate()
    if (ending !== null) job?.end(ending)
    if (!this.#isClosed) this.#dispatch()
  }

  #forget(thread: Thread<Name>): void {
    if (thread.timer !== null) clearTimeout(thread.timer)
    this.#threads.delete(thread)
  }
}

/** Deep expressions and schemas take more stack than the default of threads. */
const stackMegabytes = 8

const refused = (exceeded: TooCostly["exceeded"], limit: string): Ending => ({
  _tag: "Refused",
  error: new TooCostly({ exceeded, limit })
})

const broken = (error: Error): Ending => ({ _tag: "Broken", error })
