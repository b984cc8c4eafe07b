/** Tests that the reasons for rejections are logged at intervals, with the number of omitted
 * entries.
 */
import { expect, test } from '@jest/globals'
import { Problem } from '../../../../core/problem.ts'
import type { ProblemCode } from '../../../../core/problem.ts'
import { ShareFullError } from '../../../../http/admission/fair-share.ts'
import { createReportRejections } from '../../../../http/admission/report-rejections.ts'
import { RecordingLogger } from '../../platform/recording-logger.ts'

function scene() {
  const logger = new RecordingLogger()
  const time = { ms: 0 }
  const counted: unknown[] = []
  const metrics = { count: (...counting: unknown[]) => void counted.push(counting) }
  const report = createReportRejections({ logger, metrics, elapsedMs: () => time.ms })
  const refuse = (code: ProblemCode, cause?: Error): void =>
    report(new Problem(code, { detail: 'A detail.', cause }), 'request-1')
  const lines = (): Record<string, unknown>[] =>
    logger.entries.map(({ level, fields }) => ({ level, ...fields }))
  return { time, refuse, lines, counted }
}

const refused = new Error('the broker did not acknowledge', { cause: new Error('ECONNREFUSED') })

test('logs the cause at level warn, down to its root', () => {
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

test('logs one line per code in ten seconds, with the number of omitted rejections', () => {
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

test('logs the detail when there is no cause', () => {
  const { refuse, lines } = scene()
  refuse('schema_unavailable')
  expect(lines()).toMatchObject([{ code: 'schema_unavailable', reason: 'A detail.' }])
})

test.each<ProblemCode>(['invalid_decision', 'overloaded', 'rate_limited', 'api_key_invalid'])(
  'does not log %s',
  (code) => {
    const { refuse, lines } = scene()
    refuse(code, refused)
    expect(lines()).toEqual([])
  }
)

test('counts every rejection of an organization beyond its share, and logs some', () => {
  const { refuse, lines, counted } = scene()
  for (let count = 0; count < 3; count++) refuse('overloaded', new ShareFullError('too many reads'))
  refuse('overloaded')
  expect(counted).toEqual(Array(3).fill(['sluice_shed_total', { reason: 'share' }]))
  expect(lines()).toMatchObject([{ code: 'overloaded', reason: 'too many reads' }])
})
