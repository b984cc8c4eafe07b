/** Runs every conformance case of sdk/conformance against every SDK. */
import { describe, expect, test } from '@jest/globals'
import { casesOf, findCaseFaults, readCaseFiles } from '../support/sdk/conformance-case.ts'
import { sdks } from '../support/sdk/driver.ts'
import { runCase } from '../support/sdk/run-case.ts'

const timeoutMs = 120_000
const files = readCaseFiles()
const runs = sdks.flatMap((sdk) =>
  files.flatMap((file) =>
    casesOf(file).map((each) => [sdk, file.file.replace('.json', ''), each.name, each] as const)
  )
)

describe('the cases', () => {
  test.each(files)('$file', (file) => expect(findCaseFaults(file)).toEqual([]))
  test('have unique names', () => {
    const names = runs.map(([sdk, , name]) => `${sdk} ${name}`)
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('concurrently', () => {
  test.concurrent.each(runs.filter(([, , , each]) => each.alone !== true))(
    '%s, %s: %s',
    async (sdk, _file, _name, each) => expect(await runCase(sdk, each)).toEqual([]),
    timeoutMs
  )
})

describe('alone', () => {
  test.each(runs.filter(([, , , each]) => each.alone === true))(
    '%s, %s: %s',
    async (sdk, _file, _name, each) => expect(await runCase(sdk, each)).toEqual([]),
    timeoutMs
  )
})
