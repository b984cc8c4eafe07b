/** Tests that no draft causes a 500: each draft is accepted or rejected, and a 422 has pointers. */
import { beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createScene } from './scene.ts'
import type { Scene } from './scene.ts'

const root = '/v1/evaluation'
let scene: Scene
beforeAll(async () => {
  scene = await createScene()
})

const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('\u0000', '\ud800', '__proto__', 'constructor', '', 'default', 'output_not_empty')
)
const odd = fc.oneof(
  oddText,
  fc.constantFrom(null, true, 0, -1, 1.5, 1e308, -0, 2 ** 53, [], {}),
  fc.jsonValue({ maxDepth: 4 })
)

/** Generates a valid value most of the time, and sometimes an arbitrary one. */
function mostly<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 8, arbitrary }, { weight: 1, arbitrary: odd })
}

function drafts(members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  const record = fc.record(members, { requiredKeys: [] })
  const extended = fc
    .tuple(record, oddText, odd)
    .map(
      ([draft, name, value]) =>
        JSON.parse(
          `${JSON.stringify(draft).slice(0, -1)}${
            Object.keys(draft).length === 0 ? '' : ','
          }${JSON.stringify(name)}:${JSON.stringify(value)}}`
        ) as unknown
    )
  return fc.oneof({ weight: 8, arbitrary: record }, { weight: 2, arbitrary: extended })
}

const config = fc.oneof(
  fc.record({
    check: fc.constantFrom('length', 'not_empty', 'language', 'token_budget', 'complete'),
    max: mostly(fc.nat()),
    unit: mostly(fc.constantFrom('characters', 'words'))
  }),
  fc.record({
    pattern: mostly(fc.stringMatching(/^[a-z()[\]|*+?\\^$.{}0-9]{0,12}$/)),
    target: mostly(fc.constantFrom('output', 'input', 'metadata.a')),
    must_match: mostly(fc.boolean())
  }),
  fc.record({
    schema: mostly(fc.record({ type: odd, $ref: oddText, pattern: oddText, properties: odd })),
    target: mostly(fc.constant('output'))
  }),
  fc.record({
    method: mostly(fc.constantFrom('exact', 'numeric', 'levenshtein', 'json_diff')),
    reference: mostly(fc.constant('metadata.expected')),
    threshold: odd
  }),
  fc.record({
    ...{ connection_id: oddText, model: oddText, prompt: mostly(fc.constant('{{output}}')) },
    scale: mostly(fc.record({ type: fc.constantFrom('rubric', 'choice'), min: odd, labels: odd }))
  }),
  fc.constant({})
)

const names = fc.uuid().map((id) => `d${id}`)

const evaluator = drafts({
  name: mostly(names),
  kind: mostly(
    fc.constantFrom('heuristic', 'regex', 'json_schema', 'similarity', 'llm_judge', 'external')
  ),
  description: mostly(fc.constant('what it is')),
  config: mostly(config),
  output: mostly(
    fc.record(
      { name: oddText, data_type: odd, labels: odd, pass: odd, threshold: odd, min: odd },
      { requiredKeys: [] }
    )
  ),
  timeout_ms: mostly(fc.nat(2000)),
  self_test: mostly(fc.boolean())
})

const evaluators = mostly(
  fc.oneof(
    fc.constant([{ evaluator_id: 'output_not_empty' }]),
    fc.array(fc.record({ evaluator_id: oddText, version: odd }, { requiredKeys: [] }))
  )
)

const terms = {
  enabled: mostly(fc.boolean()),
  match: mostly(
    fc.record(
      {
        domains: mostly(fc.constant(['a*'])),
        session_ids: mostly(fc.constant(['*'])),
        metadata: mostly(fc.dictionary(oddText, mostly(fc.constant(['x']))))
      },
      { requiredKeys: [] }
    )
  ),
  sampling: mostly(fc.record({ rate: mostly(fc.double({ min: 0, max: 1, noNaN: true })) })),
  budget: mostly(fc.record({ usd_per_day: mostly(fc.nat()), calls_per_day: odd })),
  ttl_seconds: mostly(fc.integer({ min: 60, max: 1000 })),
  max_attempts: mostly(fc.integer({ min: 1, max: 50 }))
}

const rule = fc
  .tuple(names, evaluators, drafts(terms))
  .map(([name, named, draft]) => ({ name, evaluators: named, ...(draft as object) }))

const connection = drafts({
  name: mostly(names),
  base_url: mostly(fc.oneof(fc.webUrl(), oddText)),
  api_key: mostly(oddText),
  models: mostly(fc.array(fc.record({ model: oddText, usd_per_million_input: odd }))),
  concurrency_max: mostly(fc.nat(2000))
})

const budget = drafts({
  usd_per_day: mostly(fc.double({ noNaN: true })),
  usd_per_month: odd,
  alert_at: odd
})

const sound = { name: 'sound', kind: 'heuristic', config: { check: 'not_empty' } }
const trial = fc.record(
  {
    evaluator: fc.oneof(evaluator, fc.constant(sound)),
    inline: mostly(fc.record({ input: odd, output: mostly(oddText) }))
  },
  { requiredKeys: [] }
)

/** Routes that accept a body, each with a generator for its bodies. */
const routes = [
  ['POST', '/evaluators', evaluator],
  ['POST', '/evaluators/test', trial],
  ['POST', '/rules', rule],
  ['POST', '/rules/preview', rule],
  ['POST', '/connections', connection],
  ['PUT', '/budget', budget]
] as const

test.each(routes)(
  '%s %s',
  async (method, path, bodies) => {
    let taken = 0
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const answer = await scene.send({ method, path: root + path, body })
        const { status, text } = answer
        expect([200, 201, 400, 409, 422]).toContain(status)
        if (status < 300) taken += 1
        if (status === 422) expect(answer.body['errors']).not.toEqual([])
        expect(text).not.toContain('internal_error')
      }),
      { numRuns: 150, seed: 1 }
    )
    // If no body were accepted, the test would only show that invalid bodies are rejected.
    expect(taken).toBeGreaterThan(0)
  },
  120_000
)

test('leaves an evaluator readable whatever change is sent', async () => {
  const made = await scene.send<{ evaluator_id: string }>({
    ...{ method: 'POST', path: `${root}/evaluators` },
    body: { name: 'changed', kind: 'heuristic', config: { check: 'not_empty' } }
  })
  const path = `${root}/evaluators/${made.body.evaluator_id}`
  await fc.assert(
    fc.asyncProperty(evaluator, async (body) => {
      const { status } = await scene.send({ method: 'PATCH', path, body })
      expect([200, 400, 409, 422]).toContain(status)
      expect((await scene.send({ method: 'GET', path })).status).toBe(200)
    }),
    { numRuns: 100, seed: 2 }
  )
}, 120_000)
