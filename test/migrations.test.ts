/** Tests that migrations do not break processes of the previous version, which may still be
 * running.
 */
import { readdirSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { migrationsFolder } from '../schemas/index.ts'
import { read } from './docs/pages.ts'
import { findMigrationFlaws } from './support/migration-flaws.ts'

test('no migration removes what the previous version uses', () => {
  const migrations = readdirSync(migrationsFolder)
    .toSorted()
    .map((name) => ({ name, sql: read(`schemas/postgres/${name}`) }))
  expect(migrations.length).toBeGreaterThan(0)
  expect(findMigrationFlaws(migrations)).toEqual([])
})

const made = { name: '0001', sql: 'create table t (a text, b text);' }

test.each([
  'drop table t',
  'truncate t',
  'alter table t rename to u',
  'alter table t rename column a to c',
  'alter table t drop column a',
  'alter table t\n  -- a comment\n  drop a',
  'ALTER TABLE t ALTER COLUMN a TYPE integer USING a::integer',
  'alter table t alter a set not null',
  'alter table t add column c text not null',
  'alter table t add column c text default 7, add column d text not null',
  "alter table t add constraint a_is check (a <> '')",
  'alter table t add unique (a)',
  'create unique index t_by_a on t (a)',
  'drop function move_decisions'
])('detects %s', (sql) => {
  expect(findMigrationFlaws([made, { name: '0002', sql: `${sql};` }])).toHaveLength(1)
})

test.each([
  'alter table t add column c text, add column d bigint not null default 0',
  'alter table t alter column a drop not null',
  'alter table t drop constraint a_is',
  'create index t_by_a on t (a)',
  'drop index t_by_a',
  'create table u (a text not null unique); create unique index u_by_a on u (a)',
  'create function f() returns void language sql as $$ truncate t; drop table t $$'
])('allows %s', (sql) => {
  expect(findMigrationFlaws([made, { name: '0002', sql: `${sql};` }])).toEqual([])
})
