/** Tests rules over HTTP with a database, and the rule sets that plans use. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { RuleSet } from '../../../core/evaluation/rule.ts'
import { builtInEvaluators, defaultRuleSet } from '../../../evaluators/default-rule-set.ts'
import { createScene } from './scene.ts'
import type { Scene, Sending } from './scene.ts'

const path = '/v1/evaluation/rules'

interface Rule {
  readonly rule_id: string
  readonly name: string
  readonly built_in: boolean
  readonly enabled: boolean
  readonly sampling: object
  readonly updated_at: string | null
}

interface Body extends Rule {
  readonly code: string
  readonly errors: readonly { pointer: string; detail: string }[]
  readonly data: readonly Rule[]
}

let scene: Scene
beforeAll(async () => {
  scene = await createScene()
})

const notEmpty = [{ evaluator_id: 'output_not_empty' }]

/** Creates an organization that has only the built-in rule. */
function createOrganization() {
  const organizationId = randomUUID()
  const send = (method: Sending['method'], where: string, body?: unknown) =>
    scene.send<Body>({ method, path: `${path}${where}`, body, organizationId })

  async function make(members: object = {}): Promise<Rule> {
    const body = { name: `r${randomUUID()}`, evaluators: notEmpty, ...members }
    const made = await send('POST', '', body)
    expect([made.status, made.text]).toEqual([201, expect.any(String)])
    return made.body
  }

  async function makeEvaluator(config: object = { check: 'length', max: 5 }): Promise<string> {
    const body = { name: `e${randomUUID()}`, kind: 'heuristic', config }
    const made = await scene.send<{ evaluator_id: string }>({
      ...{ method: 'POST', path: '/v1/evaluation/evaluators', body, organizationId }
    })
    return made.body.evaluator_id
  }

  const changeEvaluator = (id: string, body: object) =>
    scene.send({
      ...{ method: 'PATCH', path: `/v1/evaluation/evaluators/${id}`, body, organizationId }
    })

  async function ruleSets(): Promise<RuleSet[]> {
    const rows = await scene.database.query<{ content: string }>(
      'select content from rule_sets where organization_id = $1 order by version',
      [organizationId]
    )
    return rows.map(({ content }) => JSON.parse(content) as RuleSet)
  }

  return { organizationId, send, make, makeEvaluator, changeEvaluator, ruleSets }
}

describe('a rule', () => {
  test('is created with defaults, read, listed, updated and deleted', async () => {
    const { send, make } = createOrganization()
    const made = await make({ sampling: { rate: 0.5 }, budget: { usd_per_day: 5 } })
    expect(made).toMatchObject({
      rule_id: expect.stringMatching(/^rul_[0-9a-f]{32}$/),
      ...{ built_in: false, enabled: true, match: {} },
      sampling: { rate: 0.5, key: 'decision', cohort: 'default' },
      evaluators: [{ evaluator_id: 'output_not_empty', version: 'latest' }],
      budget: { usd_per_day: 5, calls_per_day: null, on_exhausted: 'skip' },
      ...{ ttl_seconds: 86_400, max_attempts: 8 }
    })
    expect((await send('GET', `/${made.rule_id}`)).body).toEqual(made)
    const listed = (await send('GET', '')).body.data
    expect(listed.map(({ rule_id }) => rule_id)).toEqual(['default', made.rule_id])

    const changed = await send('PATCH', `/${made.rule_id}`, { match: { domains: ['a*'] } })
    expect(changed.body).toEqual({
      ...made,
      match: { domains: ['a*'] },
      updated_at: expect.not.stringMatching(made.updated_at ?? '')
    })
    const replaced = await send('PATCH', `/${made.rule_id}`, { sampling: { key: 'session' } })
    expect(replaced.body.sampling).toEqual({ rate: 1, key: 'session', cohort: 'default' })
    expect((await send('DELETE', `/${made.rule_id}`)).status).toBe(200)
    expect((await send('GET', `/${made.rule_id}`)).body.code).toBe('rule_not_found')
    expect((await send('PATCH', `/${made.rule_id}`, {})).status).toBe(404)
    await make({ name: made.name })
  })

  test.each<[object, string]>([
    [{ evaluators: [{ evaluator_id: 'evl_none' }] }, '/evaluators/0/evaluator_id'],
    [{ evaluators: [{ evaluator_id: 'output_not_empty', version: 99 }] }, '/evaluators/0/version'],
    [{ evaluators: [...notEmpty, ...notEmpty] }, '/evaluators/1/evaluator_id'],
    [{ evaluators: [] }, '/evaluators'],
    [{ evaluators: [{ evaluator_id: 'a\u0000' }] }, '/evaluators/0/evaluator_id'],
    [{ match: { domains: [] } }, '/match/domains'],
    [{ match: { domain: ['a'] } }, '/match/domain'],
    [{ match: { metadata: { a: 'b' } } }, '/match/metadata/a'],
    [{ sampling: { rate: 1.1 } }, '/sampling/rate'],
    [{ budget: { on_exhausted: 'stop' } }, '/budget/on_exhausted'],
    [{ budget: { usd_per_day: -1 } }, '/budget/usd_per_day'],
    [{ ttl_seconds: 1 }, '/ttl_seconds'],
    [{ name: '\ud800' }, '/name'],
    [{ priority: 1 }, '/priority']
  ])('rejects %j at %s, when created or updated', async (members, pointer) => {
    const { send, make } = createOrganization()
    const { rule_id } = await make()
    const body = { name: 'r', evaluators: notEmpty, ...members }
    for (const refused of [
      await send('POST', '', body),
      await send('PATCH', `/${rule_id}`, members)
    ]) {
      expect([refused.status, refused.body.code]).toEqual([422, 'invalid_body'])
      expect(refused.body.errors.map((error) => error.pointer)).toContain(pointer)
    }
  })

  test('has a unique name', async () => {
    const { send, make } = createOrganization()
    const made = await make()
    for (const name of [made.name, 'default']) {
      const refused = await send('POST', '', { name, evaluators: notEmpty })
      expect([refused.status, refused.body.code]).toEqual([409, 'name_taken'])
    }
  })

  test('does not exist for another organization, nor do its evaluators', async () => {
    const [ours, theirs] = [createOrganization(), createOrganization()]
    const evaluator_id = await theirs.makeEvaluator()
    const { rule_id } = await theirs.make({ evaluators: [{ evaluator_id }] })
    expect((await ours.send('GET', `/${rule_id}`)).status).toBe(404)
    expect((await ours.send('DELETE', `/${rule_id}`)).status).toBe(404)
    const stolen = await ours.send('POST', '', { name: 'r', evaluators: [{ evaluator_id }] })
    expect(stolen.body.errors).toEqual([
      { pointer: '/evaluators/0/evaluator_id', detail: expect.any(String) }
    ])
  })
})

describe('the rule default', () => {
  test('exists from the beginning, and can only be enabled and disabled', async () => {
    const { send, ruleSets } = createOrganization()
    const { body } = await send('GET', '/default')
    expect(body).toMatchObject({ name: 'default', built_in: true, enabled: true })
    for (const change of [{ name: 'mine' }, { enabled: false, sampling: { rate: 0 } }]) {
      const refused = await send('PATCH', '/default', change)
      expect([refused.status, refused.body.code]).toEqual([409, 'built_in'])
    }
    expect((await send('DELETE', '/default')).body.code).toBe('built_in')
    expect(await ruleSets()).toEqual([])

    expect((await send('PATCH', '/default', { enabled: false })).body.enabled).toBe(false)
    expect((await send('GET', '')).body.data).toMatchObject([{ enabled: false }])
    const [off] = defaultRuleSet.rules.map((rule) => ({ ...rule, enabled: false }))
    expect(await ruleSets()).toEqual([{ version: 1, rules: [off] }])
    await send('PATCH', '/default', { enabled: true })
    expect((await ruleSets())[1]).toEqual({ version: 2, rules: defaultRuleSet.rules })
  })
})

describe('a change of rules', () => {
  test('writes a rule set with the rules in order and the versions that they name', async () => {
    const { make, makeEvaluator, changeEvaluator, ruleSets, send } = createOrganization()
    const id = await makeEvaluator()
    expect(await ruleSets()).toEqual([])
    const latest = await make({ evaluators: [{ evaluator_id: id }] })
    const pinned = await make({ evaluators: [{ evaluator_id: id, version: 1 }] })
    await changeEvaluator(id, { config: { check: 'length', max: 6 } })

    const sets = await ruleSets()
    expect(sets.map(({ version }) => version)).toEqual([1, 2, 3])
    const named = sets.map(({ rules }) =>
      rules.map(({ rule_id, evaluators }) => [rule_id, evaluators.at(-1)?.version])
    )
    const [, ...own] = named[2] ?? []
    expect(own).toEqual([
      [latest.rule_id, 2],
      [pinned.rule_id, 1]
    ])
    expect(sets[2]?.rules[0]?.evaluators).toEqual(builtInEvaluators)
    expect(sets[2]?.rules[1]?.evaluators[0]).toMatchObject({
      ...{ evaluator_id: id, kind: 'heuristic', config: { check: 'length', max: 6 } }
    })
    await send('DELETE', `/${latest.rule_id}`)
    expect((await ruleSets())[3]?.rules.map(({ rule_id }) => rule_id)).toEqual([
      ...['default', pinned.rule_id]
    ])
  })

  test('writes a gapless sequence of rule sets without losing a concurrent change', async () => {
    const { make, ruleSets } = createOrganization()
    const made = await Promise.all(Array.from({ length: 8 }, () => make()))
    const sets = await ruleSets()
    expect(sets.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    const last = sets.at(-1)?.rules.map(({ rule_id }) => rule_id) ?? []
    expect(last.toSorted()).toEqual(['default', ...made.map(({ rule_id }) => rule_id)].toSorted())
  })

  test('writes no rule set if it is rejected', async () => {
    const { send, make, ruleSets } = createOrganization()
    const { name } = await make()
    await send('POST', '', { name, evaluators: notEmpty })
    await send('POST', '', { name: 'r', evaluators: [{ evaluator_id: 'evl_none' }] })
    expect(await ruleSets()).toHaveLength(1)
  })
})

test('rejects a rule that names an evaluator twice, whatever the version', async () => {
  const { send, makeEvaluator, changeEvaluator } = createOrganization()
  const evaluator_id = await makeEvaluator()
  await changeEvaluator(evaluator_id, { config: { check: 'length', max: 7 } })
  const evaluators = [{ evaluator_id, version: 1 }, { evaluator_id }]
  const refused = await send('POST', '', { name: 'twice', evaluators })
  expect([refused.status, refused.body.errors]).toEqual([
    422,
    [{ pointer: '/evaluators/1/evaluator_id', detail: expect.stringContaining('already') }]
  ])
})

describe('disabling a rule', () => {
  const insertRun = (organizationId: string, ruleId: string, status: string) =>
    scene.database.query(
      `insert into pending_runs (organization_id, decision_id, run_id, rule_id, rule, evaluator_id,
              evaluator, evaluator_kind, evaluator_version, received_at, status, expires_at)
       values ($1, gen_random_uuid(), gen_random_uuid(), $2, 'r', 'e', 'e', 'llm_judge', 1, now(),
               $3, now())`,
      [organizationId, ruleId, status]
    )

  test.each([
    ['PATCH', 'disabled'],
    ['DELETE', 'deleted']
  ] as const)('requests the cancellation of its pending runs: %s', async (method, reason) => {
    const { organizationId, send, make } = createOrganization()
    const [one, other] = [await make(), await make()]
    for (const status of ['scheduled', 'running', 'finished']) {
      await insertRun(organizationId, one.rule_id, status)
    }
    await insertRun(organizationId, other.rule_id, 'scheduled')
    await send(method, `/${one.rule_id}`, method === 'PATCH' ? { enabled: false } : undefined)
    const rows = await scene.database.query(
      `select rule_id = $2 as is_ours, status, cancel_reason,
              cancel_requested_at is not null as is_asked
         from pending_runs where organization_id = $1 order by is_ours desc, status`,
      [organizationId, one.rule_id]
    )
    expect(rows).toEqual([
      { is_ours: true, status: 'finished', cancel_reason: null, is_asked: false },
      { is_ours: true, status: 'running', cancel_reason: reason, is_asked: true },
      { is_ours: true, status: 'scheduled', cancel_reason: reason, is_asked: true },
      { is_ours: false, status: 'scheduled', cancel_reason: null, is_asked: false }
    ])
  })
})

test('limits rules to 100, not counting the built-in one', async () => {
  const { make, send } = createOrganization()
  for (let batch = 0; batch < 10; batch++) {
    await Promise.all(Array.from({ length: 10 }, () => make({ enabled: false })))
  }
  const refused = await send('POST', '', { name: 'one more', evaluators: notEmpty })
  expect([refused.status, refused.body.code]).toEqual([409, 'limit_reached'])
})

test('limits the enabled rules to 100 runs per decision', async () => {
  const { organizationId, make, makeEvaluator, send } = createOrganization()
  const evaluators: { evaluator_id: string }[] = []
  while (evaluators.length < 20) evaluators.push({ evaluator_id: await makeEvaluator() })
  // Five such rules would exceed the limit, because the runs of the built-in rule count too.
  const made: Rule[] = []
  while (made.length < 4) made.push(await make({ evaluators }))
  const refused = await send('POST', '', { name: 'one more', evaluators })
  expect([refused.status, refused.body.code]).toEqual([409, 'limit_reached'])
  const disabled = await make({ evaluators, enabled: false })
  const enabled = await send('PATCH', `/${disabled.rule_id}`, { enabled: true })
  expect([enabled.status, enabled.body.code]).toEqual([409, 'limit_reached'])
  // An organization that exceeded the limit when the limit was introduced can reduce its rules one
  // by one.
  await make({ evaluators, enabled: false })
  await scene.database.query(
    `update evaluation_rules
        set definition = jsonb_set(definition::jsonb, '{enabled}', 'true')::text
      where organization_id = $1`,
    [organizationId]
  )
  const [other] = made
  const fewer = await send('PATCH', `/${other?.rule_id}`, { enabled: false })
  expect(fewer.status).toBe(200)
})

test('disables a rule even if its rule set has the maximum size', async () => {
  const { organizationId, send, make, makeEvaluator, ruleSets } = createOrganization()
  const evaluator_id = await makeEvaluator()
  const { rule_id, name } = await make({ evaluators: [{ evaluator_id }] })
  const set = JSON.stringify((await ruleSets()).at(-1))
  const padding = 8 * 1024 * 1024 - set.length - ',"padding":""'.length
  await scene.database.query(
    `update evaluator_versions
        set config = jsonb_set(config::jsonb, '{padding}', to_jsonb(repeat('x', $2::int)))::text
      where organization_id = $1`,
    [organizationId, padding]
  )
  const longer = await send('PATCH', `/${rule_id}`, { name: `${name}-` })
  expect([longer.status, longer.body.code]).toEqual([409, 'limit_reached'])
  const renamed = await send('PATCH', `/${rule_id}`, { name: `${name.slice(1)}r` })
  const disabled = await send('PATCH', `/${rule_id}`, { enabled: false })
  expect([renamed.status, disabled.status]).toEqual([200, 200])
})

describe('the change limit per hour', () => {
  /** Returns the status, the code, and Retry-After in units of 10 minutes. */
  const refusedUntil = async (send: ReturnType<typeof createOrganization>['send']) => {
    const { status, body, headers } = await send('POST', '', { name: 'r', evaluators: notEmpty })
    return [status, body.code, Math.round(Number(headers.get('retry-after')) / 600)]
  }

  test('counts changes', async () => {
    const { organizationId, send, make } = createOrganization()
    const insert = (count: number, minutesAgo: number, action: string) =>
      scene.database.query(
        `insert into audit_log (organization_id, entry_id, created_at, actor_kind, action)
         select $1, gen_random_uuid(), now() - make_interval(mins => $2), 'user', $3
           from generate_series(1, $4)`,
        [organizationId, minutesAgo, action, count]
      )
    await insert(2000, 61, 'rule.changed')
    await insert(2000, 5, 'session.begun')
    await insert(998, 30, 'rule.changed')
    const [one, other] = [await make(), await make()]
    expect(await refusedUntil(send)).toEqual([429, 'changes_limited', 3])
    const disabled = await send('PATCH', `/${one.rule_id}`, { enabled: false })
    const deleted = await send('DELETE', `/${other.rule_id}`)
    expect([disabled.status, deleted.status]).toEqual([200, 200])
  })

  test('counts the bytes of rule sets', async () => {
    const { organizationId, send, make } = createOrganization()
    const [one, other] = [await make(), await make()]
    await scene.database.query(
      `insert into rule_sets (organization_id, version, content, created_by, created_at)
       select $1, 2 + number, repeat('x', 16 * 1024 * 1024), '', now() - interval '20 minutes'
         from generate_series(1, 4) number`,
      [organizationId]
    )
    expect(await refusedUntil(send)).toEqual([429, 'changes_limited', 4])
    const disabled = await send('PATCH', `/${one.rule_id}`, { enabled: false })
    const deleted = await send('DELETE', `/${other.rule_id}`)
    expect([disabled.status, deleted.status]).toEqual([200, 200])
  })
})
