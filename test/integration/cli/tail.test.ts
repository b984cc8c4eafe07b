/** Tests `sluice tail` on topics: exact lines, filters, and a quiet exit. */
import { execFile, spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { aDecision } from '../../support/builders.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createInstallation } from '../../support/installation.ts'
import type { Installation } from '../../support/installation.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { createWriteDecisions } from './decisions-topic.ts'
import type { WriteDecisions } from './decisions-topic.ts'

type Line = Record<string, unknown>

const exact = '{"n": 12345678901234567890,\n "f":1e400, "__proto__":1}'
const first = aDecision({ input: exact, metadata: '{ "b":1.0,"a":2 }', agent_id: 'one' })
const second = aDecision({ agent_id: 'two', session_id: 'other', output: 'line\nbreak\u0000' })
let sluice: Installation
let topic: WriteDecisions

beforeAll(async () => {
  sluice = await createInstallation()
  topic = await createWriteDecisions(sluice)
  await topic.write(first, { value: Buffer.from('poison'), key: null }, second)
})

async function tail(...args: string[]): Promise<string[]> {
  const said = await sluice.sluice('tail', ...args)
  return said.split('\n').slice(0, -1)
}

async function tailed(...args: string[]): Promise<Line[]> {
  return (await tail(...args)).map((line) => JSON.parse(line) as Line)
}

describe('a line', () => {
  test('has the position and the fields of a decision, with its payload unchanged', async () => {
    const [line = ''] = await tail()
    expect(line).toContain('"input":{"n":12345678901234567890,"f":1e400,"__proto__":1}')
    expect(line).toContain('"metadata":{ "b":1.0,"a":2 }')
    expect(JSON.parse(line)).toMatchObject({
      partition: 0,
      offset: 0,
      key: 'one',
      decision_id: first.decision_id,
      received_at: '2025-01-15T12:00:00.000Z',
      output: first.output
    })
  })

  test('reports an undecodable record and continues with the next', async () => {
    const lines = await tailed()
    expect(lines).toHaveLength(3)
    expect(lines[1]).toMatchObject({ offset: 1, key: null, value_bytes: 6 })
    expect(lines[1]?.['error']).toMatch(/^wrong_wire_format: /)
    expect(lines[2]).toMatchObject({ offset: 2, output: 'line\nbreak\u0000' })
  })

  test('omits the payload with --no-payload', async () => {
    const [line = {}] = await tailed('--no-payload')
    expect(Object.keys(line)).toContain('agent_id')
    expect(Object.keys(line)).not.toEqual(expect.arrayContaining(['input']))
    expect(line).not.toHaveProperty('output')
    expect(line).not.toHaveProperty('metadata')
  })
})

describe('selection', () => {
  test.each([
    ['--agent', 'one', [0]],
    ['--session', 'other', [2]],
    ['--organization', first.organization_id.toUpperCase(), [0]],
    ['--decision', second.decision_id, [2]],
    ['--reason', 'undecodable', []],
    ['--last', '1', [2]],
    ['--limit', '2', [0, 1]],
    ['--since', '1h', [0, 1, 2]],
    ['--since', '2999-01-01', []]
  ])('%s %s', async (option, value, offsets) => {
    const lines = await tailed(option, value)
    expect(lines.map(({ offset }) => offset)).toEqual(offsets)
  })

  test('rejects a missing topic without creating it', async () => {
    await expect(tail('--topic', 'nowhere')).rejects.toThrow('topic nowhere does not exist')
    await expect(tail('--topic', 'constructor')).rejects.toThrow('topic constructor does not exist')
  })

  test('prints evaluations with their runs', async () => {
    await sluice.start('evaluation')
    const evaluations = await waitUntil('both are evaluated', async () => {
      const lines = await tailed('--topic', 'evaluations')
      return lines.length === 2 && lines
    })
    expect(evaluations[0]).toMatchObject({ agent_id: expect.any(String), runs: expect.any(Array) })
    const deadLetters = await tailed('--topic', 'dead-letters', '--reason', 'wrong_wire_format')
    expect(deadLetters[0]).toMatchObject({
      dead_letter: { reason: 'wrong_wire_format', step: 'decode', partition: 0, offset: 1 },
      value_bytes: 6
    })
  })
})

describe('ending', () => {
  test('--follow prints new records and stops gracefully on a signal', async () => {
    const child = spawn('node', ['cli/sluice.mjs', 'tail', '--follow', '--last', '1'], {
      env: sluice.environment,
      stdio: ['ignore', 'pipe', 'pipe']
    })
    onEnd(async () => child.kill('SIGKILL'))
    const exited = new Promise((resolve) => child.once('exit', resolve))
    let seen = ''
    child.stdout.on('data', (chunk: Buffer) => (seen += chunk.toString()))
    const errors = text(child.stderr)
    await waitUntil('the last one is printed', () => seen.includes(second.decision_id))
    const later = aDecision()
    await topic.write({ value: topic.encode(later), partition: 5 })
    await waitUntil('the next one is printed', () => seen.includes(later.decision_id))
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
    expect(await errors).toBe('')
  })

  test('exits quietly when the reader closes the pipe', async () => {
    const large = Array.from({ length: 20 }, () => aDecision({ output: 'x'.repeat(100_000) }))
    await topic.write(...large)
    const command = 'set -o pipefail; node cli/sluice.mjs tail --from-beginning | head -1'
    const run = promisify(execFile)('bash', ['-c', command], { env: sluice.environment })
    const { stdout, stderr } = await run
    expect(stdout).toContain(first.decision_id)
    expect(stderr).toBe('')
  })
})
