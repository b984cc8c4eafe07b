/** When each state that a caller can wait for is reached. */
import { expect, test } from '@jest/globals'
import type { EvaluationRun } from '../../../api/evaluation-run.ts'
import { isReached } from '../../../api/wait-until.ts'
import type { Until } from '../../../api/wait-until.ts'
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
  ['a run that is running', [running], ['stored']],
  ['a running run and a score', [quick, running], ['stored', 'first_score']],
  ['a score, and no run is open', [quick, ended], ['stored', 'first_score', 'evaluated']],
  ['no score, and no run is open', [ended], ['stored', 'first_score', 'evaluated']]
]

test.each(states)('with %s, reaches only the states that hold', (_, runs, reached) => {
  const all: Until[] = ['stored', 'first_score', 'evaluated']
  expect(all.filter((until) => isReached(until, { plan: null, runs }))).toEqual(reached)
})
