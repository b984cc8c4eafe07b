/** The hot steps of the gateway, each ready to be run on one decision after the other. */
import { uuidv7 } from '../../core/ids/ids.ts'
import type { KeyPrincipal } from '../../core/principal.ts'
import { createNotedFacts } from '../../usage/noted-facts.ts'
import type { Attempt } from '../../gateway/ingest/attempt.ts'
import { createEncode } from '../../gateway/ingest/encode.ts'
import { createNoteFacts } from '../../gateway/ingest/note-facts.ts'
import { parseBatch } from '../../gateway/ingest/parse-batch.ts'
import { parse } from '../../gateway/ingest/parse.ts'
import { createValidate } from '../../gateway/ingest/validate.ts'
import { systemClock } from '../../platform/process/clock.ts'
import { createMetrics } from '../../platform/telemetry/metrics.ts'
import { shapes } from '../load/shapes.ts'

export interface Step {
  readonly name: string
  /** Decisions that one call is about. */
  readonly decisions: number
  run(at: number): unknown
}

/** As much of it as the steps look at. */
const principal = {
  kind: 'api_key',
  key_id: 'bench',
  organization_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55',
  rate_limit_points: null,
  scopes: ['ingest']
} as Partial<KeyPrincipal> as KeyPrincipal

/** In the order in which a decision passes them; the first is what any parser has to do. */
export function makeSteps(): Step[] {
  const bodies = contentsOf('decision')
  const batches = contentsOf('batch')
  const lines = contentsOf('ndjson')
  const { json, ndjson } = { json: 'application/json', ndjson: shapes.ndjson.contentType }
  const metrics = createMetrics()
  const validate = createValidate({ clock: systemClock, metrics })
  const encode = createEncode({ topic: 'agent-decisions', schemaId: () => 1, metrics })
  const submissions = bodies.map((body) => parse(json, body))
  const decisions = submissions.map((submission) => validate(submission, principal, null))
  const facts = createNotedFacts({ metrics })
  const notes = createNoteFacts({ facts, clock: systemClock })
  const submission = submissions[0] ?? null
  const call = { remote_address: '' } as Attempt['call']
  const attempt: Attempt = { principal, call, submission, decision: null, quota: null }
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
    { name: 'note that it was taken', decisions: one, run: () => notes.accepted(attempt, 1) }
  ]
}

function contentsOf(shape: 'decision' | 'batch' | 'ndjson'): Buffer[] {
  return shapes[shape].bodies().map(({ content }) => content)
}

function of<Item>(items: readonly Item[], at: number): Item {
  return items[at % items.length] as Item
}
