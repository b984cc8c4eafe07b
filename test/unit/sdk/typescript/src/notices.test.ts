/** Callbacks once a second, lines once a minute; neither ever disturbs. */
import { describe, expect, test } from '@jest/globals'
import { createNotices } from '../../../../../sdk/typescript/src/notices.ts'
import type { NoticesSettings } from '../../../../../sdk/typescript/src/notices.ts'
import { createFakePlatform } from '../../../../support/sdk/fake-platform.ts'

function create(settings: Partial<NoticesSettings> = {}) {
  const platform = createFakePlatform()
  return { platform, notices: createNotices({ debug: false, ...settings }, platform) }
}

const hint = { count: 1, hint: 'mend it' }

describe('callbacks', () => {
  test('are told at once, then once a second of each reason, with the sum', async () => {
    const told: unknown[] = []
    const { platform, notices } = create({ onDrop: (about) => void told.push(about) })
    notices.dropped('queue_full', 1)
    expect(told).toEqual([])
    await platform.advance(0)
    notices.dropped('queue_full', 2)
    notices.dropped('queue_full', 3)
    notices.dropped('refused', 4)
    await platform.advance(999)
    const first = [
      { reason: 'queue_full', count: 1 },
      { reason: 'refused', count: 4 }
    ]
    expect(told).toEqual(first)
    await platform.advance(1)
    expect(told).toEqual([...first, { reason: 'queue_full', count: 5 }])
    notices.dropped('queue_full', 6)
    notices.flush()
    notices.flush()
    expect(told.slice(3)).toEqual([{ reason: 'queue_full', count: 6 }])
    await platform.advance(5000)
    expect(told).toHaveLength(4)
  })

  test('are told the latest error of each stage', async () => {
    const told: unknown[] = []
    const { platform, notices } = create({
      onError: ({ message }, about) => void told.push([message, about])
    })
    notices.failed('send', new Error('one'), { count: 3, hint: '' })
    notices.failed('send', new Error('two'), { count: 4, hint: '' })
    notices.failed('encode', new Error('three'), hint)
    await platform.advance(0)
    expect(told).toEqual([
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
  test('the first problem at once, then a summary a minute', async () => {
    const { platform, notices } = create()
    notices.failed('send', new Error('no answer'), hint)
    notices.failed('send', new Error('no answer'), hint)
    notices.dropped('queue_full', 7)
    notices.dropped('refused', 2)
    await platform.advance(59_999)
    notices.failed('send', new Error('no answer'), hint)
    expect(platform.lines).toEqual(['sluice: no answer: mend it'])
    await platform.advance(1)
    notices.failed('send', new Error('status 500'), hint)
    expect(platform.lines.slice(1)).toEqual([
      'sluice: 4 problems in the last minutes; dropped since: 7 queue_full, 2 refused; ' +
        'the latest: status 500: mend it'
    ])
  })

  test('what was asked for is no problem', () => {
    const { platform, notices } = create()
    notices.dropped('redacted', 5)
    expect(platform.lines).toEqual([])
  })

  test('debugging is silent unless it is wanted, and costs nothing then', () => {
    const { platform, notices } = create()
    notices.debug(() => {
      throw new Error('asked for')
    })
    const other = create({ debug: true })
    other.notices.debug(() => 'batch 1')
    expect([platform.lines, other.platform.lines]).toEqual([[], ['sluice: batch 1']])
  })
})
