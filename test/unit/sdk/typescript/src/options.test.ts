/** Tests that the options match the list that the SDKs share. */
import { describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { dropReasons } from '../../../../../sdk/typescript/src/drop-reason.ts'
import { callbackNames, optionTable } from '../../../../../sdk/typescript/src/options.ts'
import { environmentNameOf } from '../../../../../sdk/typescript/src/resolve-settings.ts'

type Value = string | number | boolean | null

const shared = JSON.parse(
  readFileSync(new URL('../../../../../sdk/conformance/options.json', import.meta.url), 'utf8')
) as {
  options: ({ name: string; env: string; about: string; default: Value } & Record<
    string,
    unknown
  >)[]
  callbacks: string[]
  drop_reasons: Record<string, string>
}

function camelCase(name: string): string {
  return name.replace(/_[a-z]/gu, (part) => part.slice(1).toUpperCase())
}

describe('options', () => {
  test('have the shared names, types, defaults and limits', () => {
    const ours = Object.entries(optionTable).map(([name, row]) => ({
      name,
      ...row,
      type: row.type === 'secret' ? 'text' : row.type
    }))
    const theirs = shared.options.map(({ env: _env, about: _about, ...row }) => ({
      ...row,
      name: camelCase(row.name)
    }))
    expect(ours).toEqual(theirs)
  })

  test('have the shared environment variables', () => {
    expect(Object.keys(optionTable).map(environmentNameOf)).toEqual(
      shared.options.map(({ env }) => env)
    )
  })

  test('have the shared descriptions and defaults in their comments', () => {
    const source = readFileSync(
      new URL('../../../../../sdk/typescript/src/options.ts', import.meta.url),
      'utf8'
    )
    const comments = source.matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\s+readonly (\w+):/gu)
    const shown = Array.from(comments, ([, text = '', name]) => [
      name,
      text.replace(/\s+(\* )?/gu, ' ').trim()
    ])
    const expected = shared.options.map(({ name, about, default: fallback }) => [
      camelCase(name),
      fallback === null ? about : `${about} Default: ${String(fallback)}.`
    ])
    expect(shown).toEqual(expected)
  })

  test('include the shared callbacks and drop reasons', () => {
    expect([...callbackNames]).toEqual(shared.callbacks.map(camelCase))
    expect([...dropReasons]).toEqual(Object.keys(shared.drop_reasons))
  })
})
