/** What one listener hears, in which order, and what he is told of when he is slow. */
import { expect, test } from '@jest/globals'
import { eventsMax } from '../../../../../api/streams/tail/event-queue.ts'
import type { EvaluationState } from '../../../../../api/streams/tail/select-news.ts'
import { TailItem } from '../../../../../api/streams/tail/tail-item.ts'
import { createTailListener } from '../../../../../api/streams/tail/tail-listener.ts'

const pending: EvaluationState = { status: 'pending', reason: null, verdict: 'none', scores: '{}' }
const failed: EvaluationState = { ...pending, status: 'evaluated', verdict: 'fail' }

function anItem(index: number, state = pending, agent_id = 'a'): TailItem {
  const decision_id = `01938c4e-5b7a-7c3e-9f00-${String(index).padStart(12, '0')}`
  const at = new Date(Date.UTC(2026, 0, 1, 0, 0, 0, index))
  const row = {
    ...{ decision_id, received_at: at, stored_at: at, sort_key: `${at.toISOString()}000Z` },
    ...{ input_start: '1', output_start: '"x"', agent_id, session_id: null, domain: null },
    ...{ input_tokens: null, output_tokens: null, sdk_version: null, model: null, bytes: 2 },
    ...{ agent_version: null, latency_ms: null, is_error: null }
  }
  return new TailItem(row, `id-${index}`, state)
}

function newsOf(items: TailItem[], evaluations: TailItem[] = [], dropped = 0) {
  return { decisions: items, evaluations, dropped }
}

function heardIn(text: string): string[] {
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

test('hears of decisions once, and of evaluations of those alone', async () => {
  const listener = createTailListener({ agent_id: 'a' })
  listener.take(newsOf([anItem(1), anItem(2, pending, 'b'), anItem(1)], [], 3))
  listener.take(newsOf([], [anItem(1, failed), anItem(2, failed, 'b')]))
  expect(heardIn(await listener.next(soon))).toEqual(['gap 3', 'decision 1', 'evaluation 1'])
  expect(await listener.next(soon)).toBe('')
})

test('who waits for a verdict hears of a decision when it has that', async () => {
  const listener = createTailListener({ verdict: 'fail' })
  listener.take(newsOf([anItem(1), anItem(2)]))
  listener.take(newsOf([], [anItem(2, failed)]))
  listener.take(newsOf([], [anItem(2, { ...failed, scores: '{"a":{}}' })]))
  expect(heardIn(await listener.next(soon))).toEqual(['decision 2', 'evaluation 2'])
})

test('what was missed comes before what came meanwhile, and nothing twice', async () => {
  const listener = createTailListener({})
  listener.take(newsOf([anItem(3), anItem(4)]))
  listener.replay([anItem(1), anItem(2), anItem(3)], 7)
  expect(heardIn(await listener.next(soon))).toEqual([
    ...['gap 7', 'decision 1', 'decision 2', 'decision 3', 'decision 4']
  ])
})

test('who is slow is told how many decisions he lost, however often that happens', async () => {
  const listener = createTailListener({})
  const count = 3 * eventsMax
  for (let index = 0; index < count; index++) listener.take(newsOf([anItem(index)]))
  const heard = heardIn(await listener.next(soon))
  const decisions = heard.filter((each) => each.startsWith('decision'))
  const [gap = ''] = heard
  expect(heard.length).toBeLessThanOrEqual(eventsMax)
  expect(Number(gap.split(' ')[1]) + decisions.length).toBe(count)
  expect(heard.at(-1)).toBe(`decision ${count - 1}`)
})

test('wakes at once when there is something, or when it is told to', async () => {
  const listener = createTailListener({})
  const forEver = 2 ** 31 - 1
  const woken = listener.next(forEver)
  listener.wake()
  expect(await woken).toBe('')
  const told = listener.next(forEver)
  listener.gap(null)
  expect(heardIn(await told)).toEqual(['gap null'])
})
