/** Tests that SQL templates number their parameters and insert fragments. */
import { expect, test } from '@jest/globals'
import { and, query, sql } from '../../../../platform/postgres/sql.ts'
import type { Sql } from '../../../../platform/postgres/sql.ts'

async function sent(statement: Sql): Promise<readonly [string, readonly unknown[]]> {
  let found: readonly [string, readonly unknown[]] = ['', []]
  const recorder = {
    query: (text: string, values: readonly unknown[] = []) => {
      found = [text, values]
      return Promise.resolve([])
    }
  }
  await query(recorder, statement)
  return found
}

test('sends values as parameters, never as text', async () => {
  const statement = sql`select * from t where a = ${"'; drop table t"} and b = ${null}`
  expect(await sent(statement)).toEqual([
    'select * from t where a = $1 and b = $2',
    ["'; drop table t", null]
  ])
})

test('numbers the parameters of nested fragments in the order of the text', async () => {
  const column = sql`coalesce(b, ${'x'})`
  const statement = sql`select ${column} from t where a = ${1} and ${sql`c > ${2}`} limit ${3}`
  expect(await sent(statement)).toEqual([
    'select coalesce(b, $1) from t where a = $2 and c > $3 limit $4',
    ['x', 1, 2, 3]
  ])
})

test('sends a fragment that is used twice with its value twice', async () => {
  const changed = sql`a is distinct from ${7}`
  expect(await sent(sql`select ${changed}, ${changed}`)).toEqual([
    'select a is distinct from $1, a is distinct from $2',
    [7, 7]
  ])
})

test('joins only the conditions that apply', async () => {
  const some = and([sql`a = ${1}`, null, sql`b = ${2}`])
  expect(await sent(sql`select 1 where ${some}`)).toEqual([
    'select 1 where a = $1 and b = $2',
    [1, 2]
  ])
  expect(await sent(sql`select 1 where ${and([null])}`)).toEqual(['select 1 where true', []])
})
