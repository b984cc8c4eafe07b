/** A queue of jobs in Postgres: hints that something is due, each to one process at a time. */
import { PgBoss } from 'pg-boss'
import type { Db } from 'pg-boss'
import { createPostgres } from './postgres.ts'
import type { Postgres, Queryable } from './postgres.ts'

/** What a job is about; two jobs about the same that nobody has fetched yet are one. */
export type JobKey = Readonly<Record<string, string>>

export interface JobToAdd<Key> {
  readonly key: Key
  /** It is not handed out earlier. */
  readonly startAfter?: Date
}

/** A job that was handed out; whoever has it is the only one until its lease lapses. */
export interface Job<Key> {
  readonly key: Key
  readonly id: string
  readonly retryCount: number
}

export interface JobQueue<Key extends JobKey> {
  /** The jobs are there when the transaction commits. */
  add(transaction: Queryable, jobs: readonly JobToAdd<Key>[]): Promise<void>
  /** @returns up to `jobsMax` that are due, the oldest first. */
  fetch(jobsMax: number): Promise<Job<Key>[]>
  complete(job: Job<Key>, transaction?: Queryable): Promise<void>
  /** Completes it and adds another about the same. */
  later(job: Job<Key>, startAfter: Date, transaction: Queryable): Promise<void>
  /** Says that they are still worked on, which renews their leases. */
  touch(jobs: readonly Job<Key>[]): Promise<void>
  /** Ends the upkeep of the queue; jobs that are out lapse unless they are completed. */
  stop(): Promise<void>
}

export interface JobQueueOptions {
  readonly postgres: Postgres
  readonly name: JobQueueName
  /** Of the upkeep; what is asked for directly fails directly. */
  readonly onError: (error: unknown) => void
}

export const jobQueueNames = ['evaluation-runs', 'webhook-deliveries'] as const
export type JobQueueName = (typeof jobQueueNames)[number]

const schema = 'sluice_jobs'
/** A job that nobody touches for so long is given up, and may be added again. */
export const jobLeaseSeconds = 30
const upkeepSeconds = 30

/** One whose holder was killed is handed out again, and again; it ends when it is completed. */
const queueOptions = {
  retryLimit: 1000,
  heartbeatSeconds: jobLeaseSeconds,
  expireInSeconds: 6 * 3600,
  deleteAfterSeconds: 60
}

/** As many jobs in one statement. */
const insertMax = 1000

/** Needs the tables that `prepareJobQueues` makes; without them, or the store, each call fails. */
export function createJobQueue<Key extends JobKey>(options: JobQueueOptions): JobQueue<Key> {
  const { postgres, name, onError } = options
  const boss = new PgBoss({
    ...{ db: databaseOf(postgres), schema, migrate: false, schedule: false },
    ...{ superviseIntervalSeconds: upkeepSeconds, monitorIntervalSeconds: upkeepSeconds },
    ...{ maintenanceIntervalSeconds: upkeepSeconds, monitorVacuum: false }
  })
  boss.on('error', onError)
  const ready = createReady(boss)

  async function add(transaction: Queryable, jobs: readonly JobToAdd<Key>[]): Promise<void> {
    if (jobs.length === 0) return
    await ready()
    for (let first = 0; first < jobs.length; first += insertMax) {
      const chunk = jobs.slice(first, first + insertMax).map(insertOf)
      await boss.insert(name, chunk, { db: databaseOf(transaction) })
    }
  }

  async function complete(job: Job<Key>, transaction?: Queryable): Promise<void> {
    await ready()
    const db = transaction === undefined ? {} : { db: databaseOf(transaction) }
    await boss.complete(name, attemptOf(job), null, db)
  }

  return {
    add,
    complete,
    fetch: async (jobsMax) => {
      await ready()
      const jobs = await boss.fetch<Key>(name, { batchSize: jobsMax })
      return jobs.map(({ id, retryCount, data }) => ({ id, retryCount, key: data }))
    },
    later: async (job, startAfter, transaction) => {
      await complete(job, transaction)
      await add(transaction, [{ key: job.key, startAfter }])
    },
    touch: async (jobs) => {
      await ready()
      if (jobs.length > 0) await boss.touch(name, jobs.map(attemptOf))
    },
    stop: () => boss.stop({ graceful: false, close: false })
  }
}

/** Resolves when it has started; what failed is tried again by the next who asks. */
function createReady(boss: PgBoss): () => Promise<void> {
  let starting: Promise<void> | undefined

  async function start(): Promise<void> {
    try {
      await boss.start()
    } catch (cause) {
      starting = undefined
      throw new Error('the queue does not start; `sluice migrate` makes its tables', { cause })
    }
  }
  return () => (starting ??= start())
}

function insertOf<Key extends JobKey>({ key, startAfter }: JobToAdd<Key>) {
  // In an order of its own: that of the members is lost on the way through the store.
  const members = Object.entries(key).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const singletonKey = members.map(([, value]) => value).join('/')
  return { data: key, singletonKey, ...(startAfter === undefined ? {} : { startAfter }) }
}

function attemptOf({ id, retryCount }: Job<JobKey>) {
  return { id, retryCount }
}

function databaseOf(queryable: Queryable): Db {
  return {
    executeSql: async (text, values) => ({ rows: await queryable.query(text, values) })
  }
}

export interface PrepareJobQueuesOptions {
  readonly databaseUrl: string
  readonly ca?: string | null
}

const prepareTimeoutMs = 60_000

/** Makes the tables of the queues, or brings them up to date; a deploy step, like migrations. */
export async function prepareJobQueues(options: PrepareJobQueuesOptions): Promise<void> {
  const postgres = createPostgres({
    ...{ url: options.databaseUrl, ca: options.ca ?? null },
    applicationName: 'sluice migrate',
    // One that a script left in the middle of a transaction is used by nobody after it.
    connectionsMax: 1,
    statementTimeoutMs: prepareTimeoutMs
  })
  const boss = new PgBoss({
    ...{ db: databaseOf(postgres), schema, supervise: false, schedule: false }
  })
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  boss.on('error', failed.reject)
  try {
    await Promise.race([failed.promise, prepare(boss)])
  } finally {
    await boss.stop({ graceful: false, close: false }).catch(() => {})
    await postgres.close()
  }
}

async function prepare(boss: PgBoss): Promise<void> {
  await boss.start()
  for (const name of jobQueueNames) {
    if ((await boss.getQueue(name)) === null) {
      // At most one job about the same waits; one that is out does not keep the next from waiting.
      await boss.createQueue(name, { policy: 'short', partition: true, ...queueOptions })
    } else await boss.updateQueue(name, queueOptions)
  }
}
