/** Databases whose owner is no superuser, and the SQL for it that the documentation shows. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { onEnd } from './cleanup.ts'
import { dropDatabase } from './create-database.ts'
import type { Row, TestDatabase } from './database.ts'
import { services } from './services.ts'

export type OwnedDatabase = TestDatabase & {
  /** Runs what the documentation says under this heading, as an administrator in this database. */
  follow(heading: string): Promise<void>
  /** Runs one statement about these roles, as an administrator. */
  administer(statement: string): Promise<void>
  /** The address for another of the roles that the documentation names. */
  urlOf(role: 'sluice_owner' | 'sluice_gateway'): string
}

const duplicateObject = '42710'

/** Made as docs/operations.md says, under names of its own; nothing is migrated yet. */
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

/** The SQL below a heading of the page about operations. */
function statementsOf(heading: string): string[] {
  const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const section = page.slice(page.indexOf(`### ${heading}\n`))
  const sql = /```sql\n([^`]*)```/.exec(section)?.[1]
  if (sql === undefined) throw new Error(`docs/operations.md has no SQL under "${heading}"`)
  const statements = sql.split(';').map((statement) => statement.trim())
  return statements.filter((statement) => statement !== '')
}

/** The roles of readers and storage belong to the whole server and are there already. */
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
