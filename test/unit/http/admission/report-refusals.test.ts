/** Why a service was away is said once in a while, with the number of those left out. */
import { expect, test } from '@jest/globals'
import { Problem } from '../../../../core/problem.ts'
import type { ProblemCode } from '../../../../core/problem.ts'
import { ShareFullError } from '../../../../http/admission/fair-share.ts'
import { createReportRefusals } from '../../../../http/admission/report-refusals.ts'
import { RecordingLogger } from '../../platform/recording-logger.ts'

function scene() {
  const logger = new RecordingLogger()
  const time = { ms: 0 }
  const counted: unknown[] = []
  const metrics = { count: (...counting: unknown[]) => void counted.push(counting) }
  const report = createReportRefusals({ logger, metrics, elapsedMs: () => time.ms })
  const refuse = (code: ProblemCode, cause?: Error): void =>
    report(new Problem(code, { detail: 'A detail.', cause }), 'request-1')
  const lines = (): Record<string, unknown>[] =>
    logger.entries.map(({ level, fields }) => ({ level, ...fields }))
  return { time, refuse, lines, counted }
}

const refused = new Error('the broker did not acknowledge', { cause: new Error('ECONNREFUSED') })

test('the cause is told at warn, down to its root', () => {
  const { refuse, lines } = scene()
  refuse('log_unavailable', refused)
  expect(lines()).toEqual([
    {
      level: 'warn',
      code: 'log_unavailable',
      reason: 'the broker did not acknowledge: ECONNREFUSED',
      request_id: 'request-1',
      left_out: 0
    }
  ])
})

test('one line for a code in ten seconds, and how many had none', () => {
  const { time, refuse, lines } = scene()
  for (let count = 0; count < 1000; count++) refuse('store_unavailable', refused)
  refuse('log_unavailable', refused)
  time.ms = 9999
  refuse('store_unavailable', refused)
  expect(lines().map((line) => line['left_out'])).toEqual([0, 0])
  time.ms = 10_000
  refuse('store_unavailable', refused)
  time.ms = 20_000
  refuse('store_unavailable', refused)
  expect(lines().map((line) => line['left_out'])).toEqual([0, 0, 1000, 0])
})

test('without a cause the detail is the reason', () => {
  const { refuse, lines } = scene()
  refuse('schema_unavailable')
  expect(lines()).toMatchObject([{ code: 'schema_unavailable', reason: 'A detail.' }])
})

test.each<ProblemCode>(['invalid_decision', 'overloaded', 'rate_limited', 'api_key_invalid'])(
  '%s is nothing to report',
  (code) => {
    const { refuse, lines } = scene()
    refuse(code, refused)
    expect(lines()).toEqual([])
  }
)

test('who asks for too much is counted each time, and told in the log once in a while', () => {
  const { refuse, lines, counted } = scene()
  for (let count = 0; count < 3; count++) refuse('overloaded', new ShareFullError('too many reads'))
  refuse('overloaded')
  expect(counted).toEqual(Array(3).fill(['sluice_shed_total', { reason: 'share' }]))
  expect(lines()).toMatchObject([{ code: 'overloaded', reason: 'too many reads' }])
})
