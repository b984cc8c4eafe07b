/** Creates databases that are owned by a restricted role, with the SQL from the documentation. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { onEnd } from './cleanup.ts'
import { dropDatabase } from './create-database.ts'
import type { Row, TestDatabase } from './database.ts'
import { services } from './services.ts'

export type OwnedDatabase = TestDatabase & {
  /** Runs the SQL below a heading of the documentation page, as the server's administrator. */
  follow(heading: string): Promise<void>
  /**
   * Runs one statement as the server's administrator. Documented role names are replaced with the
   * unique ones.
   */
  administer(statement: string): Promise<void>
  /** Returns the database URL for a role. */
  urlOf(role: 'sluice_owner' | 'sluice_gateway'): string
}

const duplicateObject = '42710'

/**
 * Creates a database as described in docs/guides/operations/database-roles.md, with unique role
 * names and without migrations.
 */
export async function createOwnedDatabase(): Promise<OwnedDatabase> {
  const suffix = randomUUID().slice(0, 8)
  const name = `sluice_${suffix}`
  const server = services().addresses.databaseUrl
  const inside = addressOf(server, { path: name })
  const urlOf = (role: string): string =>
    addressOf(server, { path: name, user: `${role}_${suffix}`, password: 'secret' })

  async function administer(statement: string, url = inside): Promise<void> {
    const ours = statement
      .replaceAll(/\b(sluice_owner|sluice_gateway)\b/g, `$1_${suffix}`)
      .replaceAll(/\bdatabase sluice\b/g, `database ${name}`)
      .replaceAll("'…'", "'secret'")
    await runTolerant(url, ours)
  }

  async function follow(heading: string, url = inside): Promise<void> {
    for (const statement of statementsOf(heading)) await administer(statement, url)
  }

  onEnd(() => dropRoles(server, [`sluice_owner_${suffix}`, `sluice_gateway_${suffix}`]))
  onEnd(() => dropDatabase(server, name))
  await follow('Before the first migration', server)
  const pool = new pg.Pool({ connectionString: urlOf('sluice_owner'), max: 2 })
  pool.on('error', () => {})
  onEnd(() => pool.end())
  return {
    url: urlOf('sluice_owner'),
    urlOf,
    follow: (heading) => follow(heading),
    administer: (statement) => administer(statement),
    query: async <R extends Row>(statement: string, values: readonly unknown[] = []) =>
      (await pool.query<R>(statement, [...values])).rows
  }
}

function addressOf(
  server: string,
  { path, user, password }: { path: string; user?: string; password?: string }
): string {
  const url = new URL(server)
  url.pathname = `/${path}`
  if (user !== undefined) url.username = user
  if (password !== undefined) url.password = password
  return url.href
}

/** Returns the SQL statements below a heading of the documentation page. */
function statementsOf(heading: string): string[] {
  const page = readFileSync(
    new URL('../../docs/guides/operations/database-roles.md', import.meta.url),
    'utf8'
  )
  const section = page.slice(page.indexOf(`### ${heading}\n`))
  const sql = /```sql\n([^`]*)```/.exec(section)?.[1]
  if (sql === undefined) throw new Error(`database-roles.md has no SQL under "${heading}"`)
  const statements = sql.split(';').map((statement) => statement.trim())
  return statements.filter((statement) => statement !== '')
}

/**
 * Runs a statement and ignores the error if a role already exists. Roles belong to the whole
 * server, and only the owner and gateway roles have unique names.
 */
async function runTolerant(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } catch (error) {
    if ((error as { code?: string }).code !== duplicateObject) throw error
  } finally {
    await client.end()
  }
}

async function dropRoles(server: string, roles: readonly string[]): Promise<void> {
  for (const role of roles) await runTolerant(server, `drop role if exists ${role}`)
}
