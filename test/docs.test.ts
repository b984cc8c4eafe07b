/** The documents against the code: what is documented exists, and what exists is documented. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { problems } from '../core/problem.ts'
import { ruleReasons, runReasons } from '../core/evaluation/status-reason.ts'
import { ingestOperation } from '../gateway/ingest/ingest.operation.ts'
import type { Credential } from '../http/route.ts'
import { createRoutes } from '../gateway/routes.ts'
import { metricTable } from '../platform/telemetry/metric-table.ts'
import type { MetricRow } from '../platform/telemetry/metric-table.ts'
import { decisionBodySchema, topicDefinitions } from '../schemas/index.ts'
import { blocksIn, code, codesIn, files, fragmentsOf, linksIn } from './docs/pages.ts'
import { pages, read, rooms, rowsOf, sectionOf } from './docs/pages.ts'
import { faultTitles } from './faults/fault-titles.ts'
import { evaluationFaultTitles } from './faults/evaluation/fault-titles.ts'
import { rollingFaultTitles } from './faults/rolling/fault-titles.ts'
import { storageFaultTitles } from './faults/storage/fault-titles.ts'
import { handlersOf } from './support/handlers-of.ts'
import { allowedBy, defaultOf, readersOf, settingNames } from './docs/settings.ts'

/** Sources below a folder, without those that only describe. */
function sourcesIn(folder: string): string[] {
  return files.filter((path) => path.startsWith(folder) && /(?<![.]operation)[.]ts$/.test(path))
}

function textOf(paths: readonly string[]): string {
  return paths.map(read).join('\n')
}

test('every setting is documented with default, range and readers, and no other', () => {
  const documented = rowsOf(read('docs/configuration.md')).map((cells) => cells.slice(0, 4))
  const existing = settingNames.map((name) => {
    return [code(name), defaultOf(name), allowedBy(name), readersOf(name)]
  })
  expect(documented).toEqual(existing)
})

test.each([
  ['What was seen', faultTitles],
  ['Rolling restarts: what was seen', rollingFaultTitles],
  ['Storage: what was seen', storageFaultTitles],
  ['Evaluation: what was seen', evaluationFaultTitles]
])('every fault is documented in both tables of "%s"', (heading, table) => {
  const documented = rowsOf(sectionOf('docs/faults.md', heading)).map(([fault]) => fault)
  const titles = Object.values(table)
  expect(documented).toEqual([...titles, ...titles])
})

test.each([
  ['Why did a rule plan nothing?', ruleReasons],
  ['Why has a run no score, or waits?', runReasons]
])('every reason is documented under "%s", and no other', (heading, reasons) => {
  const documented = rowsOf(sectionOf('docs/evaluation.md', heading)).map(([reason]) => reason)
  expect(documented).toEqual(reasons.map(code))
})

describe('refusals', () => {
  test('are documented with status, title and whether to retry, and no other', () => {
    const documented = rowsOf(read('docs/errors.md')).map((cells) => cells.slice(0, 4))
    const existing = Object.entries(problems).map(([name, { status, retryable, title }]) => {
      return [code(name), String(status), retryable ? 'yes' : 'no', title]
    })
    expect(documented).toEqual(existing)
  })

  test('are all answered somewhere', () => {
    const rooms = ['gateway/', 'api/', 'usage/', 'auth/', 'http/'].flatMap(sourcesIn)
    const text = textOf(rooms.filter((path) => path !== 'http/openapi.ts'))
    expect(Object.keys(problems).filter((name) => !text.includes(`'${name}'`))).toEqual([])
  })
})

describe('metrics', () => {
  test('are documented with type, unit and labels, and no other', () => {
    const documented = rowsOf(read('docs/metrics.md'))
    const existing = Object.entries<MetricRow>(metricTable).map(([name, row]) => {
      return [code(name), row.type, row.unit, row.labels.map(code).join(', ')]
    })
    expect(documented.map((cells) => cells.slice(0, 4))).toEqual(existing)
    for (const [, , , , meaning, advice] of documented) {
      expect([meaning, advice]).not.toContain('')
    }
  })

  test('are all written somewhere', () => {
    const below = [
      'gateway/',
      'api/',
      'usage/',
      'auth/',
      'http/',
      'consumers/',
      'cli/',
      'platform/'
    ]
    const rooms = below.flatMap(sourcesIn)
    const tables = /^platform\/telemetry\/(metric-table|[a-z]+-metric-rows)[.]ts$/
    const text = textOf(rooms.filter((path) => !tables.test(path)))
    expect(Object.keys(metricTable).filter((name) => !text.includes(`'${name}'`))).toEqual([])
  })
})

describe('docs/api.md', () => {
  function callerOf(credential: Credential): string {
    const scopes = 'scope' in credential ? [credential.scope ?? []].flat() : []
    const scope = scopes.map(code).join(' or ')
    switch (credential.kind) {
      case 'none':
        return 'anybody'
      case 'api_key':
        return `an API key with the scope ${scope}`
      case 'session':
        return credential.role === undefined ? 'a session' : `a session, as ${credential.role}`
      case 'session_or_api_key':
        return scope === ''
          ? 'a session, or any API key'
          : `a session, or an API key with the scope ${scope}`
    }
  }

  test('walks every route, says who may call it, and knows no other', () => {
    const handler = () => Promise.reject(new Error('never called'))
    const existing = createRoutes(handlersOf(handler), () => handler).map((route) => {
      const { method, path, credential } = route
      return `${method.toUpperCase()} ${path}: ${callerOf(credential)}`
    })
    const documented = rowsOf(sectionOf('docs/api.md', 'The API')).map(([route = '', caller]) => {
      return `${codesIn(route)[0]}: ${caller}`
    })
    expect(documented.toSorted()).toEqual(existing.toSorted())
  })

  test('names every member of a decision with its limit, and no other', () => {
    const members = decisionBodySchema['properties'] as Record<string, { maxLength?: number }>
    const rows = rowsOf(sectionOf('docs/api.md', 'Send a decision'))
    const documented = new Map(rows.map(([name = '', meaning = '']) => [name, meaning]))
    expect([...documented.keys()].toSorted()).toEqual(Object.keys(members).map(code).toSorted())
    for (const [name, { maxLength }] of Object.entries(members)) {
      if (maxLength !== undefined) {
        expect(documented.get(code(name))).toContain(`at most ${maxLength} characters`)
      }
    }
  })
})

test('every reason of a dead letter is documented, and no other', () => {
  const [, union = ''] = /type DeadLetterReason =([\s|'\w]+)/.exec(read('core/consumed.ts')) ?? []
  const existing = [...union.matchAll(/'(\w+)'/g)].map(([, reason]) => code(reason))
  const documented = rowsOf(sectionOf('docs/operations.md', 'Where are dead letters?'))
  expect(existing).not.toEqual([])
  expect(documented.map(([reason]) => reason)).toEqual(existing)
})

const lines = 'docs/reference/lines.md'

/** The steps of a line, in the order of the diagram in its file. */
const pictures = {
  decision: [...read('gateway/ingest/ingest.ts').matchAll(/[├└]─ ([a-z ]+?) ─/g)].map(
    ([, step = '']) => step
  ),
  message: [...read('consumers/run-consumer.ts').matchAll(/: {1,5}(decode ▶ .+)/g)].flatMap(
    ([, steps = '']) => steps.split(' ▶ ')
  )
}

describe.each([
  ['ARCHITECTURE.md', 'Line 1: from a request to Kafka', 'Line 2: from Kafka to Postgres'],
  [lines, 'From a request to Kafka', 'From Kafka to Postgres']
])('%s', (page, decisionHeading, messageHeading) => {
  const messagePath = rowsOf(sectionOf(page, messageHeading))

  test('names every step of a decision, in the order of the diagram', () => {
    const steps = rowsOf(sectionOf(page, decisionHeading)).map(([step]) => step)
    expect(steps).toEqual(pictures.decision)
  })

  test('names every step of a message, and its file', () => {
    expect(new Set(messagePath.map(([step]) => step))).toEqual(new Set(pictures.message))
    for (const [step = '', where = ''] of messagePath) {
      const names = codesIn(where).map((path) => basename(path))
      expect(names.join()).toContain(step)
    }
  })
})

describe('ARCHITECTURE.md', () => {
  test('shows the whole system on one screen, with every topic', () => {
    const [picture = ''] = blocksIn(read('ARCHITECTURE.md'), '')
    const rows = picture.split('\n')
    expect(rows.length).toBeLessThan(46)
    expect(rows.filter((row) => [...row].length > 100)).toEqual([])
    expect(topicDefinitions.filter(({ name }) => !picture.includes(name))).toEqual([])
  })

  test('names every error of line 1, and no other', () => {
    const rows = rowsOf(sectionOf('ARCHITECTURE.md', 'Line 1: from a request to Kafka'))
    const named = rows.flatMap(([, , errors = '']) => codesIn(errors))
    expect([...new Set(named)].toSorted()).toEqual([...ingestOperation.problems].toSorted())
  })

  test('names the rooms that each room may import, as the import rules do', () => {
    const { forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as {
      forbidden: readonly { readonly name: string; readonly comment: string }[]
    }
    const arrows = forbidden.filter(({ name }) => name.startsWith('arrows: '))
    const documented = rowsOf(sectionOf('ARCHITECTURE.md', 'Rooms'))
    const described = documented.map(
      ([room = '', targets]) => `${codesIn(room)[0]} may import ${targets}.`
    )
    expect(described).toEqual(arrows.map(({ comment }) => comment))
  })

  test('links every page of the reference', () => {
    const linked = linksIn(read('ARCHITECTURE.md')).map(({ path }) => path)
    const reference = pages.filter((path) => path.startsWith('docs/reference/'))
    expect(linked).toEqual(expect.arrayContaining(reference))
  })
})

describe('the reference', () => {
  test('names every file of line 1', () => {
    const named = codesIn(read(lines))
    const line = sourcesIn('gateway/ingest/').filter((path) => !path.endsWith('/ingest.ts'))
    expect(named).toEqual(expect.arrayContaining(line))
  })

  test('names a file of either SDK for each step of a decision through it', () => {
    const steps = rowsOf(sectionOf(lines, 'A decision through an SDK'))
    const named = steps.flatMap(([, typescript = '', python = '']) => [
      ...codesIn(typescript).map((name) => `sdk/typescript/src/${name}`),
      ...codesIn(python).map((name) => `sdk/python/src/sluice/${name}`)
    ])
    expect(named.length).toBeGreaterThan(2 * steps.length - 1)
    expect(named.filter((path) => !files.includes(path))).toEqual([])
  })

  test('names every topic and every table, and no other', () => {
    const rows = rowsOf(read('docs/reference/topics-and-tables.md')).map(([name]) => name)
    const migrations = textOf(files.filter((path) => /^schemas\/postgres\/.*[.]sql$/.test(path)))
    const tables = [...migrations.matchAll(/^create table (\w+) \(/gm)].map(([, name]) => name)
    const topics = topicDefinitions.map(({ name }) => name)
    expect(rows).toEqual([...topics, ...tables].map(code))
  })

  test('names a test for every invariant', () => {
    const invariants = rowsOf(read('docs/reference/invariants.md'))
    expect(invariants.map(([number]) => number)).toEqual(invariants.map((_, at) => `${at + 1}`))
    for (const [, , tests = ''] of invariants) {
      expect(codesIn(tests).filter((path) => !files.includes(path))).toEqual([])
      expect(codesIn(tests)).not.toEqual([])
    }
  })
})

describe('README.md', () => {
  test('names every folder that git tracks at the top, and no other', () => {
    const documented = rowsOf(sectionOf('README.md', 'Rooms')).map(([folder]) => folder)
    expect(documented.toSorted()).toEqual(rooms.map(code).toSorted())
  })

  test('leads to every page of docs', () => {
    const linked = linksIn(read('README.md')).map(({ path }) => path)
    expect(linked).toEqual(
      expect.arrayContaining(pages.filter((path) => /^docs\/[^/]+$/.test(path)))
    )
  })

  test('shows the pictures that the code shows', () => {
    const decision = /[├└]─ .+$/gm
    const message = /^[ *]*(?:agent-decisions|decision-evaluations) ─.+?(?:settle)/gm
    for (const [source, lines] of [
      ['gateway/ingest/ingest.ts', decision],
      ['consumers/run-consumer.ts', message]
    ] as const) {
      const picture = (path: string) =>
        (read(path).match(lines) ?? []).map((line) => line.replace(/^[ *]*/, ''))
      expect(picture(source).length).toBeGreaterThan(2)
      expect(picture('README.md')).toEqual(picture(source))
    }
  })
})

test('every command that a page names is there, and every one is named', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const text = textOf(pages)
  const named = [...text.matchAll(/npm (start|test)\b|npm run ([\w:-]+)/g)]
  const commands = new Set(named.map(([, short, long]) => short ?? long))
  expect(commands).toEqual(new Set(Object.keys(scripts)))
})

test('decisions on record are numbered without a gap and tell the same three things', () => {
  const records = pages.filter((path) => path.startsWith('docs/adr/')).toSorted()
  expect(records.map((path) => Number(basename(path).slice(0, 4)))).toEqual(
    records.map((_, index) => index + 1)
  )
  for (const path of records) {
    expect(fragmentsOf(path).slice(1)).toEqual(['background', 'decision', 'consequences'])
  }
})

test('every protection that SECURITY.md claims has a proof', () => {
  const rows = rowsOf(read('SECURITY.md'))
  expect(rows.length).toBeGreaterThan(20)
  // Links to files that do not exist fail below.
  const proof = /^\[[^\]]+\]\((?:test|docs|deploy)\//
  expect(rows.filter((cells) => cells.length !== 2 || !proof.test(cells[1] ?? ''))).toEqual([])
})

test('the changelog begins with what is pending', () => {
  expect(fragmentsOf('CHANGELOG.md').slice(0, 2)).toEqual(['changelog', 'pending'])
})

describe.each(pages)('%s', (page) => {
  test('links to what exists', () => {
    const missing = linksIn(read(page)).filter(({ path, fragment }) => {
      const target = path === '' ? page : join(dirname(page), path)
      if (!existsSync(target)) return true
      return fragment !== '' && !fragmentsOf(target).includes(fragment)
    })
    expect(missing).toEqual([])
  })

  test('has JSON that parses', () => {
    for (const block of blocksIn(read(page), 'json')) {
      expect(() => JSON.parse(block) as unknown).not.toThrow()
    }
  })

  test('names files that exist', () => {
    const paths = codesIn(read(page)).filter((text) =>
      /^(?:[\w-]+\/)+[\w.-]+[.](?:ts|mjs|json|avsc|yml|md|sql)$/.test(text)
    )
    const named = paths.filter((path) => !path.includes('NNNN'))
    expect(named.filter((path) => !existsSync(path))).toEqual([])
  })
})
