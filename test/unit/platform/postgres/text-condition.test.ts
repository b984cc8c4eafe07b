/** Tests that a condition uses the index if, and only if, the text is short enough to be indexed.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { sql } from '../../../../platform/postgres/sql.ts'
import { textCondition, textEquals } from '../../../../platform/postgres/text-condition.ts'
import { migrationsFolder } from '../../../../schemas/index.ts'

const bound = 'octet_length(agent_id) <= 1024'

test.each([
  ['', true],
  ['a'.repeat(1024), true],
  ['ö'.repeat(512), true],
  ['a'.repeat(1025), false],
  ['ö'.repeat(513), false]
])('a text is compared by its bytes: %#', (value, isBounded) => {
  const condition = textCondition('agent_id', value, '$2')
  expect(condition).toBe(
    isBounded ? `agent_id collate "C" = $2::text and ${bound}` : 'agent_id collate "C" = $2::text'
  )
  const values = ['an organization']
  expect(textEquals(sql`agent_id`, value).compile(values)).toBe(condition)
  expect(values).toEqual(['an organization', value])
})

test('the bound is that of the index', () => {
  const migration = readFileSync(`${migrationsFolder}0003-decisions.sql`, 'utf8')
  expect(migration).toContain(`where ${bound};`)
})
