/** Tests the evaluation group: it publishes evaluations before it commits offsets, evaluates large
 * batches in pieces, and defers decisions.
 */
import { expect, test } from '@jest/globals'
import { createEncode } from '../../../../platform/avro/avro-codec.ts'
import { deadLetter, deferred, done, TransientError } from '../../../../core/message-outcome.ts'
import type { MessageOutcome } from '../../../../core/message-outcome.ts'
import type { Decision } from '../../../../core/decision/decision.ts'
import type { Evaluation } from '../../../../core/evaluation/evaluation.ts'
import type { Consumption } from '../../../../consumers/record-consumed.ts'
import { createEvaluateAll } from '../../../../consumers/evaluation/evaluate.ts'
import { createFirstLane } from '../../../../consumers/evaluation/deferral/first-lane.ts'
import { createEvaluation } from '../../../../consumers/evaluation/evaluation.ts'
import { defaultRuleSet } from '../../../../evaluators/default-rule-set.ts'
import { createEvaluatorCache } from '../../../../evaluators/evaluator-cache.ts'
import { plannedRunsOf } from '../../../../evaluators/planning/plan-rules.ts'
import { decisionContract } from '../../../../schemas/index.ts'
import { aDecision, noon } from '../../../support/builders.ts'
import { FakeBatch, FakeRegistry, messagesOf, noLimit } from '../fakes.ts'

const encode = createEncode<Decision>(decisionContract.schema)

interface SceneOptions {
  readonly failure?: Error
  /** Indexes of the decisions to defer. */
  readonly later?: readonly number[]
  /** Evaluator time per piece, in milliseconds. */
  readonly evaluationMs?: number
}

/**
 * Creates an evaluation consumer that publishes to a list or fails with `failure`. It tries each
 * batch once.
 */
function scene(values: Buffer[], { failure, later = [], evaluationMs = 0 }: SceneOptions = {}) {
  const registry = new FakeRegistry()
  registry.schemas.set(7, decisionContract.schema)
  const published: Evaluation[] = []
  const pieces: number[] = []
  const settled: MessageOutcome[] = []
  const costed: number[] = []
  const consumptions: (Consumption | null)[] = []
  const batch = new FakeBatch(messagesOf(...values))
  const evaluateAll = createEvaluateAll({
    clock: { now: () => noon },
    compile: createEvaluatorCache({ sessions: null }),
    onFailure: () => {}
  })
  const consume = createEvaluation({
    registry,
    deadLetterLimit: noLimit,
    groupId: 'sluice-evaluation',
    defer: {
      beyondShare: (decisions) =>
        Promise.resolve(new Set(decisions.filter((_, index) => later.includes(index)))),
      rest: (decisions) => Promise.resolve(new Set(evaluationMs > 0 ? decisions : []))
    },
    costs: { note: (planned) => void costed.push(planned.length) },
    lane: createFirstLane(),
    planDecisions: (decisions, consumption) => {
      consumptions.push(consumption)
      const runs = plannedRunsOf(defaultRuleSet, ['planned'])
      return Promise.resolve(
        decisions.map((decision) => ({ decision, plan: null, runs, opened: 0, outcome: done }))
      )
    },
    evaluateAll: (planned) => {
      const endsAt = performance.now() + evaluationMs
      while (performance.now() < endsAt);
      return evaluateAll(planned)
    },
    publish: async (evaluations) => {
      if (failure) throw failure
      published.push(...evaluations)
      pieces.push(evaluations.length)
    },
    settle: async (_batch, outcomes) => void settled.push(...outcomes),
    retryWhileTransient: async (_batch, work) => {
      try {
        return await work()
      } catch (error) {
        if (error instanceof TransientError) return 'over'
        throw error
      }
    }
  })
  return { consume: () => consume(batch), published, pieces, settled, costed, consumptions }
}

test('publishes each decision once, in order, and settles a bad message between them', async () => {
  const decisions = [aDecision(), aDecision()]
  const [first, second] = decisions.map((decision) => encode(decision, 7))
  const { consume, published, settled } = scene([first, Buffer.from('no'), second] as Buffer[])
  await consume()
  expect(published.map(({ decision_id }) => decision_id)).toEqual(
    decisions.map(({ decision_id }) => decision_id)
  )
  const poison = deadLetter('decode', 'wrong_wire_format', expect.any(String) as unknown as string)
  expect(settled).toEqual([done, poison, done])
})

test.each([
  ['is unavailable until the batch is over', new TransientError('away')],
  ['rejects the record for good', new Error('too large')]
])('settles nothing when Kafka %s', async (_what, failure) => {
  const { consume, settled } = scene([encode(aDecision(), 7)], { failure })
  await consume().catch((error: unknown) => expect(error).toBe(failure))
  expect(settled).toEqual([])
})

test('records the beginning of the batch, because nothing of it is published yet', async () => {
  const { consume, consumptions } = scene([Buffer.from('no'), encode(aDecision(), 7)])
  await consume()
  expect(consumptions).toEqual([
    {
      ...{ groupId: 'sluice-evaluation', topic: 'agent-decisions', partition: 3 },
      ...{ nextOffset: 0n, epoch: 0 }
    }
  ])
})

test('settles deferred decisions without planning or publishing them', async () => {
  const decisions = [aDecision(), aDecision(), aDecision()]
  const values = decisions.map((decision) => encode(decision, 7))
  const { consume, published, settled, costed } = scene(values, { later: [0, 2] })
  await consume()
  expect(published.map(({ decision_id }) => decision_id)).toEqual([decisions[1]?.decision_id])
  expect(settled).toEqual([deferred, done, deferred])
  expect(costed).toEqual([1])
})

test('evaluates and publishes a batch with many runs in pieces', async () => {
  const runsOfOne = plannedRunsOf(defaultRuleSet, ['planned']).length
  const perPiece = Math.floor(2000 / runsOfOne)
  const decisions = Array.from({ length: perPiece + 1 }, () => aDecision())
  const { consume, published, pieces } = scene(decisions.map((decision) => encode(decision, 7)))
  await consume()
  expect(pieces).toEqual([perPiece, 1])
  expect(published.map(({ decision_id }) => decision_id)).toEqual(
    decisions.map(({ decision_id }) => decision_id)
  )
})

test('defers the rest of a batch that takes longer than expected', async () => {
  const decisions = Array.from({ length: 251 }, () => aDecision())
  const values = decisions.map((decision) => encode(decision, 7))
  const { consume, pieces, settled } = scene(values, { evaluationMs: 101 })
  await consume()
  expect(pieces[0]).toBe(250)
  expect(settled).toEqual([...Array.from({ length: 250 }, () => done), deferred])
})

test('evaluates organizations with few decisions before one with many', async () => {
  const of = (organization_id: string) => aDecision({ organization_id })
  const [many, few] = ['a', 'b'].map((letter) => `${letter.repeat(8)}-0000-4000-8000-000000000000`)
  const decisions = [of(many ?? ''), of(many ?? ''), of(few ?? ''), of(many ?? '')]
  const { consume, published } = scene(decisions.map((decision) => encode(decision, 7)))
  await consume()
  const ids = decisions.map(({ decision_id }) => decision_id)
  expect(published.map(({ decision_id }) => decision_id)).toEqual([ids[2], ids[0], ids[1], ids[3]])
})
