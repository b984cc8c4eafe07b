/** Tests the restore steps in backup-and-restore.md for a database owner that is not a superuser.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, test } from '@jest/globals'
import pg from 'pg'
import { blocksIn, sectionOf } from '../../docs/pages.ts'
import { onEnd } from '../../support/cleanup.ts'
import { dropDatabase, onServer } from '../../support/create-database.ts'
import { findPostgresPrograms } from '../../support/postgres-programs.ts'
import { createOwnedDatabase } from '../../support/roles.ts'
import { runWell } from '../../support/run-to-end.ts'
import { migrateDatabase } from '../../../cli/commands/migrate-database.ts'
import { services } from '../../support/services.ts'

const programs = await findPostgresPrograms()
const isThere = programs !== null
if (!isThere) process.stderr.write('pg_dump 18 is missing: the restore is not tested.\n')
const timeoutMs = 5 * 60_000

/**
 * Returns the first code block in this language in "Restore Postgres", without its list
 * indentation.
 */
function blockOf(language: string): string {
  const text = sectionOf(
    'docs/guides/operations/backup-and-restore.md',
    'Restore Postgres'
  ).replaceAll(/^ {3}/gm, '')
  return blocksIn(text, language)[0] ?? ''
}

/** Returns the environment for running `psql` or `pg_dump` as the server's administrator. */
function administratorOf(serverUrl: string): NodeJS.ProcessEnv {
  const { hostname, port, username, password } = new URL(serverUrl)
  const path = [programs, process.env['PATH']].filter(Boolean).join(delimiter)
  return { PATH: path, PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: password }
}

;(isThere ? test : test.skip)(
  "restores with the owner's rights and no others, while gateways kept the old database",
  async () => {
    const server = services().addresses.databaseUrl
    const database = await createOwnedDatabase()
    await migrateDatabase({ DATABASE_URL: database.url }, () => {})
    await database.follow('A login for gateways')
    const name = new URL(database.url).pathname.slice(1)
    const suffix = name.slice('sluice_'.length)
    const ours = (text: string): string =>
      text
        .replaceAll(/\bsluice_(owner|gateway)\b/g, `sluice_$1_${suffix}`)
        .replaceAll(/\bsluice_(restored|broken)\b/g, `${name}_$1`)
        .replaceAll(/\bsluice\b/g, name)
    for (const left of ['restored', 'broken']) onEnd(() => dropDatabase(server, `${name}_${left}`))
    const folder = mkdtempSync(join(tmpdir(), 'sluice-restored-'))
    onEnd(() => Promise.resolve(rmSync(folder, { recursive: true })))
    const env = administratorOf(server)
    const gateway = new pg.Client({ connectionString: database.urlOf('sluice_gateway') })
    gateway.on('error', () => {})
    await gateway.connect()
    onEnd(() => gateway.end().catch(() => {}))

    await runWell('pg_dump', ['--format=custom', `--file=${folder}/${name}.dump`, name], { env })
    await runWell('sh', ['-euc', ours(blockOf('sh'))], { cwd: folder, env })
    const statements = ours(blockOf('sql'))
      .split(';')
      .filter((line) => line.trim() !== '')
    for (const statement of statements) await onServer(server, statement)

    await database.query('create table made_by_the_owner ()')
    const [rights] = await database.query(
      `select has_database_privilege('sluice_gateway_${suffix}', current_database(), 'connect')
                as gateway, datacl::text ~ '[{,]=[^,]*c[^,]*/' as everybody
         from pg_database where datname = current_database()`
    )
    expect(rights).toEqual({ gateway: true, everybody: false })
  },
  timeoutMs
)
