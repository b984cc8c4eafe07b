/** Tests `sluice audit` on an installation whose tables and topics have been tampered with. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { spawn } from 'node:child_process'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { Kafka, logLevel } from 'kafkajs'
import { addAudit } from '../../../cli/program/add-audit.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import { freePort } from '../../../stack/ports.ts'
import { aDecision } from '../../support/builders.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createInstallation } from '../../support/installation.ts'
import type { Installation } from '../../support/installation.ts'
import { deleteRecords, produce, waitUntilConsumed } from '../../support/kafka.ts'
import { runCommand } from '../../support/run-command.ts'
import { services } from '../../support/services.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { createWriteDecisions } from './decisions-topic.ts'
import type { WriteDecisions } from './decisions-topic.ts'

type Report = Record<string, number> & {
  window: Record<string, unknown>
  missing_records: Record<string, unknown>[]
  prometheus?: Record<string, number>
}

let sluice: Installation
let topic: WriteDecisions
let decisions: Decision[]

/** Builds a decision that was received today, so that its day has a partition. */
const aRecentDecision = (changes: Partial<Decision> = {}): Decision =>
  aDecision({ received_at: Date.now(), ...changes })

beforeEach(async () => {
  sluice = await createInstallation()
  topic = await createWriteDecisions(sluice)
  decisions = [0, 1, 2, 3, 4].map(() => aRecentDecision())
})

/** Runs storage until it has consumed the topic. */
async function store(): Promise<void> {
  const storage = await sluice.start('storage')
  await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions)
  await storage.stop()
}

type Run = { output: string; errors: string; code: number | null }

/** Runs the command as a process and returns its output and exit code. */
async function run(...args: string[]): Promise<Run> {
  const child = spawn('node', ['cli/sluice.mjs', 'audit', ...args], { env: sluice.environment })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { output, errors, code: await ended }
}

/**
 * Runs the command in the test process and returns its JSON report. `run` covers the text output.
 */
async function audit(...args: string[]): Promise<Report & { code: number }> {
  const { environment } = sluice
  const { output, code } = await runCommand(addAudit, {
    args: ['audit', '--json', ...args],
    environment
  })
  return { ...(JSON.parse(output) as Report), code } as Report & { code: number }
}

async function change(statement: string, index: number): Promise<void> {
  const { organization_id, decision_id } = decisions[index] ?? aDecision()
  const where = 'where organization_id = $1 and decision_id = $2'
  await sluice.database.query(`${statement} ${where}`, [organization_id, decision_id])
}

const nothing = {
  ...{ stored: 0, duplicate: 0, conflict: 0, dead_lettered: 0, erased: 0, in_flight: 0 },
  missing: 0
}

describe('classification', () => {
  test('counts every outcome and exits with 0 if nothing is missing', async () => {
    const [first = aDecision()] = decisions
    await topic.write(...decisions, first, { ...first, output: 'another' })
    await topic.write({ value: Buffer.from('poison') }, { value: null })
    await store()
    await topic.write(aRecentDecision(), { value: topic.encode(aRecentDecision()), partition: 7 })
    const report = await audit()
    const counts = { stored: 5, duplicate: 1, conflict: 1, dead_lettered: 2, in_flight: 2 }
    expect(report).toMatchObject({ ...nothing, ...counts, offsets: 11, code: 0 })
    expect(Object.keys(report).slice(0, 9)).toEqual([
      ...['window', 'offsets', 'stored', 'duplicate', 'conflict', 'dead_lettered', 'erased'],
      ...['in_flight', 'missing']
    ])
    expect(report.window).toMatchObject({ topic: sluice.topics.decisions, absent_offsets: 0 })
    const { output, code } = await run()
    expect(output).toMatch(/^dead_lettered +2$/m)
    expect(code).toBe(0)
  })

  test('excludes messages outside the window', async () => {
    await topic.write(...decisions)
    expect(await audit('--to', '1h')).toMatchObject({ ...nothing, offsets: 0 })
    expect((await audit('--from', '1h', '--to', '2999-01-01'))['in_flight']).toBe(5)
    const { errors } = await run('--from', '1h', '--to', '2h')
    expect(errors).toContain('--from must be before --to')
  })

  test('warns that retention deleted messages of the window', async () => {
    await topic.write(...decisions)
    await store()
    await deleteRecords(sluice.topics.decisions, { partition: 0, before: 2n })
    const report = await audit()
    expect(report).toMatchObject({ offsets: 3, stored: 3, missing: 0 })
    expect(report.window['truncated_partitions']).toEqual([0])
    expect((await run()).output).toContain('Retention deleted the beginning of partition 0')
  })

  test('counts tombstones, erasure requests and dropped days as erased', async () => {
    await topic.write(...decisions)
    await store()
    const erased = "update decision_ids set fingerprint = '', erased_at = now()"
    await change(erased, 0)
    await change('delete from decisions', 0)
    const [, asked = aDecision()] = decisions
    await change('delete from decisions', 1)
    await change('delete from decision_ids', 1)
    await sluice.database.query(
      `insert into erasures (erasure_id, organization_id, scope, subject, received_until,
                             requested_by)
       values (gen_random_uuid(), $1, 'agent', $2, now(), 'test')`,
      [asked.organization_id, asked.agent_id]
    )
    // The decision was received 40 days ago, and its day partition has been dropped.
    await change("update decision_ids set received_at = now() - interval '40 days'", 2)
    await change('delete from decisions', 2)
    expect(await audit()).toMatchObject({ ...nothing, stored: 2, erased: 3, offsets: 5, code: 0 })
  })
})

describe('missing messages', () => {
  test('reports a missing row and a missing identity by offset, and exits with 1', async () => {
    await topic.write(...decisions)
    await store()
    await change('delete from decisions', 1)
    await change('delete from decisions', 3)
    await change('delete from decision_ids', 3)
    const report = await audit()
    expect(report).toMatchObject({ ...nothing, stored: 3, missing: 2, code: 1 })
    expect(report.missing_records).toEqual([
      expect.objectContaining({ partition: 0, offset: 1, why: 'row_gone' }),
      expect.objectContaining({ partition: 0, offset: 3, why: 'not_stored' })
    ])
    expect(report.missing_records[1]?.['decision_id']).toBe(decisions[3]?.decision_id)
    const { output, code } = await run()
    expect(output).toMatch(
      /^missing: partition 0 offset 3 .*reset the storage group to this offset$/m
    )
    expect(code).toBe(1)
  })

  test('reports a conflict and an undecodable message without dead-letter records', async () => {
    const [first = aDecision()] = decisions
    await topic.write(first, { ...first, output: 'another' }, { value: Buffer.from('poison') })
    await store()
    const partitions = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    expect(await audit()).toMatchObject({ conflict: 1, dead_lettered: 1, missing: 0, code: 0 })
    for (const partition of partitions) {
      await deleteRecords(sluice.topics.decisionsDeadLetter, { partition, before: -1n })
    }
    const report = await audit()
    expect(report).toMatchObject({ ...nothing, stored: 1, missing: 2, code: 1 })
    expect(report.missing_records.map(({ offset, why }) => [offset, why]).toSorted()).toEqual([
      [1, 'conflict_not_reported'],
      [2, 'undecodable_not_reported']
    ])
  })

  test('ignores dead-letter records of another group', async () => {
    await topic.write({ value: Buffer.from('poison') })
    await store()
    await deleteRecords(sluice.topics.decisionsDeadLetter, await findDeadLetter())
    await produce(sluice.topics.decisionsDeadLetter, [
      {
        value: Buffer.from('poison'),
        headers: {
          ...{ dead_letter_reason: 'undecodable', dead_letter_topic: sluice.topics.decisions },
          ...{ dead_letter_partition: '0', dead_letter_offset: '0' },
          dead_letter_group: sluice.groups.evaluation
        }
      }
    ])
    expect(await audit()).toMatchObject({ dead_lettered: 0, missing: 1, code: 1 })
  })

  async function findDeadLetter(): Promise<{ partition: number; before: bigint }> {
    const output = await sluice.sluice('dlq', 'list', '--json')
    const [group] = JSON.parse(output) as { example: { partition: number; offset: number } }[]
    if (group === undefined) throw new Error('dlq list returned no group')
    return { partition: group.example.partition, before: BigInt(group.example.offset) + 1n }
  }
})

test('stores a missing message after the group is reset to it, as the guide says', async () => {
  await topic.write(...decisions)
  await store()
  await change('delete from decisions', 2)
  await change('delete from decision_ids', 2)
  expect((await audit())['missing']).toBe(1)
  const admin = new Kafka({
    brokers: services().addresses.kafkaBrokers.split(','),
    logLevel: logLevel.NOTHING
  }).admin()
  await admin.connect()
  onEnd(() => admin.disconnect())
  const partitions = [{ partition: 0, offset: '2' }]
  await admin.setOffsets({
    groupId: sluice.groups.storage,
    topic: sluice.topics.decisions,
    partitions
  })
  await store()
  expect(await audit()).toMatchObject({ ...nothing, stored: 5, code: 0 })
})

test("compares its count with the gateways' count from Prometheus", async () => {
  await topic.write(...decisions)
  const asked: string[] = []
  const prometheus = createServer((request, response) => {
    asked.push(decodeURIComponent(request.url ?? ''))
    const result = [{ metric: {}, value: [0, '4.2'] }]
    response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }))
  })
  onEnd(async () => void prometheus.close())
  await new Promise<void>((resolve) => prometheus.listen(0, '127.0.0.1', resolve))
  const { port } = prometheus.address() as AddressInfo
  const report = await audit('--prometheus-url', `http://127.0.0.1:${port}`)
  expect(report.prometheus).toEqual({ queued: 4, difference: 1 })
  expect(asked[0]).toContain('sum(increase(sluice_ingest_outcomes_total{outcome="queued"}[3600s]))')
})

test('repeats the audit with --every and publishes missing records as a metric', async () => {
  await topic.write(...decisions)
  await store()
  const port = await freePort()
  const child = spawn('node', ['cli/sluice.mjs', 'audit', '--every', '1s'], {
    env: { ...sluice.environment, MANAGEMENT_HOST: '127.0.0.1', MANAGEMENT_PORT: `${port}` }
  })
  onEnd(async () => child.kill('SIGKILL'))
  let log = ''
  child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()))
  const exited = new Promise((resolve) => child.once('close', resolve))
  const metric = async (name: string): Promise<number> => {
    const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return Number(new RegExp(`^${name} (.+)$`, 'm').exec(page)?.[1])
  }
  await waitUntil(
    'the first audit is done',
    async () => (await metric('sluice_audit_last_success_timestamp_seconds')) > 0
  )
  expect(await metric('sluice_audit_missing_records')).toBe(0)
  await change('delete from decisions', 4)
  await waitUntil(
    'the missing record is counted',
    async () => (await metric('sluice_audit_missing_records')) === 1
  )
  // Metrics and logs arrive independently, so the metric may arrive first.
  await waitUntil('the log has the reason', () => log.includes('"why":"row_gone"'))
  child.kill('SIGTERM')
  expect(await exited).toBe(0)
}, 60_000)
