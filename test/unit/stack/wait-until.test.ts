/** Tests polling with a deadline. */
import { expect, test } from '@jest/globals'
import { waitUntil } from '../../../stack/wait-until.ts'

test('waits until the probe returns true, through errors', async () => {
  let asked = 0
  const probe = async (): Promise<boolean> => {
    asked += 1
    if (asked === 1) await Promise.reject(new Error('not there'))
    return asked === 3
  }
  await waitUntil({ what: 'x', timeoutMs: 5_000, probe })
  expect(asked).toBe(3)
})

test('fails with its message and the last error', async () => {
  const probe = async (): Promise<boolean> => await Promise.reject(new Error('refused'))
  const waiting = waitUntil({ what: 'Kafka did not answer', timeoutMs: 50, probe })
  await expect(waiting).rejects.toThrow('Kafka did not answer within 0 s (refused)')
})

test('ends immediately when aborted', async () => {
  const probe = async (): Promise<boolean> => await Promise.resolve(false)
  const waiting = waitUntil({ what: 'x', timeoutMs: 5_000, probe, signal: AbortSignal.abort() })
  await expect(waiting).rejects.toThrow(/abort/i)
})
