/** Tests that ledgers can be checked again with their saved evidence. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { writeEvidence } from '../../../faults/storage/evidence.ts'
import { foldersIn, checkFolder, runningOf } from '../../../faults/storage/check-folder.ts'
import { createLedgerFile } from '../../../faults/storage/ledger-file.ts'

const identity = 'org/decision'
const receivedAt = Date.UTC(2026, 10, 21)
const found = { identity, fingerprint: 'f', receivedAt }
let root = ''

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-fault-check-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** Writes the evidence of a run that sent one decision, with or without the decision's row. */
function writeRun(name: string, hasRow: boolean): void {
  const folder = join(root, name)
  const ledger = createLedgerFile(folder)
  ledger.write({ line: 'run', fault: name, decisionsTopic: 'd', deadLetterTopic: 'l' })
  const sample = { decisionId: 'decision', kind: 'good', text: '', fingerprint: 'f' } as const
  ledger.attemptsOf('org').record(sample, { kind: 'acknowledged', status: 202, code: '' })
  ledger.write({ line: 'committed', partition: 0, offset: 1 })
  const record = { ...found, partition: 0, offset: 0, poisonId: null, hash: 'h' }
  const rows = hasRow ? [{ ...found, table: 'decisions_20261121' }] : []
  writeEvidence(folder, { records: [record], deadLetters: [], rows })
}

test('checks each ledger with the evidence next to it', async () => {
  writeRun('whole', true)
  writeRun('lossy', false)
  mkdirSync(join(root, 'something else'))
  writeFileSync(join(root, 'notes.txt'), '')
  const folders = foldersIn(root)
  expect(folders).toEqual([join(root, 'lossy'), join(root, 'whole')])
  const [lossy, whole] = await Promise.all(folders.map((folder) => checkFolder(folder, null)))
  expect(whole).toMatchObject({ fault: 'whole', broken: {} })
  expect(lossy).toMatchObject({ fault: 'lossy', broken: { missingFromTable: [identity] } })
})

test('accepts the folder of a single ledger', () => {
  writeRun('whole', true)
  expect(foldersIn(join(root, 'whole'))).toEqual([join(root, 'whole')])
})

test('reads running services if both addresses are set', () => {
  const running = { brokers: 'b:1', databaseUrl: 'postgres://x' }
  expect(runningOf({ KAFKA_BROKERS: 'b:1', DATABASE_URL: 'postgres://x' })).toEqual(running)
  expect(runningOf({ KAFKA_BROKERS: 'b:1' })).toBeNull()
})
