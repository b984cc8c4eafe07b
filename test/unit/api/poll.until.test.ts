/** Tests when an evaluation has reached the state that `until` names. */
import { expect, test } from '@jest/globals'
import type { EvaluationRun } from '../../../api/evaluation-run.ts'
import { isReached } from '../../../api/poll.ts'
import type { Until } from '../../../api/poll.ts'
import { aScore } from '../../support/builders.ts'
import { runOf } from './samples.ts'

const scores = [{ ...aScore(), source_kind: 'evaluator' }]
const slow = { run_id: 'b', evaluator: 'slow' }
const [quick, running, ended] = [
  runOf({ scores }),
  runOf({ ...slow, status: 'running' }),
  runOf({ ...slow, status: 'failed' })
]
const states: [string, EvaluationRun[], Until[]][] = [
  ['nothing', [], ['stored']],
  ['a running run', [running], ['stored']],
  ['a running run and a score', [quick, running], ['stored', 'first_score']],
  ['a score, and no pending run', [quick, ended], ['stored', 'first_score', 'evaluated']],
  ['no score, and no pending run', [ended], ['stored', 'first_score', 'evaluated']]
]

test.each(states)('with %s, reaches only the states that hold', (_, runs, reached) => {
  const all: Until[] = ['stored', 'first_score', 'evaluated']
  expect(all.filter((until) => isReached(until, { plan: null, runs }))).toEqual(reached)
})
