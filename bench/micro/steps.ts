/** Creates the gateway's hot steps for --micro. */
import { uuidv7 } from '../../core/ids/ids.ts'
import type { KeyPrincipal } from '../../core/principal.ts'
import { createUsageCounters } from '../../usage/usage-counters.ts'
import type { Attempt } from '../../gateway/ingest/attempt.ts'
import { DecisionBatch } from '../../gateway/ingest/decision-batch.ts'
import { createEncoder } from '../../gateway/ingest/encode.ts'
import { createCountUsage } from '../../gateway/ingest/count-usage.ts'
import { parseBatch } from '../../gateway/ingest/parse-batch.ts'
import { parse } from '../../gateway/ingest/parse.ts'
import { createValidate } from '../../gateway/ingest/validate.ts'
import { systemClock } from '../../platform/process/clock.ts'
import { createMetrics } from '../../platform/telemetry/metrics.ts'
import { shapes } from '../load/shapes.ts'

export interface MicroStep {
  readonly name: string
  /** Number of decisions per call to `run`. */
  readonly decisions: number
  run(at: number): unknown
}

/** Partial principal with only the members that the steps read. */
const principal = {
  kind: 'api_key',
  key_id: 'bench',
  organization_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55',
  rate_limit_points: null,
  scopes: ['ingest']
} as Partial<KeyPrincipal> as KeyPrincipal

/**
 * Returns the steps in the order in which the gateway runs them. The first one, JSON.parse, is the
 * baseline for parsing.
 */
export function makeSteps(): MicroStep[] {
  const bodies = contentsOf('decision')
  const batches = contentsOf('batch')
  const lines = contentsOf('ndjson')
  const { json, ndjson } = { json: 'application/json', ndjson: shapes.ndjson.contentType }
  const metrics = createMetrics()
  const validate = createValidate({ clock: systemClock, metrics })
  const { encode } = createEncoder({ schemaId: () => 1, metrics })
  const submissions = bodies.map((body) => parse(json, body))
  const decisions = submissions.map((submission) => validate(submission, principal, null))
  const usage = createUsageCounters({ metrics })
  const notes = createCountUsage({ usage, clock: systemClock })
  const batch = new DecisionBatch({ count: 1 })
  batch.parsed(0, of(submissions, 0), of(bodies, 0).length)
  batch.accept(0, encode(of(decisions, 0)))
  const call = { remote_address: '' } as Attempt['call']
  const attempt: Attempt = { principal, call, quota: null, batch }
  const one = 1
  const many = shapes.batch.decisions
  return [
    {
      name: 'JSON.parse alone',
      decisions: one,
      run: (at): unknown => JSON.parse(String(of(bodies, at)))
    },
    { name: 'parse and slice', decisions: one, run: (at) => parse(json, of(bodies, at)) },
    { name: 'parse, batch', decisions: many, run: (at) => parseBatch(json, of(batches, at)) },
    { name: 'parse, NDJSON', decisions: many, run: (at) => parseBatch(ndjson, of(lines, at)) },
    {
      name: 'validate',
      decisions: one,
      run: (at) => validate(of(submissions, at), principal, null)
    },
    { name: 'make an id', decisions: one, run: () => uuidv7(systemClock.now()) },
    { name: 'encode', decisions: one, run: (at) => encode(of(decisions, at)) },
    { name: 'count an accepted one', decisions: one, run: () => notes.accepted(attempt, 1) }
  ]
}

function contentsOf(shape: 'decision' | 'batch' | 'ndjson'): Buffer[] {
  return shapes[shape].bodies().map(({ content }) => content)
}

function of<Item>(items: readonly Item[], at: number): Item {
  return items[at % items.length] as Item
}
