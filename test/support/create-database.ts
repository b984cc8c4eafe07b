/** Creates and drops databases on a Postgres server. */
import pg from 'pg'

/** Runs one statement on the server, with the credentials of `serverUrl`. */
export async function onServer(serverUrl: string, statement: string): Promise<void> {
  const limits = { connectionTimeoutMillis: 30_000, query_timeout: 120_000 }
  const client = new pg.Client({ connectionString: serverUrl, ...limits })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Creates a database on the server and returns its URL. */
export async function createDatabase(
  serverUrl: string,
  name: string,
  template = 'template0'
): Promise<string> {
  await onServer(serverUrl, `create database "${name}" template "${template}"`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** Drops a database, even if clients are connected to it. */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await onServer(serverUrl, `drop database if exists "${name}" with (force)`)
}
