/** Tests that an outage is logged a few times instead of once per attempt. */
import { expect, test } from '@jest/globals'
import { createLogUnavailable } from '../../../../platform/telemetry/log-unavailable.ts'
import { RecordingLogger } from '../recording-logger.ts'

test('logs an outage when it begins, when its reason changes, and when it ends', () => {
  const logger = new RecordingLogger()
  const tell = createLogUnavailable(logger, 'Redis')
  tell.available()
  const password = new Error('connection failed', { cause: new Error('wrong password') })
  for (let count = 0; count < 100; count++) tell.unavailable(password)
  for (let count = 0; count < 100; count++) tell.unavailable(new Error('refused'))
  tell.available()
  tell.available()
  tell.unavailable(new Error('refused'))
  expect(logger.entries.map(({ level, fields, message }) => [level, message, fields])).toEqual([
    ['warn', 'Redis unavailable', { reason: 'connection failed: wrong password' }],
    ['warn', 'Redis unavailable', { reason: 'refused' }],
    ['info', 'Redis available again', {}],
    ['warn', 'Redis unavailable', { reason: 'refused' }]
  ])
})
