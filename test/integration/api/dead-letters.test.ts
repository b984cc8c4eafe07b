/** Tests the dead-letter routes with real processes: list, show, replay and drop. */
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { DeadLetterView } from '../../../api/dead-letters/schemas.ts'
import { addDlq } from '../../../cli/program/add-dlq.ts'
import { runCommand } from '../../support/run-command.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { createDeadLetterScenes, poison } from './dead-letter-scene.ts'
import type { DeadLetterScene } from './dead-letter-scene.ts'

let createScene: () => Promise<DeadLetterScene>
let scene: DeadLetterScene

beforeAll(async () => {
  createScene = await createDeadLetterScenes()
}, 300_000)

beforeEach(async () => {
  scene = await createScene()
})

/** Runs `sluice dlq` for one record, with JSON output. */
async function dlq(command: 'replay' | 'drop', of: DeadLetterView, ...options: string[]) {
  const [at] = await scene.sluice.database.query<{ partition: number; letter_offset: number }>(
    'select partition, letter_offset from dead_letters where dead_letter_id = $1',
    [of.dead_letter_id]
  )
  if (at === undefined) throw new Error('the record is not in the index')
  const { partition, letter_offset } = at
  const position = ['--partition', String(partition), '--offset', String(letter_offset)]
  const args = ['dlq', command, ...position, '--json', ...options]
  const { output } = await runCommand(addDlq, { args, environment: scene.sluice.environment })
  return JSON.parse(output) as unknown
}

async function stored(): Promise<string[]> {
  const rows = await scene.sluice.database.query<{ decision_id: string }>(
    'select decision_id from decisions where organization_id = $1',
    [scene.tenant.organization_id]
  )
  return rows.map(({ decision_id }) => decision_id).toSorted()
}

const idsOf = (rows: readonly { readonly dead_letter_id: string }[]) =>
  rows.map(({ dead_letter_id }) => dead_letter_id)

describe('list and show', () => {
  test('return the records of the organization, and no others', async () => {
    const decision = scene.aDecision()
    await scene.deadLetter(decision, { headers: { dead_letter_reason: 'id_conflict' } })
    await scene.deadLetter(scene.aDecision(), { value: poison() })
    // None of these records is listed: one of another organization, one of an unknown organization,
    // and one with headers that name a different organization than its value.
    await scene.deadLetter(scene.aDecision({ organization_id: randomUUID() }))
    await scene.deadLetter(scene.aDecision(), {
      headers: { organization_id: 'x' },
      value: poison()
    })
    const foreign = scene.aDecision({ organization_id: randomUUID() })
    const { organization_id } = scene.tenant
    await scene.deadLetter(foreign, { headers: { organization_id } })
    const last = scene.aDecision()
    await scene.deadLetter(last, { value: poison() })

    const records = await scene.listed(3)
    expect(records.map(({ reason, kind }) => [reason, kind]).toSorted()).toEqual([
      ['id_conflict', 'decision'],
      ['unknown_schema', 'decision'],
      ['unknown_schema', 'decision']
    ])
    const [conflict] = await scene.listed(1, 'reason=id_conflict')
    expect(conflict).toMatchObject({
      ...{ state: 'open', step: 'decode', attempts: 1, failed_again_as: null },
      ...{ decision_id: decision.decision_id, agent_id: decision.agent_id },
      received_at: new Date(decision.received_at).toISOString(),
      origin: { topic: scene.sluice.topics.decisions, partition: 0 },
      record: { topic: scene.sluice.topics.decisionsDeadLetter },
      consumer_group: scene.sluice.groups.storage
    })
    expect(JSON.stringify(conflict)).not.toContain('offset')
    expect(await scene.listed(1, `agent_id=${decision.agent_id}`)).toEqual([conflict])
    expect((await scene.list('state=dropped')).data).toEqual([])
    expect((await scene.list('to=-1h&from=-2h')).data).toEqual([])

    const shown = await scene.show(conflict?.dead_letter_id ?? '')
    expect(shown).toMatchObject({
      ...conflict,
      headers: expect.arrayContaining([{ name: 'traceparent', value: '00-x' }]),
      key: { encoding: 'text', content: decision.agent_id },
      value: { encoding: 'base64', is_truncated: false },
      decoded: { input: decision.input, output: decision.output }
    })
    const undecodable = records.find(({ decision_id }) => decision_id === last.decision_id)
    expect(await scene.show(undecodable?.dead_letter_id ?? '')).toMatchObject({
      value: { encoding: 'text', content: expect.stringMatching(/^poison [0-9a-f-]{36}$/) },
      decoded: null
    })
    const [theirs] = await scene.sluice.database.query<{ dead_letter_id: string }>(
      'select dead_letter_id from dead_letters where organization_id <> $1',
      [organization_id]
    )
    for (const id of [theirs?.dead_letter_id, randomUUID()]) {
      const { status, body } = await scene.get(`/v1/dead-letters/${id}`)
      expect([status, body['code']]).toEqual([404, 'dead_letter_not_found'])
    }
    expect(await scene.act('drop', { dead_letter_ids: [theirs?.dead_letter_id] })).toMatchObject({
      ...{ succeeded: 0, unfinished: 1 },
      results: [{ outcome: 'not_found' }]
    })
  }, 120_000)

  test('pages through the records, and counts all of them on each page', async () => {
    for (let count = 0; count < 5; count++) await scene.deadLetter(scene.aDecision())
    const all = await scene.listed(5)
    const pages = []
    let cursor = ''
    for (let page = 0; page < 3; page++) {
      const { data, meta } = await scene.list(`limit=2${cursor}`)
      expect(meta.matched).toBe(5)
      pages.push(...data)
      cursor = `&cursor=${meta.next_cursor}`
    }
    expect(pages).toEqual(all)
  }, 120_000)

  test('truncates a long value', async () => {
    await scene.deadLetter(scene.aDecision(), { value: Buffer.from('ä'.repeat(200_000)) })
    const [record] = await scene.listed(1)
    const { value } = await scene.show(record?.dead_letter_id ?? '')
    expect(value).toMatchObject({ bytes: 400_000, is_truncated: true, encoding: 'text' })
    expect(value.content).toBe('ä'.repeat(131_072))
  }, 120_000)
})

describe('replay', () => {
  test('stores two of three records, and shows that the third failed again', async () => {
    const decisions = [scene.aDecision(), scene.aDecision(), scene.aDecision(), scene.aDecision()]
    for (const decision of decisions) await scene.deadLetter(decision)
    const bad = scene.aDecision({ decision_id: randomUUID() })
    await scene.deadLetter(bad, { value: poison() })
    const records = await scene.listed(5, 'state=open')
    const chosen = records.filter(({ decision_id }) =>
      [decisions[0], decisions[1], bad].some((decision) => decision?.decision_id === decision_id)
    )
    const answer = await scene.act('replay', { dead_letter_ids: idsOf(chosen) })
    expect(answer).toMatchObject({ dry_run: false, matched: 3, succeeded: 3, unfinished: 0 })
    expect(answer.results.map(({ outcome }) => outcome)).toEqual(Array(3).fill('replayed'))

    // The message that fails again has a new record, and the old one refers to it.
    const open = await scene.listed(3, 'state=open')
    const again = open.find(({ decision_id }) => decision_id === bad.decision_id)
    expect(again).toMatchObject({ attempts: 2, reason: 'wrong_wire_format', state: 'open' })
    const replayed = await scene.listed(3, 'state=replayed')
    expect(replayed.map(({ failed_again_as }) => failed_again_as).toSorted()).toEqual([
      again?.dead_letter_id,
      null,
      null
    ])
    const expected = [decisions[0], decisions[1]].map((decision) => decision?.decision_id)
    await waitUntil('both are stored', async () => (await stored()).length === 2)
    expect(await stored()).toEqual(expected.toSorted())
    for (const record of records) {
      const isChosen = chosen.includes(record)
      expect(await dlq('replay', record)).toMatchObject({ records: isChosen ? 0 : 1 })
    }

    const { body: log } = await scene.get('/v1/auth/audit?action=dead_letter')
    const entries = log['data'] as { action: string; target: { id: string }; actor: object }[]
    expect(entries.map(({ target }) => target.id).toSorted()).toEqual(idsOf(chosen).toSorted())
    expect(entries[0]).toMatchObject({
      action: 'dead_letter.replayed',
      actor: { kind: 'user', email: scene.tenant.email }
    })
  }, 120_000)

  test('writes each record once, whatever the number of concurrent requests', async () => {
    for (let count = 0; count < 6; count++) await scene.deadLetter(scene.aDecision())
    const body = { dead_letter_ids: idsOf(await scene.listed(6)) }
    const answers = await Promise.all([1, 2, 3].map(() => scene.act('replay', body)))
    const outcomes = answers.flatMap(({ results }) => results.map(({ outcome }) => outcome))
    expect(outcomes.filter((outcome) => outcome === 'replayed')).toHaveLength(6)
    expect(outcomes.filter((outcome) => outcome === 'already_replayed')).toHaveLength(12)
    expect(await scene.written()).toHaveLength(6)
    expect(await scene.act('drop', body)).toMatchObject({ succeeded: 0, unfinished: 0 })
  }, 120_000)

  test('restores key, bytes and headers, and writes a message of two groups once', async () => {
    const decision = scene.aDecision()
    const value = poison()
    await scene.deadLetter(decision, { value })
    const headers = { dead_letter_group: 'another', dead_letter_offset: '1000000' }
    await scene.deadLetter(decision, { value, headers })
    const records = await scene.listed(2)
    expect(records.map(({ attempts }) => attempts)).toEqual([1, 1])
    const answer = await scene.act('replay', { dead_letter_ids: idsOf(records) })
    expect(answer.succeeded).toBe(2)
    const [written, ...others] = await scene.written()
    expect(others).toEqual([])
    const { organization_id, decision_id } = decision
    expect(written).toMatchObject({
      ...{ key: decision.agent_id, value },
      headers: { organization_id, decision_id, traceparent: '00-x' }
    })
  }, 120_000)

  test('selects by filter, at most 100 records and only after a dry run changed none', async () => {
    const conflict = { dead_letter_reason: 'id_conflict' }
    await scene.deadLetter(scene.aDecision(), { headers: conflict })
    for (let count = 0; count < 102; count++) await scene.deadLetter(scene.aDecision())
    await scene.listed(103)
    const filter = { from: '-1h' }
    const dry = await scene.act('replay', { filter, dry_run: true })
    expect(dry).toMatchObject({ dry_run: true, matched: 102, left: 2, succeeded: 0 })
    expect(dry.results).toHaveLength(100)
    expect(dry.results.every(({ outcome }) => outcome === 'selected')).toBe(true)
    await scene.listed(103, 'state=open')
    const conflicts = await scene.listed(1, 'reason=id_conflict')
    for (const dry_run of [true, false]) {
      const refused = await scene.act('replay', { dead_letter_ids: idsOf(conflicts), dry_run })
      expect(refused).toMatchObject({
        ...{ succeeded: 0, unfinished: 1 },
        results: [{ outcome: 'failed', reason: 'would_fail_again' }]
      })
    }
    const dropped = await scene.act('drop', { filter: { reason: 'id_conflict' } })
    expect(dropped).toMatchObject({ matched: 1, left: 0, succeeded: 1 })
    const done = await scene.act('replay', { filter })
    expect(done.results.map(({ dead_letter_id }) => dead_letter_id)).toEqual(idsOf(dry.results))
    const { matched } = await scene.act('replay', { filter, dry_run: true })
    expect(matched).toBe(2)
  }, 180_000)

  test.each([{}, { dead_letter_ids: [randomUUID()], filter: {} }, { filter: { from: 'x' } }])(
    'rejects an ambiguous selection: %j',
    async (body) => {
      await expect(scene.act('replay', body)).rejects.toThrow('422')
    },
    120_000
  )
})

test('agrees with the command line about what was dropped', async () => {
  for (let count = 0; count < 3; count++) await scene.deadLetter(scene.aDecision())
  const [first, second, third] = await scene.listed(3)
  if (first === undefined || second === undefined || third === undefined) throw new Error('absent')
  await dlq('drop', first, '--execute', '--by', 'ana')
  const [dropped] = await scene.listed(1, 'state=dropped')
  expect(dropped).toMatchObject({ dead_letter_id: first.dead_letter_id, handled_by: 'ana' })
  const answer = await scene.act('drop', { dead_letter_ids: idsOf([first, second]) })
  expect(answer).toMatchObject({ succeeded: 1, unfinished: 0 })
  expect(answer.results.map(({ outcome }) => outcome).toSorted()).toEqual([
    'already_dropped',
    'dropped'
  ])
  expect(await dlq('replay', second, '--execute')).toMatchObject({ records: 0 })
  expect(await dlq('replay', third, '--execute')).toMatchObject({ records: 1, replayed: 1 })
  const [replayed] = await scene.listed(1, 'state=replayed')
  expect(replayed?.dead_letter_id).toBe(third.dead_letter_id)
}, 120_000)

test('carries out a request later if storage does not run', async () => {
  await scene.deadLetter(scene.aDecision())
  const body = { dead_letter_ids: idsOf(await scene.listed(1)) }
  const startStorage = await scene.killStorage()
  const answer = await scene.act('replay', body)
  expect(answer).toMatchObject({ succeeded: 0, unfinished: 1, results: [{ outcome: 'pending' }] })
  const [record] = await scene.listed(1, 'state=open')
  expect(record?.requested_action).toBe('replay')
  expect(await scene.act('drop', body)).toMatchObject({
    ...{ succeeded: 0, unfinished: 1 },
    results: [{ outcome: 'failed', reason: 'in_progress' }]
  })
  await startStorage()
  await scene.listed(1, 'state=replayed')
  expect(await scene.written()).toHaveLength(1)
}, 240_000)
