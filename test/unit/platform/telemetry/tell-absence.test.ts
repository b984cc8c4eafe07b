/** An outage is a few lines, not one for each attempt. */
import { expect, test } from '@jest/globals'
import { createTellAbsence } from '../../../../platform/telemetry/tell-absence.ts'
import { RecordingLogger } from '../recording-logger.ts'

test('an outage is told when it begins, when its reason changes, and when it ends', () => {
  const logger = new RecordingLogger()
  const tell = createTellAbsence(logger, 'Redis')
  tell.back()
  const password = new Error('connection failed', { cause: new Error('wrong password') })
  for (let count = 0; count < 100; count++) tell.away(password)
  for (let count = 0; count < 100; count++) tell.away(new Error('refused'))
  tell.back()
  tell.back()
  tell.away(new Error('refused'))
  expect(logger.entries.map(({ level, fields, message }) => [level, message, fields])).toEqual([
    ['warn', 'Redis does not answer', { reason: 'connection failed: wrong password' }],
    ['warn', 'Redis does not answer', { reason: 'refused' }],
    ['info', 'Redis answers again', {}],
    ['warn', 'Redis does not answer', { reason: 'refused' }]
  ])
})
