/** Tests how the status of an evaluation is derived from its runs. */
import { expect, test } from '@jest/globals'
import {
  currentRunsOf,
  evaluationProgressOf,
  evaluationStateOf,
  isEvaluationOver
} from '../../../../core/evaluation/evaluation-status.ts'
import type { EvaluationStatus } from '../../../../core/evaluation/evaluation-status.ts'

function runsOf(text: string) {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => {
      const [status = '', status_reason] = word.split(':')
      return { status, status_reason: status_reason ?? null }
    })
}

const table: [string, EvaluationStatus, string | null][] = [
  ['', 'pending', 'not_planned_yet'],
  ['scheduled', 'pending', null],
  ['scheduled blocked:provider_auth', 'pending', 'several_reasons'],
  ['blocked:provider_auth blocked:provider_auth', 'pending', 'provider_auth'],
  ['skipped:sampled_out scheduled', 'pending', null],
  ['retrying:timeout', 'pending', 'timeout'],
  ['something_new', 'pending', null],
  ['running', 'evaluating', null],
  ['running skipped:sampled_out', 'evaluating', null],
  ['succeeded scheduled', 'evaluating', null],
  ['failed:timeout scheduled', 'evaluating', null],
  ['succeeded something_new', 'evaluating', null],
  ['succeeded', 'evaluated', null],
  ['succeeded skipped:sampled_out', 'evaluated', null],
  ['succeeded canceled:user', 'evaluated', null],
  ['succeeded failed:timeout', 'partial', 'timeout'],
  ['succeeded expired:ttl', 'partial', 'ttl'],
  ['succeeded failed:timeout expired:ttl', 'partial', 'several_reasons'],
  ['failed:invalid_result', 'failed', 'invalid_result'],
  ['failed:invalid_result skipped:sampled_out', 'failed', 'invalid_result'],
  ['expired:ttl', 'failed', 'ttl'],
  ['skipped:content_missing', 'not_evaluated', 'content_missing'],
  ['skipped:content_missing skipped:sampled_out', 'not_evaluated', 'several_reasons'],
  ['skipped', 'not_evaluated', null],
  ['canceled:deleted', 'not_evaluated', 'deleted']
]

test.each(table)('runs "%s" give %s with reason %s', (text, status, reason) => {
  expect(evaluationStateOf(runsOf(text))).toEqual({ status, reason })
})

test('an evaluation is over only if its state can no longer change', () => {
  const over = new Set(table.map(([, status]) => status).filter(isEvaluationOver))
  expect([...over].sort()).toEqual(['evaluated', 'failed', 'not_evaluated', 'partial'])
})

test('counts every run once', () => {
  const runs = runsOf('succeeded failed expired skipped canceled running retrying something_new')
  expect(evaluationProgressOf(runs)).toEqual({
    planned: 8,
    succeeded: 1,
    failed: 2,
    skipped: 2,
    pending: 3,
    blocked: 0,
    expired: 1,
    canceled: 1
  })
  expect(evaluationProgressOf(runsOf('blocked:provider_auth'))).toMatchObject({
    pending: 1,
    blocked: 1
  })
})

test('a replay replaces the run it repeats, and a new version the old one', () => {
  const run = (rule: string, evaluator_version: number, generation: number) => ({
    rule,
    evaluator: 'refusal',
    rule_id: null,
    evaluator_id: null,
    evaluator_version,
    generation
  })
  const runs = [run('a', 1, 1), run('a', 1, 0), run('a', 2, 0), run('b', 1, 0), run('b', 2, 0)]
  expect(currentRunsOf(runs)).toEqual([run('a', 1, 1), run('b', 2, 0)])
})
