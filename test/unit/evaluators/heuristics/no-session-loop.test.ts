/** Tests no_session_loop: the third occurrence of an answer fails, and a redelivery does not count.
 */
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { compileEvaluator } from '../../../../evaluators/compile-evaluator.ts'
import { builtInEvaluators } from '../../../../evaluators/default-rule-set.ts'
import { createSessionMemory } from '../../../../evaluators/heuristics/session-memory.ts'
import { aSubject } from '../a-subject.ts'
import { aVersion, found } from '../a-version.ts'

const organization_id = randomUUID()
const answer =
  'I have looked at your order and will come back to you as soon as I know more about it.'
const other =
  'The parcel left our warehouse in Hamburg on Monday and is expected at your door tomorrow.'

function createAsk(config: Record<string, unknown> = {}, sessionsMax?: number) {
  const version = aVersion('heuristic', { check: 'no_session_loop', ...config })
  const evaluator = compileEvaluator(version, { sessions: createSessionMemory(sessionsMax) })
  return (output: string, rest: object = {}) => {
    return evaluator.evaluate(aSubject({ organization_id, session_id: 's', output, ...rest }))
  }
}

const passes = expect.objectContaining({ passed: true }) as unknown
const fails = expect.objectContaining({ passed: false }) as unknown

test('fails the third equal answer, ignoring case, punctuation and whitespace', () => {
  const ask = createAsk()
  expect(ask(answer)).toEqual(passes)
  expect(ask(answer.toUpperCase())).toEqual(passes)
  expect(ask(answer.replaceAll(' ', '\n'))).toMatchObject({
    passed: false,
    reason: 'The session gave this answer 3 times among its last 3.'
  })
})

test('fails a cycle of two answers', () => {
  const ask = createAsk()
  const found = [answer, other, answer, other, answer].map((each) => ask(each))
  expect(found).toEqual([passes, passes, passes, passes, fails])
})

test('compares only the last eight answers', () => {
  const ask = createAsk()
  ask(answer)
  ask(answer)
  for (let turn = 0; turn < 7; turn++) ask(`${other} ${turn}`)
  expect(ask(answer)).toEqual(passes)
})

test('separates sessions and organizations', () => {
  const ask = createAsk()
  const asked = ['a', 'b', 'c'].map((session_id) => ask(answer, { session_id }))
  const elsewhere = [1, 2, 3].map(() => ask(answer, { organization_id: randomUUID() }))
  expect([...asked, ...elsewhere]).toEqual(Array.from({ length: 6 }, () => passes))
})

test('gives a redelivered decision the same score', () => {
  const ask = createAsk()
  const ids = Array.from({ length: 4 }, () => ({ decision_id: randomUUID() }))
  const first = ids.map((id) => ask(answer, id))
  expect(first).toEqual([passes, passes, fails, fails])
  expect(ids.map((id) => ask(answer, id))).toEqual(first)
})

test('applies its settings', () => {
  const ask = createAsk({ times: 2, words_min: 1 })
  expect([ask('Done.'), ask('Done.')]).toEqual([passes, fails])
})

describe('skips', () => {
  const skipped = { kind: 'skipped', status_reason: 'not_applicable' }
  test('short answers', () => {
    expect(createAsk()('Approved: no objections.')).toEqual(skipped)
  })
  test('a decision without a session', () => {
    expect(createAsk()(answer, { session_id: null })).toEqual(skipped)
  })
  test('every decision in a process without session memory', () => {
    const builtIn = builtInEvaluators.find(({ name }) => name === 'no_session_loop')
    expect(builtIn).toBeDefined()
    if (builtIn !== undefined) expect(found(builtIn, { output: answer })).toEqual(skipped)
  })
})

test('drops the oldest session if there are too many', () => {
  const ask = createAsk({}, 2)
  ask(answer, { session_id: 'a' })
  ask(answer, { session_id: 'a' })
  for (const session_id of ['b', 'c']) ask(answer, { session_id })
  expect(ask(answer, { session_id: 'a' })).toEqual(passes)
})
