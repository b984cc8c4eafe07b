/** Publishes runs that ended; storage deletes their rows when it has stored them. */
import { TransientError } from '../../../core/consumed.ts'
import type { Evaluation, LaterRun, RunKey } from '../../../core/evaluation/evaluation.ts'
import type { Postgres, Queryable } from '../../../platform/postgres/postgres.ts'
import type { Publish } from '../publish.ts'
import { openRunColumns, valuesOf } from './open-run.ts'
import type { OpenRun } from './open-run.ts'
import { publishLeaseMs } from './end-run.ts'

export interface PublishRuns {
  /** Runs that were just ended here. @throws {TransientError} */
  all(runs: readonly OpenRun[]): Promise<void>
  /**
   * Those that nobody published: of whoever was killed meanwhile, and those that the gateway ended.
   * @returns how many there were. @throws {TransientError} or what the topic has against one of
   * them; the others are published by then.
   */
  forgotten(runsMax: number): Promise<number>
}

export interface PublishRunsDependencies {
  readonly postgres: Postgres
  readonly publish: Publish
}

export function createPublishRuns({ postgres, publish }: PublishRunsDependencies): PublishRuns {
  async function all(runs: readonly OpenRun[]): Promise<void> {
    const evaluations = runs.map(evaluationOf).filter((each) => each !== null)
    if (evaluations.length > 0) await publish(evaluations)
    await markPublished(postgres, runs)
  }

  /** The oldest come first, each time: one that is never taken would keep the same ones from it. */
  async function eachAlone(runs: readonly OpenRun[]): Promise<void> {
    const ends = await Promise.allSettled(runs.map((run) => all([run])))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }

  return {
    all,
    async forgotten(runsMax) {
      const runs = await leaseForgotten(postgres, runsMax)
      await all(runs).catch((error: unknown) => {
        if (error instanceof TransientError) throw error
        return eachAlone(runs)
      })
      return runs.length
    }
  }
}

/** Null when there is no result, which only somebody who writes to the table can bring about. */
function evaluationOf(run: OpenRun): Evaluation | null {
  if (run.result === null) return null
  const { decision_id, organization_id, agent_id, session_id, domain } = run
  return {
    ...{ decision_id, organization_id, agent_id, session_id, domain },
    received_at: run.received_at.getTime(),
    evaluated_at: (run.finished_at ?? run.now).getTime(),
    ...{ plan: null, runs: [] },
    later_runs: [JSON.parse(run.result) as LaterRun]
  }
}

async function leaseForgotten(postgres: Postgres, runsMax: number): Promise<OpenRun[]> {
  return await postgres.transaction((transaction) =>
    transaction.query<OpenRun>(
      `update open_runs as r
          set lease_token = gen_random_uuid(),
              lease_expires_at = now() + $2::double precision * interval '1 millisecond'
         from (select organization_id as o, decision_id as d, run_id as i
                 from open_runs
                where status = 'finished' and published_at is null
                  and coalesce(lease_expires_at, now()) <= now()
                order by finished_at
                limit $1
                  for update skip locked) as forgotten
        where r.organization_id = o and r.decision_id = d and r.run_id = i
       returning ${openRunColumns}`,
      [runsMax, publishLeaseMs]
    )
  )
}

/** A row that storage has deleted by now is none to mark. */
async function markPublished(transaction: Queryable, runs: readonly RunKey[]): Promise<void> {
  if (runs.length === 0) return
  const values = runs.map(valuesOf)
  await transaction.query(
    `update open_runs as r
        set published_at = now()
       from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as p (o, d, i)
      where r.organization_id = o and r.decision_id = d and r.run_id = i
        and r.status = 'finished' and r.published_at is null`,
    [0, 1, 2].map((column) => values.map((row) => row[column]))
  )
}
