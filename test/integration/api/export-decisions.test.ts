/** Tests GET /v1/decisions/export over HTTP with a real database: exact texts in NDJSON and CSV,
 * escaping for spreadsheets, access and failures.
 */
import { request } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { beforeAll, expect, test } from '@jest/globals'
import type { Decision } from '../../../core/decision/decision.ts'
import { withoutSpace } from '../../../core/json/without-space.ts'
import { aDecision } from '../../support/builders.ts'
import { delicateValues } from '../../support/exactness/corpora.ts'
import { createScene, storeDecision } from './scene.ts'
import type { Scene } from './scene.ts'

let scene: Scene
const start = Date.UTC(2026, 0, 10)
const span = 'from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z'

beforeAll(async () => {
  scene = await createScene()
})

interface Exported {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly trailers: NodeJS.Dict<string>
  readonly body: Buffer
  readonly text: string
}

/** Reads an export with its trailers, which `fetch` does not expose. */
function read(query: string, headers: Record<string, string> = {}): Promise<Exported> {
  return new Promise((resolve, reject) => {
    const asking = request(
      `${scene.url}/v1/decisions/export?${query}`,
      { headers: { authorization: `Bearer ${scene.token}`, ...headers } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const body = Buffer.concat(chunks)
          const { statusCode: status = 0, headers: heads, trailers } = response
          resolve({ status, headers: heads, trailers, body, text: body.toString('utf8') })
        })
      }
    )
    asking.on('error', reject)
    asking.end()
  })
}

async function store(overrides: Partial<Decision> = {}): Promise<Decision> {
  const decision = aDecision({
    ...{ organization_id: scene.organizationId, received_at: start, agent_id: 'other' },
    output: '"fine"',
    ...overrides
  })
  await storeDecision(scene.database, decision)
  return decision
}

function linesOf(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

/** Parses CSV as RFC 4180 defines it, independently of the code under test. */
function recordsOf(csv: string): (string | null)[][] {
  const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n|$)/gy
  const records: (string | null)[][] = [[]]
  for (const [all, text = '', end] of csv.matchAll(cell)) {
    if (all === '') break
    const value = text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text
    records.at(-1)?.push(text === '' ? null : value)
    if (end === '\r\n') records.push([])
  }
  return records.slice(0, -1)
}

test('exports all values as sent in NDJSON, without whitespace between tokens', async () => {
  const sent = []
  for (const [index, value] of delicateValues.entries()) {
    const metadata = `{ "kept" : ${value} }`
    const received_at = start + index
    sent.push(await store({ agent_id: 'exact', input: value, metadata, received_at }))
  }
  const { status, headers, trailers, text } = await read(`${span}&agent_id=exact`)
  expect([status, headers['content-type']]).toEqual([200, 'application/x-ndjson; charset=utf-8'])
  expect(headers['content-disposition']).toBe('attachment; filename="decisions.ndjson"')
  expect(trailers).toEqual({ 'sluice-rows': String(sent.length) })
  const lines = text.split('\n').filter((line) => line !== '')
  expect(lines).toHaveLength(sent.length)
  for (const [index, { input, output, metadata, decision_id }] of sent.toReversed().entries()) {
    const line = lines[index] ?? ''
    expect(line).toContain(`"decision_id":"${decision_id}"`)
    expect(line).toContain(`"input":${withoutSpace(input)},"output":${output},`)
    expect(line).toContain(`"metadata":${withoutSpace(metadata ?? '')},`)
    expect(() => JSON.parse(line) as unknown).not.toThrow()
  }
})

test('exports texts as sent in CSV, and distinguishes absent from empty texts', async () => {
  const texts = ['', '=1+1', 'a,"b"\r\nc\nd\re', '\u0000😀', ' x ', "'"]
  for (const [index, text] of texts.entries()) {
    const output = JSON.stringify(text)
    await store({ agent_id: 'csv', output, domain: null, received_at: start + index })
  }
  const query = `${span}&agent_id=csv&format=csv&csv_safe=false`
  const { headers, text } = await read(query)
  expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present')
  const [head = [], ...records] = recordsOf(text)
  expect(head.slice(0, 5)).toEqual(['decision_id', 'received_at', 'stored_at', 'input', 'output'])
  const column = (name: string) => records.map((record) => record[head.indexOf(name)])
  expect(column('output')).toEqual(texts.toReversed().map((each) => each))
  expect(column('domain')).toEqual(texts.map(() => null))
  expect(column('evaluation_status')).toEqual(texts.map(() => 'pending'))
})

test('escapes texts in CSV that a spreadsheet would run, unless disabled', async () => {
  const formulas = ['=1', '+1', '-1', '@a', '\ta', '\ra']
  for (const [index, text] of formulas.entries()) {
    const decision = {
      input: '-5',
      output: JSON.stringify(text),
      session_id: text,
      input_tokens: 5
    }
    await store({ agent_id: 'formula', ...decision, received_at: start + index })
  }
  const query = `${span}&agent_id=formula&format=csv&fields=input,output,session_id,input_tokens`
  const rowsOf = (quote: string) => {
    return formulas
      .toReversed()
      .map((text) => [...[`${quote}-5`, `${quote}${text}`, `${quote}${text}`, '5']])
  }
  expect(recordsOf((await read(query)).text).slice(1)).toEqual(rowsOf("'"))
  expect(recordsOf((await read(`${query}&csv_safe=true`)).text).slice(1)).toEqual(rowsOf("'"))
  expect(recordsOf((await read(`${query}&csv_safe=false`)).text).slice(1)).toEqual(rowsOf(''))
})

test('exports only the requested fields, with the evaluation', async () => {
  const stored = await store({ agent_id: 'fields', output: '"x"' })
  const { decision_id } = stored
  const received_at = new Date(stored.received_at)
  await scene.database.query(
    `insert into evaluations (organization_id, decision_id, received_at, status, verdict,
                                    scores, counted)
     values ($1, $2, $4, 'evaluated', 'pass', $3, '{}')`,
    [
      scene.organizationId,
      decision_id,
      '{"a": {"value": 1, "label": null, "passed": true}}',
      received_at
    ]
  )
  const query = `${span}&agent_id=fields&fields=output,evaluation`
  expect(linesOf((await read(query)).text)).toEqual([
    {
      output: 'x',
      evaluation: {
        status: 'evaluated',
        verdict: 'pass',
        scores: { a: { value: 1, label: null, passed: true } }
      }
    }
  ])
})

test('exports each decision once over several pages, and compresses on request', async () => {
  await scene.database.query(
    `insert into decisions (organization_id, decision_id, received_at, input, output, agent_id)
     select $1, gen_random_uuid(), $2::timestamptz - (n / 3) * interval '1 hour', '1', '"x"', 'many'
       from generate_series(1, 1700) n`,
    [scene.organizationId, new Date(start)]
  )
  const wide = 'from=2025-12-01T00:00:00Z&to=2026-02-01T00:00:00Z&agent_id=many'
  const { body, headers, trailers } = await read(`${wide}&fields=decision_id`, {
    'accept-encoding': 'br, gzip;q=0.5'
  })
  expect(headers['content-encoding']).toBe('gzip')
  const ids = linesOf(gunzipSync(body).toString('utf8')).map((row) => row['decision_id'])
  expect([ids.length, new Set(ids).size, trailers['sluice-rows']]).toEqual([1700, 1700, '1700'])
  const plain = await read(`${wide}&fields=decision_id`, { 'accept-encoding': 'gzip;q=0' })
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(linesOf(plain.text).map((row) => row['decision_id'])).toEqual(ids)
})

test('splits large texts into chunks and exports them whole', async () => {
  const large = JSON.stringify('漢'.repeat(500_000))
  for (let index = 0; index < 6; index++) {
    await store({ agent_id: 'large', input: large, received_at: start + index })
  }
  const { text, trailers } = await read(`${span}&agent_id=large&fields=input`)
  expect(trailers['sluice-rows']).toBe('6')
  expect(text.split('\n').filter((line) => line === `{"input":${large}}`)).toHaveLength(6)
})

test('cuts the connection if an export fails in the middle', async () => {
  await scene.database.query(
    `insert into decisions (organization_id, decision_id, received_at, input, output, agent_id)
     select $1, gen_random_uuid(), $2::timestamptz - n * interval '1 second', '1', '"x"', 'cut'
       from generate_series(1, 2000) n`,
    [scene.organizationId, new Date(start)]
  )
  // The policy makes Postgres fail in the middle of the export.
  await scene.database.query(
    `alter table decisions add column if not exists broken boolean;
     create policy broken on decisions as restrictive for select to sluice_reader
       using (agent_id is distinct from 'cut' or received_at > '2026-01-09T23:45:00Z'
              or 1 / (octet_length(output) - 3) > 0)`
  )
  const cut = await read(`${span}&agent_id=cut`).then(
    () => 'whole',
    (error: NodeJS.ErrnoException) => error.code
  )
  await scene.database.query('drop policy broken on decisions')
  expect(cut).toBe('ECONNRESET')
  expect((await read(`${span}&agent_id=cut`)).trailers['sluice-rows']).toBe('2000')
})

test('exports nothing to another organization, and rejects viewers', async () => {
  const foreign = { authorization: `Bearer ${scene.foreignToken}` }
  expect((await read(span, foreign)).text).toBe('')
  const viewer = { authorization: `Bearer ${scene.tokenAs('viewer')}` }
  const { status, text } = await read(span, viewer)
  expect([status, JSON.parse(text)]).toEqual([
    ...[403, expect.objectContaining({ code: 'role_missing' })]
  ])
})

test.each([
  ...['format=xml', 'fields=', 'fields=input,', 'fields=input,secret', 'csv_safe=maybe'],
  ...['from=yesterday', 'cursor=x', 'agent_id=%00', 'limit=3']
])('refuses %s', async (query) => {
  const { status, text } = await read(query)
  expect([status, JSON.parse(text)]).toEqual([
    ...[422, expect.objectContaining({ code: 'invalid_query' })]
  ])
})
