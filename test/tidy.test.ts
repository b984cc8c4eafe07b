/** Tests each repository check with a fixture, then runs it on the repository. */
import { describe, expect, test } from '@jest/globals'
import { describeFindings, fileOf, listFiles } from './tidy/files.ts'
import type { Check } from './tidy/files.ts'
import {
  checkColumns,
  checkLengths,
  checkPurpose,
  medianMax,
  p95Max,
  sizesOf
} from './tidy/form.ts'
import {
  checkContracts,
  checkExports,
  checkFolders,
  checkRooms,
  checkTwins,
  checkTypeNames,
  checkUsedExports,
  filesOfFolderMax
} from './tidy/names.ts'
import {
  checkPlaces,
  checkWords,
  createCheckMachine,
  machineWords,
  privateHosts
} from './tidy/words.ts'

const repository = listFiles()

function lines(count: number): string {
  return 'x\n'.repeat(count)
}

function findings(check: Check, fixture: Record<string, string>): string[] {
  return describeFindings(check(Object.entries(fixture).map(([path, text]) => fileOf(path, text))))
}

describe('lines have at most 100 columns, except links, imports and regular expressions', () => {
  test('fixture', () => {
    const long = 'a'.repeat(101)
    const unbreakable = `  /${long}/u,\nconst a = /${long}/\n// https://${long}`
    const fixture = {
      'core/a.ts': `ok\n${long}`,
      'a.md': long,
      'core/b.ts': unbreakable,
      'docs/source/c.ts': long
    }
    expect(findings(checkColumns, fixture)).toEqual(['core/a.ts:2: 101 columns, use at most 100'])
  })
  test('repository', () => expect(describeFindings(checkColumns(repository))).toEqual([]))
})

describe('files have at most 500 lines', () => {
  test('fixture', () => {
    const fixture = { 'core/a.ts': lines(501), 'test/a.test.ts': lines(500) }
    expect(findings(checkLengths, fixture)).toEqual(['core/a.ts:0: 501 lines, use at most 500'])
  })
  test('repository', () => expect(describeFindings(checkLengths(repository))).toEqual([]))
})

describe('every file begins with its purpose', () => {
  test('fixture', () => {
    const fixture = {
      'core/a.ts': 'import x\n/** Late. */',
      'core/b.ts': '/** no sentence */\nexport {}',
      'core/c.ts': '/** A sentence over\n * two lines. */\nexport {}',
      'cli/d.mjs': '#!/usr/bin/env node\n/** Runs. */',
      'schemas/e.sql': 'select 1',
      'data.json': '{}'
    }
    const message = 'no purpose, begin with one sentence in a comment'
    expect(findings(checkPurpose, fixture)).toEqual([
      `core/a.ts:1: ${message}`,
      `core/b.ts:1: ${message}`,
      `schemas/e.sql:1: ${message}`
    ])
  })
  test('repository', () => expect(describeFindings(checkPurpose(repository))).toEqual([]))
})

describe('banned words have a replacement', () => {
  test.each([
    ['core/a.ts', '// TODO: later', 'TODO, use do it now, or open an issue instead'],
    ['core/a.ts', '// @ts-ignore', '@ts-ignore, use the right type instead'],
    ['core/a.ts', '// @ts-expect-error', '@ts-expect-error, use @ts-expect-error with its reason'],
    ['core/a.ts', '// eslint-disable-next-line x', 'eslint-disable, use eslint-disable… -- with'],
    ['core/a.ts', 'const a: any = 1', 'any, use unknown instead'],
    ['core/a.ts', 'f(a as any)', 'any, use unknown instead'],
    ['core/a.ts', 'new Map<any>()', 'any, use unknown instead'],
    ['test/a.test.ts', "test('should work', f)", "test('should, use a sentence that says"]
  ])('fixture: %s %s', (path, text, message) => {
    expect(findings(checkWords, { [path]: text })).toEqual([
      expect.stringContaining(`${path}:1: ${message}`)
    ])
  })
  test.each([
    '// As any program would do it, any of them.',
    '// eslint-disable-next-line x -- the library wants it so',
    '// @ts-expect-error the types of the library are wrong here',
    'const company: Company = anything'
  ])('fixture: %s is allowed', (text) => {
    expect(findings(checkWords, { 'core/a.ts': text })).toEqual([])
  })
  test('repository', () => expect(describeFindings(checkWords(repository))).toEqual([]))
})

describe('shared folders without a topic are rejected', () => {
  test('fixture', () => {
    const fixture = { 'core/utils.ts': '', 'platform/common/a.ts': '', 'core/utilization.ts': '' }
    expect(findings(checkPlaces, fixture)).toEqual([
      'core/utils.ts:0: a folder without a topic, name it for its content',
      'platform/common/a.ts:0: a folder without a topic, name it for its content'
    ])
  })
  test('repository', () => expect(describeFindings(checkPlaces(repository))).toEqual([]))
})

describe('files do not name the machine on which they were written', () => {
  test('fixture', () => {
    const check = createCheckMachine(['/where/i/work'])
    const home = ['', 'home', 'ana', ''].join('/')
    const fixture = { 'a.md': `see\n/where/i/work/x`, 'b.json': `${home}notes` }
    expect(findings(check, fixture)).toEqual([
      'a.md:2: /where/i/work, use a path or a host that holds everywhere',
      `b.json:1: ${home}, use a path or a host that holds everywhere`
    ])
  })
  test('fixture: hosts of package registries', () => {
    const environment = { npm_config_registry: 'https://packages.example:8080/npm/', PATH: '/bin' }
    const npmrc = '@own:registry=https://own.example/\nregistry=https://registry.npmjs.org/'
    expect(privateHosts(environment, npmrc)).toEqual(['packages.example', 'own.example'])
  })
  test('repository', () => {
    expect(describeFindings(createCheckMachine(machineWords())(repository))).toEqual([])
  })
})

describe('a file is named for what it exports', () => {
  test('fixture', () => {
    const fixture = {
      'gateway/limit-rate.ts': 'export function createLimitRate() {}',
      'core/ports.ts': 'export const freePort = 1',
      'core/decision.ts': 'export type { Decision } from "x"',
      'core/thing.ts': 'export const other = 1\nexport interface Others {}',
      'core/digits.ts': 'export const isLuhn = 1\nexport const isIban = 1',
      'gateway/main.ts': 'export const nothing = 1',
      'core/metric-table.ts': 'export const rows = []'
    }
    expect(findings(checkExports, fixture)).toEqual([
      'core/thing.ts:0: named for none of its exports: other, Others'
    ])
  })
  test('repository', () => expect(describeFindings(checkExports(repository))).toEqual([]))
})

describe('a folder of the server has a limited number of files', () => {
  test('fixture', () => {
    const names = Array.from({ length: filesOfFolderMax + 1 }, (_, index) => `http/a${index}.ts`)
    const fixture = Object.fromEntries([...names, 'core/b.ts'].map((path) => [path, '']))
    expect(findings(checkFolders, fixture)).toEqual(['http:0: 26 files, use at most 25'])
  })
  test('repository', () => expect(describeFindings(checkFolders(repository))).toEqual([]))
})

describe('every unit test has its source', () => {
  test('fixture', () => {
    const fixture = {
      'core/ids.ts': '',
      'test/support/kafka.ts': '',
      'gateway/ingest.operation.ts': '',
      'test/unit/core/ids.test.ts': '',
      'test/unit/core/ids.clock.test.ts': '',
      'test/unit/support/kafka.test.ts': '',
      'test/unit/gateway/ingest.operation.test.ts': '',
      'test/unit/core/gone.test.ts': ''
    }
    expect(findings(checkTwins, fixture)).toEqual([
      'test/unit/core/gone.test.ts:0: tests core/gone.ts, which does not exist'
    ])
  })
  test('repository', () => expect(describeFindings(checkTwins(repository))).toEqual([]))
})

describe('every Avro schema has golden bytes', () => {
  test('fixture', () => {
    const fixture = {
      'schemas/a.v1.avsc': '',
      'schemas/a.v2.avsc': '',
      'test/unit/platform/avro/golden/a.v1.hex': '00'
    }
    expect(findings(checkContracts, fixture)).toEqual([
      'schemas/a.v2.avsc:0: has no golden bytes, write test/unit/platform/avro/golden/a.v2.hex'
    ])
  })
  test('repository', () => expect(describeFindings(checkContracts(repository))).toEqual([]))
})

describe('each exported type has its own name', () => {
  test('fixture', () => {
    const fixture = {
      'core/a.ts': 'export interface Row {\nexport type Kind = 1',
      'api/b.ts': 'export type Row = 1',
      'sdk/typescript/src/c.ts': 'export type Row = 1',
      'test/d.ts': 'export type Row = 1'
    }
    expect(findings(checkTypeNames, fixture)).toEqual([
      'api/b.ts:0: exports the type Row, as core/a.ts does'
    ])
  })
  test('repository', () => expect(describeFindings(checkTypeNames(repository))).toEqual([]))
})

describe('another file uses each export', () => {
  test('fixture', () => {
    const fixture = {
      'core/a.ts': 'export const used = 1\nexport type Unused = number',
      'core/b.ts': 'export { used } from "./a.ts"',
      'sdk/c.ts': 'export const c = 1'
    }
    expect(findings(checkUsedExports, fixture)).toEqual([
      'core/a.ts:0: exports Unused, which no other file uses'
    ])
  })
  test('repository', () => expect(describeFindings(checkUsedExports(repository))).toEqual([]))
})

describe('ARCHITECTURE names every top-level folder', () => {
  test('fixture', () => {
    const fixture = { 'core/a.ts': '', 'docs/b.md': '', '.ci/c': '' }
    expect(findings(checkRooms, fixture)).toEqual(['ARCHITECTURE.md:0: missing'])
    expect(findings(checkRooms, { ...fixture, 'ARCHITECTURE.md': 'core/' })).toEqual([
      'ARCHITECTURE.md:0: does not name docs/'
    ])
  })
  test('repository', () => expect(describeFindings(checkRooms(repository))).toEqual([]))
})

describe('files stay small as a whole', () => {
  test('fixture', () => {
    const files = Array.from({ length: 20 }, (_, index) =>
      fileOf(`core/${index}.ts`, lines(index + 1))
    )
    expect(sizesOf(files)).toEqual({ files: 20, median: 11, p95: 20, max: 20 })
  })
  test('repository', () => {
    const sizes = sizesOf(repository)
    const { files, median, p95, max } = sizes
    process.stdout.write(`${files} source files: median ${median}, p95 ${p95}, max ${max} lines\n`)
    expect(sizes.median).toBeLessThanOrEqual(medianMax)
    expect(sizes.p95).toBeLessThanOrEqual(p95Max)
  })
})
