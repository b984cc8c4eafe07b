/** Compares the docs with the code: routes, settings, metrics, errors, files and links. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { problems } from '../core/problem.ts'
import type { ProblemCode } from '../core/problem.ts'
import { routes } from '../docs/generate/api.ts'
import { ruleReasons, runReasons } from '../core/evaluation/status-reason.ts'
import { ingestOperation } from '../gateway/ingest/ingest.operation.ts'
import { metricTable } from '../platform/telemetry/metric-table.ts'
import { topicDefinitions } from '../schemas/index.ts'
import { blocksIn, code, codesIn, files, fragmentsOf, linksIn } from './docs/pages.ts'
import { pages, read, rowsOf, sectionOf } from './docs/pages.ts'
import { faultTitles } from './faults/fault-titles.ts'
import { evaluationFaultTitles } from './faults/evaluation/fault-titles.ts'
import { rollingFaultTitles } from './faults/rolling/fault-titles.ts'
import { storageFaultTitles } from './faults/storage/fault-titles.ts'

/** Pages below docs/, except ADRs. */
const docs = pages.filter((path) => /^docs\/(?!adr\/)/.test(path))
const quotedProblem = /"title": "(.+)",\n *"status": (\d+),[^{}]*"code": "(\w+)"/g
const isRoute = /^(GET|POST|PUT|PATCH|DELETE) \/v1\//

/**
 * Returns the source files below a folder, except `.operation.ts` files, which only contain API
 * descriptions.
 */
function sourcesIn(folder: string): string[] {
  return files.filter((path) => path.startsWith(folder) && /(?<![.]operation)[.]ts$/.test(path))
}

function textOf(paths: readonly string[]): string {
  return paths.map(read).join('\n')
}

test.each([
  ['faults-gateway.md', 'Results', faultTitles],
  ['faults-gateway.md', 'Results of rolling restarts', rollingFaultTitles],
  ['faults-storage.md', 'Results', storageFaultTitles],
  ['faults-evaluation.md', 'Results', evaluationFaultTitles]
])('%s: both tables of "%s" list every fault', (page, heading, table) => {
  const rows = rowsOf(sectionOf(`docs/explanation/${page}`, heading))
  const documented = rows.map(([fault]) => fault)
  const titles = Object.values(table)
  expect(documented).toEqual([...titles, ...titles])
})

test.each([
  ['Reasons why a rule plans nothing', ruleReasons],
  ['Reasons why a run has no score', runReasons]
])('the section "%s" documents every reason and no other', (heading, reasons) => {
  const documented = rowsOf(sectionOf('docs/explanation/evaluation.md', heading)).map(
    ([reason]) => reason
  )
  expect(documented).toEqual(reasons.map(code))
})

test('every problem code is used in the code', () => {
  const sources = ['gateway/', 'api/', 'usage/', 'auth/', 'http/'].flatMap(sourcesIn)
  const text = textOf(sources.filter((path) => path !== 'http/openapi.ts'))
  expect(Object.keys(problems).filter((name) => !text.includes(`'${name}'`))).toEqual([])
})

describe('metrics', () => {
  test('are all used in the code', () => {
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
    const sources = below.flatMap(sourcesIn)
    const tables = /^platform\/telemetry\/(metric-table|[a-z]+-metric-rows)[.]ts$/
    const text = textOf(sources.filter((path) => !tables.test(path)))
    expect(Object.keys(metricTable).filter((name) => !text.includes(`'${name}'`))).toEqual([])
  })
})

test('documents name only routes that exist', () => {
  const existing = new Set(
    routes.map(({ method, path }) => {
      return `${method.toUpperCase()} ${path.replaceAll(/:\w+/g, '{}')}`
    })
  )
  const named = docs.flatMap((path) => codesIn(read(path)).filter((text) => isRoute.test(text)))
  const paths = named.map((text) => text.replace(/[?].*$/, '').replaceAll(/\{\w+\}/g, '{}'))
  expect(paths.length).toBeGreaterThan(100)
  expect(paths.filter((path) => !existing.has(path))).toEqual([])
})

test('every reason of a dead-letter record is documented, and no other', () => {
  const [, union = ''] =
    /type DeadLetterReason =([\s|'\w]+)/.exec(read('core/message-outcome.ts')) ?? []
  const existing = [...union.matchAll(/'(\w+)'/g)].map(([, reason]) => code(reason))
  const documented = rowsOf(sectionOf('docs/guides/operations/dead-letters.md', 'Reasons'))
  expect(existing).not.toEqual([])
  expect(documented.map(([reason]) => reason)).toEqual(existing)
})

const processingSteps = 'docs/reference/processing-steps.md'

/** Names of the processing steps, read from the diagrams in the code. */
const diagrams = {
  decision: [...read('gateway/ingest/ingest.ts').matchAll(/[├└]─ ([a-z-]+) ─/g)].map(
    ([, step = '']) => step
  ),
  message: [...read('consumers/consume-batch.ts').matchAll(/: {1,5}(decode ▶ .+)/g)].flatMap(
    ([, steps = '']) => steps.split(' ▶ ')
  )
}

const ingestHeading = 'The ingest path: from a request to Kafka'

describe.each([
  ['ARCHITECTURE.md', ingestHeading, 'The consumer path: from Kafka to Postgres'],
  [processingSteps, 'From a request to Kafka', 'From Kafka to Postgres']
])('%s', (page, decisionHeading, messageHeading) => {
  const messagePath = rowsOf(sectionOf(page, messageHeading))

  test('names every step of a decision, in the order of the diagram', () => {
    const steps = rowsOf(sectionOf(page, decisionHeading)).map(([step]) => step)
    expect(steps).toEqual(diagrams.decision)
  })

  test('names every step of a message, and its file', () => {
    expect(new Set(messagePath.map(([step]) => step))).toEqual(new Set(diagrams.message))
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

  test('names every error of the ingest path, and no other', () => {
    const rows = rowsOf(sectionOf('ARCHITECTURE.md', ingestHeading))
    const named = rows.flatMap(([, , errors = '']) => codesIn(errors))
    expect([...new Set(named)].toSorted()).toEqual([...ingestOperation.problems].toSorted())
  })

  test('names the folders that each folder may import, as in the import rules', () => {
    const { forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as {
      forbidden: readonly { readonly name: string; readonly comment: string }[]
    }
    const arrows = forbidden.filter(({ name }) => name.startsWith('arrows: '))
    const documented = rowsOf(sectionOf('ARCHITECTURE.md', 'Folders'))
    const described = documented.map(
      ([folder = '', targets]) => `${codesIn(folder)[0]} may import ${targets}.`
    )
    expect(described).toEqual(arrows.map(({ comment }) => comment))
  })
})

describe('the reference', () => {
  test('names every file of the ingest path', () => {
    const named = codesIn(read(processingSteps))
    const ingest = sourcesIn('gateway/ingest/').filter((path) => !path.endsWith('/ingest.ts'))
    expect(named).toEqual(expect.arrayContaining(ingest))
  })

  test('names a file of each SDK for every step of a decision', () => {
    const steps = rowsOf(sectionOf(processingSteps, 'A decision through an SDK'))
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
  test('shows the same diagrams as the code', () => {
    const decision = /[├└]─ .+$/gm
    const message = /^[ *]*(?:agent-decisions|decision-evaluations) ─.+?(?:settle)/gm
    for (const [source, lines] of [
      ['gateway/ingest/ingest.ts', decision],
      ['consumers/consume-batch.ts', message]
    ] as const) {
      const picture = (path: string) =>
        (read(path).match(lines) ?? []).map((line) => line.replace(/^[ *]*/, ''))
      expect(picture(source).length).toBeGreaterThan(2)
      expect(picture('README.md')).toEqual(picture(source))
    }
  })
})

describe('docs/README.md', () => {
  test('links every page of docs except the ADRs', () => {
    const linked = linksIn(read('docs/README.md')).map(({ path }) => join('docs', path))
    expect(linked).toEqual(expect.arrayContaining(docs.filter((path) => path !== 'docs/README.md')))
  })
})

describe.each(docs)('%s', (path) => {
  test('has at most 300 lines', () => {
    expect(read(path).trimEnd().split('\n').length).toBeLessThan(301)
  })

  test('states its audience', () => {
    expect(read(path)).toMatch(/^# .+\n\nFor /)
  })
})

test('pages name only existing npm commands, and all of them', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const text = textOf(pages)
  const named = [...text.matchAll(/npm (start|test)\b|npm run ([\w:-]+)/g)]
  const commands = new Set(named.map(([, short, long]) => short ?? long))
  expect(commands).toEqual(new Set(Object.keys(scripts)))
})

test('ADRs are numbered without gaps and have the same three sections', () => {
  const records = pages.filter((path) => path.startsWith('docs/adr/')).toSorted()
  expect(records.map((path) => Number(basename(path).slice(0, 4)))).toEqual(
    records.map((_, index) => index + 1)
  )
  for (const path of records) {
    expect(fragmentsOf(path).slice(1)).toEqual(['background', 'decision', 'consequences'])
  }
})

test('every protection in SECURITY.md links to its test or documentation', () => {
  const rows = rowsOf(read('SECURITY.md'))
  expect(rows.length).toBeGreaterThan(20)
  // Another test checks that the targets exist.
  const proof = /^\[[^\]]+\]\((?:test|docs|deploy)\//
  expect(rows.filter((cells) => cells.length !== 2 || !proof.test(cells[1] ?? ''))).toEqual([])
})

test('the changelog begins with the pending changes', () => {
  expect(fragmentsOf('CHANGELOG.md').slice(0, 2)).toEqual(['changelog', 'pending'])
})

describe.each(pages)('%s', (page) => {
  test('links only to existing pages and sections', () => {
    const missing = linksIn(read(page)).filter(({ path, fragment }) => {
      const target = path === '' ? page : join(dirname(page), path)
      if (!existsSync(target)) return true
      return fragment !== '' && !fragmentsOf(target).includes(fragment)
    })
    expect(missing).toEqual([])
  })

  test('quotes the titles and statuses of problems correctly', () => {
    for (const block of blocksIn(read(page), 'json')) {
      for (const [, title, status, code] of block.matchAll(quotedProblem)) {
        const { [code as ProblemCode]: problem } = problems
        expect([code, title, status]).toEqual([code, problem.title, String(problem.status)])
      }
    }
  })

  test('contains only valid JSON', () => {
    for (const block of blocksIn(read(page), 'json')) {
      expect(() => JSON.parse(block) as unknown).not.toThrow()
    }
  })

  test('names only existing files', () => {
    const paths = codesIn(read(page)).filter((text) =>
      /^(?:[\w-]+\/)+[\w.-]+[.](?:ts|mjs|json|avsc|yml|md|sql)$/.test(text)
    )
    const named = paths.filter((path) => !path.includes('NNNN'))
    expect(named.filter((path) => !existsSync(path))).toEqual([])
  })
})
