/** The tables of evaluation as they are printed. */
import { expect, test } from '@jest/globals'
import { judgeEvaluation } from '../../../faults/evaluation/judge.ts'
import { evaluationTablesOf } from '../../../faults/evaluation/table.ts'

const by = { rule_id: 'r', evaluator_id: 'e' }
const nothing = judgeEvaluation({
  ledger: [
    {
      ...{ line: 'evaluation_run', fault: 'a fault', decisionsTopic: 'd', evaluationsTopic: 'e' },
      ...{ offline: [by], judged: { ...by, rate: 0.1, cohort: 'default' } }
    }
  ],
  ...{ decisions: [], published: [], plans: [], open: [], stored: [], attempts: [], calls: [] }
})

test('what became of runs stands first, and then what the judge was asked', () => {
  const seconds = { recoverySeconds: 7, drainSeconds: 31.5 }
  const run = { faults: 4, complaints: [], lastWords: ['bye'], ...seconds }
  const verdict = {
    ...nothing,
    ...{ decisions: 900, deliveredAgain: 300, planned: 9990, accounted: 9989, judgedRuns: 90 },
    ...{ missingRuns: ['a'], calls: 99, extraCalls: 9, retriesOnRecord: 7, kills: 3 },
    ...{ cutByKill: 2, publishedAgain: 12 }
  }
  const tables = evaluationTablesOf([{ title: 'a fault', done: 'something', ...run, verdict }])
  const [found = '', called = ''] = tables.split('\n\n')
  expect(found.split('\n').at(-1)).toBe(
    '| a fault | something | 4 | 900 | 300 | 9990 | 9989 | 1 | 0 | 0 | 0 | 0 | 7.00 s | 31.50 s |'
  )
  expect(called.split('\n').at(-1)).toBe(
    '| a fault | 90 | 99 | 9 | 7 | 3 | 2 | 0 | 0 | 0 | 0 | 12 | 1 |'
  )
})
