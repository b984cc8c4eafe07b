/** Tests that callbacks and log lines are rate limited, and that a failing callback does not affect
 * the application.
 */
import { describe, expect, test } from '@jest/globals'
import { createNotices } from '../../../../../sdk/typescript/src/notices.ts'
import type { NoticesSettings } from '../../../../../sdk/typescript/src/notices.ts'
import { createFakePlatform } from '../../../../support/sdk/fake-platform.ts'

function create(settings: Partial<NoticesSettings> = {}) {
  const platform = createFakePlatform()
  return { platform, notices: createNotices({ debug: false, ...settings }, platform) }
}

const hint = { count: 1, hint: 'fix it' }

describe('callbacks', () => {
  test('are called immediately, then once a second per reason, with the sum', async () => {
    const calls: unknown[] = []
    const { platform, notices } = create({ onDrop: (about) => void calls.push(about) })
    notices.dropped('queue_full', 1)
    expect(calls).toEqual([])
    await platform.advance(0)
    notices.dropped('queue_full', 2)
    notices.dropped('queue_full', 3)
    notices.dropped('refused', 4)
    await platform.advance(999)
    const first = [
      { reason: 'queue_full', count: 1 },
      { reason: 'refused', count: 4 }
    ]
    expect(calls).toEqual(first)
    await platform.advance(1)
    expect(calls).toEqual([...first, { reason: 'queue_full', count: 5 }])
    notices.dropped('queue_full', 6)
    notices.flush()
    notices.flush()
    expect(calls.slice(3)).toEqual([{ reason: 'queue_full', count: 6 }])
    await platform.advance(5000)
    expect(calls).toHaveLength(4)
  })

  test('receive the latest error of each stage', async () => {
    const calls: unknown[] = []
    const { platform, notices } = create({
      onError: ({ message }, about) => void calls.push([message, about])
    })
    notices.failed('send', new Error('one'), { count: 3, hint: '' })
    notices.failed('send', new Error('two'), { count: 4, hint: '' })
    notices.failed('encode', new Error('three'), hint)
    await platform.advance(0)
    expect(calls).toEqual([
      ['two', { stage: 'send', count: 7 }],
      ['three', { stage: 'encode', count: 1 }]
    ])
  })

  test('may throw, reject and log', async () => {
    let calls = 0
    const rejecting: () => unknown = () => {
      calls++
      return Promise.reject(new Error('of the host'))
    }
    const { platform, notices } = create({
      onDrop: () => {
        calls++
        notices.dropped('invalid', 1)
        throw new Error('of the host')
      },
      onError: rejecting
    })
    notices.dropped('invalid', 1)
    notices.failed('send', new Error('x'), hint)
    await platform.advance(3500)
    expect(calls).toBe(5)
  })
})

describe('lines', () => {
  test('prints the first problem immediately, then one summary per minute', async () => {
    const { platform, notices } = create()
    notices.failed('send', new Error('no response'), hint)
    notices.failed('send', new Error('no response'), hint)
    notices.dropped('queue_full', 7)
    notices.dropped('refused', 2)
    await platform.advance(59_999)
    notices.failed('send', new Error('no response'), hint)
    expect(platform.lines).toEqual(['sluice: no response: fix it'])
    await platform.advance(1)
    notices.failed('send', new Error('status 500'), hint)
    expect(platform.lines.slice(1)).toEqual([
      'sluice: 4 problems since the last report; dropped: queue_full 7, refused 2; ' +
        'latest: status 500: fix it'
    ])
  })

  test('does not report decisions removed by redact', () => {
    const { platform, notices } = create()
    notices.dropped('redacted', 5)
    expect(platform.lines).toEqual([])
  })

  test('builds and prints debug lines only if enabled', () => {
    const { platform, notices } = create()
    notices.debug(() => {
      throw new Error('not enabled')
    })
    const other = create({ debug: true })
    other.notices.debug(() => 'batch 1')
    expect([platform.lines, other.platform.lines]).toEqual([[], ['sluice: batch 1']])
  })
})
