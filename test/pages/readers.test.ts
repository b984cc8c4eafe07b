/** Tests that the programs in deploy/readers store each decision once and exactly as sent. */
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, jest, test } from '@jest/globals'
import { decisionContract } from '../../schemas/index.ts'
import type { Application } from '../support/application.ts'
import { AvroReader } from '../support/avro-reader.ts'
import { onEnd } from '../support/cleanup.ts'
import { clientOf, createInstallation } from '../support/installation.ts'
import type { Installation, Tenant } from '../support/installation.ts'
import { committedOffsets, produce, readAll, waitUntilConsumed } from '../support/kafka.ts'
import { findReaderPython, hasKcat, readersFolder } from '../support/reader-tools.ts'

jest.setTimeout(9 * 60_000)
const run = promisify(execFile)
const bin = await findReaderPython()
const isKcatThere = hasKcat()
if (bin === null) process.stderr.write('Without it the readers in Python are not run.\n')
if (!isKcatThere) process.stderr.write('No kcat here: it is not run.\n')
const describeWithPython = bin === null ? describe.skip : describe
const testWithKcat = isKcatThere ? test : test.skip

/** JSON text that many libraries would change. */
const delicate =
  '{"large":12345678901234567890,"huge":1e400,"exp":1E+2,"zero":-0.0,"one":1.0,"twice":1,' +
  '"twice":2,"escaped":"\\u0041\\u2028\\/","plain":"\u2028\u00e9e\u0301\u{1f600}",' +
  '"nul":"\\u0000","":"",' +
  `"__proto__":null, "deep":${'['.repeat(60)}${']'.repeat(60)}}`
const metadata = `{ "b":1.0, "a":{"deep":${'{"d":'.repeat(58)}-0${'}'.repeat(58)}}, "model":"x" }`
const output = 'a line\nand "another"\u0000\u2028\u{1f600} e\u0301, \\u0041'
const sent = {
  decision_id: '0199c5a8-7f00-7000-8000-00000000000a',
  agent_id: 'agênt \u{1f600}, "quoted"=1',
  session_id: ' ',
  input_tokens: Number.MAX_SAFE_INTEGER,
  output_tokens: 0
}
const said = JSON.stringify({ ...sent, output }).slice(0, -1)
const body = `${said},"input":${delicate},"metadata":${metadata}}`

const folder = mkdtempSync(join(tmpdir(), 'sluice-readers-'))
onEnd(async () => rmSync(folder, { recursive: true, force: true }))
let sluice: Installation
let tenant: Tenant
let gateway: Application
let environment: NodeJS.ProcessEnv

beforeAll(async () => {
  sluice = await createInstallation()
  tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
  ;[gateway] = await Promise.all([
    sluice.start('gateway'),
    sluice.start('storage'),
    sluice.start('evaluation')
  ])
  const { KAFKA_BROKERS, SCHEMA_REGISTRY_URL, DECISIONS_TOPIC, EVALUATIONS_TOPIC } =
    sluice.environment
  environment = {
    ...{ PATH: [bin ?? '', process.env['PATH']].join(':'), TZ: 'Asia/Kathmandu' },
    ...{ KAFKA_BROKERS, SCHEMA_REGISTRY_URL, DECISIONS_TOPIC, EVALUATIONS_TOPIC }
  }
  await post(body)
  const client = clientOf(gateway, tenant)
  await client.accept({ input: null, output: '', agent_id: 'plain' })
  await client.accept({ input: 1, output: 'x' })
  await waitUntilConsumed(sluice.groups.evaluation, sluice.topics.decisions)
  await waitUntilConsumed(sluice.groups.storageOfEvaluations, sluice.topics.evaluations)
})

async function post(text: string): Promise<void> {
  const headers = {
    ...{ authorization: `Bearer ${tenant.api_key}`, 'content-type': 'application/json' }
  }
  const answer = await fetch(`${gateway.url}/v1/ingest`, { method: 'POST', headers, body: text })
  if (answer.status !== 202) throw new Error(`answered ${answer.status}: ${await answer.text()}`)
}

async function recordOfSent() {
  const records = await readAll(sluice.topics.decisions)
  const found = records.find(({ headers }) => headers['decision_id'] === sent.decision_id)
  if (found === undefined) throw new Error('what was sent is not on the topic')
  return found
}

test('sluice tail prints the decision as sent', async () => {
  const line = await sluice.sluice('tail', '--decision', sent.decision_id)
  expect(line).toContain(`"input":${delicate},`)
  expect(line).toContain(`"metadata":${metadata}`)
  expect(JSON.parse(line)).toMatchObject({ ...sent, output })
})

testWithKcat('kcat reads the bytes of the value, the key and the headers', async () => {
  const { partition, offset, value } = await recordOfSent()
  const kcat = async (format: string): Promise<Buffer> => {
    const where = ['-b', environment['KAFKA_BROKERS'] ?? '', '-t', sluice.topics.decisions]
    const which = ['-p', String(partition), '-o', String(offset), '-c', '1', '-q', '-e']
    const args = ['-C', ...where, ...which, '-f', format]
    return (await run('kcat', args, { encoding: 'buffer', env: environment })).stdout
  }
  const bytes = await kcat('%s')
  expect(bytes.equals(value ?? Buffer.alloc(0))).toBe(true)
  const decision = new AvroReader(bytes.subarray(5)).read(decisionContract.schema)
  expect(decision).toMatchObject({ ...sent, output, input: delicate, metadata })
  const ids = `decision_id=${sent.decision_id},organization_id=${tenant.organization_id}`
  expect((await kcat('%k|%h')).toString()).toBe(`${sent.agent_id}|${ids}`)
})

interface Reader {
  /** Stops the reader gracefully, and resolves with its stderr output. */
  stop(): Promise<string>
}

function startReader(file: string, groupId: string): Reader {
  const child = spawn('python', [join(readersFolder, 'read_topics.py'), file], {
    env: { ...environment, GROUP_ID: groupId },
    stdio: ['ignore', 'inherit', 'pipe']
  })
  onEnd(async () => child.kill('SIGKILL'))
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  let complaints = ''
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()))
  return {
    stop: async () => {
      child.kill('SIGTERM')
      expect({ code: await exited, complaints }).toMatchObject({ code: 0 })
      return complaints
    }
  }
}

function rowsOf(file: string, query: string): unknown[] {
  const database = new DatabaseSync(file)
  try {
    return database.prepare(query).all()
  } finally {
    database.close()
  }
}

async function readUntilCommitted(file: string, groupId: string): Promise<string> {
  const reader = startReader(file, groupId)
  await waitUntilConsumed(groupId, sluice.topics.decisions, 60_000)
  await waitUntilConsumed(groupId, sluice.topics.evaluations, 60_000)
  return await reader.stop()
}

describeWithPython('the Python reader', () => {
  const file = join(folder, 'decisions.db')
  const count = (table: string): unknown => rowsOf(file, `select count(*) as n from ${table}`)[0]

  test('stores the decision as sent, with its evaluation', async () => {
    expect(await readUntilCommitted(file, `${sluice.groups.storage}-python`)).toBe('')
    const [row] = rowsOf(file, `select * from decisions where agent_id like 'ag%'`)
    expect(row).toMatchObject({
      ...sent,
      ...{ organization_id: tenant.organization_id, domain: null },
      ...{ input: delicate, output, metadata, received_at: expect.stringMatching(/\+00:00$/) }
    })
    expect(count('decisions')).toEqual({ n: 3 })
    const scored = rowsOf(
      file,
      `select distinct decision_id, status from decision_scores where score is not null`
    )
    expect(scored).toHaveLength(3)
  })

  test('treats the latest run of a rule and evaluator as current, in any order', () => {
    const database = new DatabaseSync(join(folder, 'runs.db'))
    const tables = readFileSync(join(readersFolder, 'tables.sql'), 'utf8')
    database.exec(tables)
    const insert = database.prepare(
      `insert into runs values ('o', 'd', ?, ?, ?, ?, 'judge', ?, ?, 'succeeded', null, '', null,
        null, '', '[]')`
    )
    insert.run('replayed', 'new name', 'id', 'tone', 1, 1)
    insert.run('late', 'old name', 'id', 'tone', 2, 0)
    insert.run('one', 'push', 'push', 'tone', 0, 0)
    insert.run('other', 'push', 'push', 'tone', 0, 0)
    const current = database.prepare('select run_id from current_runs order by run_id').all()
    expect(current.map((row) => row['run_id'])).toEqual(['one', 'other', 'replayed'])
    database.close()
  })

  test('stores a record once, even if it is written or read twice', async () => {
    const { key, value, headers, partition } = await recordOfSent()
    await produce(sluice.topics.decisions, [{ key, value, headers, partition }])
    const before = [count('decisions'), count('runs')]
    await readUntilCommitted(file, `${sluice.groups.storage}-second`)
    expect([count('decisions'), count('runs')]).toEqual(before)
  })

  test('stores an unreadable record with its bytes, and reads the next one', async () => {
    const { value } = await recordOfSent()
    const good = value ?? Buffer.alloc(0)
    const unknown = Buffer.from(good)
    unknown.writeUInt32BE(2_000_000_000, 1)
    // The timestamp follows two ids of 37 bytes each. These bytes encode the largest Avro long.
    const time = Buffer.from('feffffffffffffffff01', 'hex')
    const never = Buffer.concat([good.subarray(0, 79), time, good.subarray(85)])
    const [{ value: ofOther } = { value: null }] = await readAll(sluice.topics.evaluations)
    const poison = [Buffer.from('poison'), good.subarray(0, 90), unknown, null, never, ofOther]
    const client = clientOf(gateway, tenant)
    await produce(
      sluice.topics.decisions,
      poison.map((each) => ({ value: each, partition: 0 }))
    )
    await client.accept({ input: 'behind', output: 'poison', agent_id: 'behind' })
    await readUntilCommitted(file, `${sluice.groups.storage}-python`)
    const unreadable = rowsOf(file, `select value, error from unreadable order by "offset"`)
    const kept = unreadable.map((row) => {
      const { value: bytes } = row as { value: Uint8Array | null }
      return bytes === null ? null : Buffer.from(bytes)
    })
    expect(kept).toEqual(poison)
    expect(rowsOf(file, `select 1 from decisions where agent_id = 'behind'`)).toHaveLength(1)
  })

  test('exits if the registry is unavailable, and skips no record', async () => {
    const groupId = `${sluice.groups.storage}-away`
    const args = [join(readersFolder, 'read_topics.py'), join(folder, 'away.db')]
    const env = { ...environment, GROUP_ID: groupId, SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1' }
    await expect(run('python', args, { env })).rejects.toMatchObject({ code: 1 })
    const committed = await committedOffsets(groupId, sluice.topics.decisions)
    expect([...committed.values()].filter((offset) => offset > 0n)).toEqual([])
    expect(rowsOf(join(folder, 'away.db'), 'select * from unreadable')).toEqual([])
  })

  test('deletes exactly the erased decisions', async () => {
    const target = ['--organization', tenant.organization_id, '--decision', sent.decision_id]
    const record = ['--execute', '--reason', 'asked', '--by', 'Ana']
    await sluice.sluice('erase', ...target, ...record)
    const session = await clientOf(gateway, tenant).accept({
      ...{ input: 1, output: '', session_id: 'gone', agent_id: 'other' }
    })
    await readUntilCommitted(file, `${sluice.groups.storage}-python`)
    const subject = ['--organization', tenant.organization_id, '--session', 'gone']
    await sluice.sluice('erase', ...subject, ...record)
    const list = join(folder, 'erasures.json')
    writeFileSync(list, await sluice.sluice('erase', '--list', '--json'))
    const all = rowsOf(file, 'select decision_id from decisions')
    const script = join(readersFolder, 'forget.py')
    await run('bash', ['-c', `python "${script}" "${file}" < "${list}"`], { env: environment })
    const left = rowsOf(file, 'select decision_id from decisions')
    const gone = [sent.decision_id, session]
    expect(left).toEqual(
      all.filter((row) => !gone.includes((row as { decision_id: string }).decision_id))
    )
    expect(left).toHaveLength(all.length - 2)
    const runs = rowsOf(file, `select 1 from runs where decision_id in ('${gone.join("','")}')`)
    expect(runs).toEqual([])
  })
})

describeWithPython('DuckDB', () => {
  async function duckdb(query: string): Promise<unknown> {
    const program =
      'import duckdb, json, sys; print(json.dumps(duckdb.sql(sys.argv[1]).fetchall()))'
    const { stdout } = await run('python', ['-c', program, query], {
      ...{ cwd: folder, env: environment }
    })
    return JSON.parse(stdout) as unknown
  }

  test('reads lines and cells of an export exactly, and members of a line as values', async () => {
    await post(body.replace(sent.decision_id, '0199c5a8-7f00-7000-8000-00000000000b'))
    await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions)
    const { body: session } = await clientOf(gateway, tenant).login(tenant.email, tenant.password)
    for (const format of ['ndjson', 'csv']) {
      const from = `${gateway.url}/v1/decisions/export?format=${format}&csv_safe=false&agent_id=`
      const answer = await fetch(from + encodeURIComponent(sent.agent_id), {
        headers: { authorization: `Bearer ${String(session['access_token'])}` }
      })
      writeFileSync(join(folder, `day.${format}`), await answer.text())
    }
    const [[line]] = (await duckdb(`select json from read_ndjson_objects('day.ndjson')`)) as [
      [string]
    ]
    expect(line).toContain(`"input":${delicate}`.replaceAll(', "', ',"'))
    const cells = `select input, output, metadata, session_id from read_csv('day.csv',
      all_varchar = true, allow_quoted_nulls = false)`
    expect(await duckdb(cells)).toEqual([[delicate, output, metadata, sent.session_id]])
    const members = `select input ->> '$.large', input ->> '$.huge', output, input_tokens
      from read_ndjson('day.ndjson',
        columns = {input: 'json', output: 'varchar', input_tokens: 'bigint'})`
    expect(await duckdb(members)).toEqual([
      ['12345678901234567890', '1e400', output, sent.input_tokens]
    ])
  })
})
