/** Tests the events of one tail connection: filters, order, and gaps if the client is slow. */
import { expect, test } from '@jest/globals'
import { TailItem } from '../../../../../api/streams/tail/events.ts'
import type { StoredEvaluation } from '../../../../../api/streams/tail/queries.ts'
import { createTailListener, eventsMax } from '../../../../../api/streams/tail/tail-listener.ts'

const pending: StoredEvaluation = { status: 'pending', reason: null, verdict: 'none', scores: '{}' }
const failed: StoredEvaluation = { ...pending, status: 'evaluated', verdict: 'fail' }

function anItem(index: number, state = pending, agent_id = 'a'): TailItem {
  const decision_id = `01938c4e-5b7a-7c3e-9f00-${String(index).padStart(12, '0')}`
  const at = new Date(Date.UTC(2026, 0, 1, 0, 0, 0, index))
  const row = {
    ...{ decision_id, received_at: at, stored_at: at, sort_key: `${at.toISOString()}000Z` },
    ...{ input_start: '1', output_start: '"x"', agent_id, session_id: null, domain: null },
    ...{ input_tokens: null, output_tokens: null, sdk_version: null, model: null, bytes: 2 },
    ...{ trace_id: null, parent_decision_id: null, kind: null, name: null },
    ...{ agent_version: null, latency_ms: null, is_error: null, fingerprint: '' },
    ...{ input_bytes: 1, output_bytes: 3, metadata_bytes: null }
  }
  return new TailItem(row, `id-${index}`, state)
}

function updateOf(items: TailItem[], evaluations: TailItem[] = [], dropped = 0) {
  return { decisions: items, evaluations, dropped }
}

function eventsIn(text: string): string[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const [, event = '', data = ''] = /event: (\w+)[^]*?data: (.*)/.exec(block) ?? []
      const { decision_id = '', dropped } = JSON.parse(data) as Record<string, string>
      return `${event} ${dropped === undefined ? Number(decision_id.slice(-12)) : String(dropped)}`
    })
}

const soon = 1

test('shows each decision once, and evaluations only of shown decisions', async () => {
  const listener = createTailListener({ agent_id: 'a' })
  listener.take(updateOf([anItem(1), anItem(2, pending, 'b'), anItem(1)], [], 3))
  listener.take(updateOf([], [anItem(1, failed), anItem(2, failed, 'b')]))
  expect(eventsIn(await listener.next(soon))).toEqual(['gap 3', 'decision 1', 'evaluation 1'])
  expect(await listener.next(soon)).toBe('')
})

test('shows a decision once it has the requested verdict', async () => {
  const listener = createTailListener({ verdict: 'fail' })
  listener.take(updateOf([anItem(1), anItem(2)]))
  listener.take(updateOf([], [anItem(2, failed)]))
  listener.take(updateOf([], [anItem(2, { ...failed, scores: '{"a":{}}' })]))
  expect(eventsIn(await listener.next(soon))).toEqual(['decision 2', 'evaluation 2'])
})

test('puts missed decisions before queued ones, without repeating any', async () => {
  const listener = createTailListener({})
  listener.take(updateOf([anItem(3), anItem(4)]))
  listener.replay([anItem(1), anItem(2), anItem(3)], 7)
  expect(eventsIn(await listener.next(soon))).toEqual([
    ...['gap 7', 'decision 1', 'decision 2', 'decision 3', 'decision 4']
  ])
})

test('counts all decisions dropped for a slow client', async () => {
  const listener = createTailListener({})
  const count = 3 * eventsMax
  for (let index = 0; index < count; index++) listener.take(updateOf([anItem(index)]))
  const events = eventsIn(await listener.next(soon))
  const decisions = events.filter((each) => each.startsWith('decision'))
  const [gap = ''] = events
  expect(events.length).toBeLessThanOrEqual(eventsMax)
  expect(Number(gap.split(' ')[1]) + decisions.length).toBe(count)
  expect(events.at(-1)).toBe(`decision ${count - 1}`)
})

test('wakes up on an event or on `wake`', async () => {
  const listener = createTailListener({})
  const longMs = 2 ** 31 - 1
  const woken = listener.next(longMs)
  listener.wake()
  expect(await woken).toBe('')
  const gapped = listener.next(longMs)
  listener.gap(null)
  expect(eventsIn(await gapped)).toEqual(['gap null'])
})
