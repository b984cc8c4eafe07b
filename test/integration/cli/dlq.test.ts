/** Tests `sluice dlq`: what it lists and prints, and what a replay preserves. */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { addDlq } from '../../../cli/program/add-dlq.ts'
import { createEncode } from '../../../platform/avro/avro-codec.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import { partitionOf } from '../../../core/decision/partition.ts'
import { createRegistry } from '../../../platform/registry/schema-registry.ts'
import { decisionContract } from '../../../schemas/index.ts'
import { aDecision } from '../../support/builders.ts'
import { createInstallation } from '../../support/installation.ts'
import type { Installation } from '../../support/installation.ts'
import { produce, readAll, waitUntilConsumed } from '../../support/kafka.ts'
import type { TopicRecord } from '../../support/kafka.ts'
import { runCommand } from '../../support/run-command.ts'
import { services } from '../../support/services.ts'
import { createWriteDecisions } from './decisions-topic.ts'
import type { WriteDecisions } from './decisions-topic.ts'

type Group = Record<string, unknown>

/** Disables the dead-letter limit, because the tests send many invalid messages. */
const unlimited = { DEAD_LETTERS_MAX: '0' }

let sluice: Installation
let topic: WriteDecisions

beforeEach(async () => {
  sluice = await createInstallation()
  topic = await createWriteDecisions(sluice)
})

/**
 * Runs the command in the test process, except for `show`, which writes to standard output
 * directly.
 */
async function dlq(...args: string[]): Promise<string> {
  if (args[0] === 'show') return await sluice.sluice('dlq', ...args)
  const { environment } = sluice
  return (await runCommand(addDlq, { args: ['dlq', ...args], environment })).output
}

async function list(...args: string[]): Promise<Group[]> {
  return JSON.parse(await dlq('list', '--json', ...args)) as Group[]
}

async function startStorage() {
  const storage = await sluice.start('storage', unlimited)
  await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions)
  return storage
}

/**
 * Builds the dead-letter record that a group writes for the message at this offset of partition 0.
 */
function aDeadLetter(offset: number, value: Buffer, headers: Record<string, string> = {}) {
  return {
    ...{ value, partition: 0 },
    headers: {
      ...{ dead_letter_reason: 'unknown_schema', dead_letter_step: 'decode' },
      ...{ dead_letter_error: 'schema id 7 does not exist' },
      dead_letter_topic: sluice.topics.decisions,
      ...{ dead_letter_partition: '0', dead_letter_offset: `${offset}` },
      dead_letter_group: sluice.groups.storage,
      ...headers
    }
  }
}

async function decisions(): Promise<TopicRecord[]> {
  return await readAll(sluice.topics.decisions)
}

describe('list and show', () => {
  test('group records with an example, which show prints in full', async () => {
    expect(await dlq('list')).toContain('There are no open dead-letter records.')
    const decision = aDecision()
    const conflict = { ...decision, output: 'another' }
    await topic.write(decision, conflict)
    const poison = Buffer.from('poison \u0007 bytes')
    const record = { value: poison, headers: { traceparent: '00-x' } }
    await topic.write(record, record)
    await startStorage()

    const groups = await list()
    expect(groups.map(({ reason, count }) => [reason, count])).toEqual([
      ['wrong_wire_format', 2],
      ['id_conflict', 1]
    ])
    expect(groups[0]).toMatchObject({
      topic: sluice.topics.decisionsDeadLetter,
      origin_topic: sluice.topics.decisions,
      step: 'decode',
      state: 'open'
    })
    expect(await list('--reason', 'id_conflict')).toHaveLength(1)
    expect(await list('--topic', 'evaluations')).toEqual([])
    expect(await list('--until', '2020-01-01')).toEqual([])

    const { partition, offset } = groups[0]?.['example'] as Record<string, number>
    const place = `${partition}/${offset}`
    const shown = await dlq('show', place)
    expect(shown).toMatch(/from +decisions-\w+ 0\/[23]/)
    expect(shown).toMatch(/header +traceparent: 00-x/)
    expect(shown).toContain('00000000  70 6f 69 73 6f 6e 20 07')
    const json = JSON.parse(await dlq('show', place, '--json')) as Group
    expect(json).toMatchObject({
      state: 'open',
      headers: { traceparent: '00-x' },
      value_base64: poison.toString('base64'),
      dead_letter: { reason: 'wrong_wire_format', partition: 0 }
    })
    const args = ['cli/sluice.mjs', 'dlq', 'show', place, '--raw']
    expect(execFileSync('node', args, { env: sluice.environment })).toEqual(poison)
    await expect(dlq('show', '0/999')).rejects.toThrow('has no record at 0/999')
  }, 120_000)
})

describe('replay', () => {
  test('writes records back once with key, bytes, headers and order, after a dry run', async () => {
    const unknownId = 900_000 + Math.floor(performance.now())
    const encode = createEncode<Decision>(decisionContract.schema)
    const made = Array.from({ length: 250 }, () => aDecision({ agent_id: 'one' }))
    const values = made.map((decision) => encode(decision, unknownId))
    const headers = { traceparent: '00-y', organization_id: 'o' }
    const partition = partitionOf(Buffer.from('one'), 12)
    await topic.write(...values.map((value) => ({ value, key: 'one', headers, partition })))
    const storage = await startStorage()
    const evaluation = await sluice.start('evaluation', unlimited)
    await waitUntilConsumed(sluice.groups.evaluation, sluice.topics.decisions)
    await Promise.all([storage.stop(), evaluation.stop()])

    expect(await dlq('replay')).toContain('250 records to replay, from 500 dead-letter records')
    expect(await decisions()).toHaveLength(250)
    const done = JSON.parse(await dlq('replay', '--execute', '--by', 'ana', '--json')) as Group
    expect(done).toMatchObject({ records: 250, replayed: 250, left_out: {} })
    const records = await decisions()
    const replayed = records.slice(250)
    expect(records.every((record) => record.partition === partition)).toBe(true)
    expect(replayed.map(({ value }) => value)).toEqual(values)
    expect(replayed.every(({ key }) => key === 'one')).toBe(true)
    expect(replayed[0]?.headers).toEqual(headers)

    expect(await dlq('replay', '--execute')).toContain('0 records to replay')
    expect(await decisions()).toHaveLength(500)
    expect(await list()).toEqual([])
    const all = await list('--all')
    expect(all.reduce((sum, { count }) => sum + Number(count), 0)).toBe(500)
    expect(all.every(({ state }) => state === 'replayed')).toBe(true)
    const marks = await sluice.database.query('select distinct marked_by from dead_letter_marks')
    expect(marks).toEqual([{ marked_by: 'ana' }])
  })

  test('stores a dead-lettered message after its cause is fixed', async () => {
    const registry = createRegistry(services().addresses.schemaRegistryUrl)
    const decision = aDecision()
    await topic.write(decision)
    const value = topic.encode(decision)
    await produce(sluice.topics.decisionsDeadLetter, [aDeadLetter(0, value), aDeadLetter(0, value)])
    expect(await registry.schemaOf(value.readUInt32BE(1))).not.toBeNull()
    await dlq('replay', '--execute')
    await startStorage()
    const rows = await sluice.database.query('select decision_id from decisions')
    expect(rows).toEqual([{ decision_id: decision.decision_id }])
  })

  test('skips permanent errors and says why, unless --reason names them', async () => {
    const value = Buffer.from('v')
    await produce(sluice.topics.decisionsDeadLetter, [
      aDeadLetter(3, value, { dead_letter_reason: 'id_conflict' }),
      aDeadLetter(4, value, { dead_letter_reason: 'undecodable' })
    ])
    const said = await dlq('replay', '--execute')
    expect(said).toContain(
      '1 with reason id_conflict skipped: their decision_id belongs to another'
    )
    expect(await decisions()).toHaveLength(1)
    await dlq('replay', '--execute', '--reason', 'id_conflict')
    expect(await decisions()).toHaveLength(2)
  })

  test('writes only to the original topic and skips foreign records', async () => {
    const value = Buffer.from('v')
    await produce(sluice.topics.decisionsDeadLetter, [
      aDeadLetter(1, value, { dead_letter_topic: sluice.topics.evaluations }),
      { value, partition: 0, headers: { dead_letter_reason: 'mine' } }
    ])
    expect(await dlq('replay', '--execute')).toContain('2 skipped: not dead-letter records of this')
    expect(await readAll(sluice.topics.evaluations)).toEqual([])
    expect(await decisions()).toEqual([])
    expect(await list()).toContainEqual(expect.objectContaining({ reason: null, count: 1 }))
  })

  test('replays in the order of the origins, whatever the order of the records', async () => {
    const values = [4, 2, 9, 1].map((offset) => aDeadLetter(offset, Buffer.from(`${offset}`)))
    await produce(sluice.topics.decisionsDeadLetter, [
      ...values.slice(0, 2),
      ...values.slice(2).map((record) => ({ ...record, partition: 5 }))
    ])
    await dlq('replay', '--execute')
    const texts = (await decisions()).map(({ value }) => String(value))
    expect(texts.toSorted()).toEqual(['1', '2', '4', '9'])
  })

  test('writes both of two messages that had the same position in succession', async () => {
    // Simulates a topic that was recreated between the messages. Both groups dead-letter the second
    // message.
    const [first, second] = [
      aDeadLetter(7, Buffer.from('first')),
      aDeadLetter(7, Buffer.from('second'))
    ]
    const others = { ...second, headers: { ...second.headers, dead_letter_group: 'another' } }
    await produce(sluice.topics.decisionsDeadLetter, [first])
    await dlq('replay', '--execute')
    await produce(sluice.topics.decisionsDeadLetter, [second, others])
    await dlq('replay', '--execute')
    const texts = (await decisions()).map(({ value }) => String(value))
    expect(texts.toSorted()).toEqual(['first', 'second'])
    expect(await list()).toEqual([])
  })

  test('replays only the selected records', async () => {
    const records = [1, 2, 3].map((offset) => aDeadLetter(offset, Buffer.from(`${offset}`)))
    await produce(sluice.topics.decisionsDeadLetter, records)
    await dlq('replay', '--execute', '--partition', '0', '--offset', '1')
    expect((await decisions()).map(({ value }) => String(value))).toEqual(['2'])
    expect(await dlq('replay', '--group', 'unknown')).toContain('0 records to replay')
    expect(await dlq('replay', '--since', '1h')).toContain('2 records to replay')
  })
})

describe('drop', () => {
  test('marks records as dropped, so that replay skips them', async () => {
    const records = [1, 2].map((offset) => aDeadLetter(offset, Buffer.from(randomUUID())))
    await produce(sluice.topics.decisionsDeadLetter, records)
    await expect(dlq('drop', '--execute')).rejects.toThrow('select records')
    expect(await dlq('drop', '--reason', 'unknown_schema')).toContain('Dry run')
    await dlq('drop', '--offset', '0', '--partition', '0', '--execute')
    expect(await list()).toMatchObject([{ count: 1 }])
    expect(await dlq('replay')).toContain('1 records to replay')
    expect(await list('--all')).toContainEqual(expect.objectContaining({ state: 'dropped' }))
  })
})
