/** Tests that expired sessions, tokens and invites are deleted after a month, and expired
 * registrations sooner.
 */
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { deleteExpiredSessions } from '../../../consumers/storage/maintenance/delete-expired-sessions.ts'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import { onEnd } from '../../support/cleanup.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { RecordingLogger } from '../../unit/platform/recording-logger.ts'

/**
 * Number of remaining rows out of five, by table. Most expired rows are kept for a month, expired
 * registrations only for a short time.
 */
const tables = {
  ...{ sessions: 3, refresh_tokens: 3, email_tokens: 3, invites: 3 },
  registrations: 1
}

/** Inserts one row of each kind that expired this number of days ago. */
async function fill(database: TestDatabase, userId: string, days: number): Promise<void> {
  const values = [userId, userId, days]
  const over = `now() - make_interval(days => $3)`
  for (const statement of [
    `with session as (
       insert into sessions (session_id, user_id, organization_id, expires_at, ends_at)
       values (gen_random_uuid(), $1, $2, ${over}, ${over}) returning session_id
     )
     insert into refresh_tokens (token_digest, session_id)
     select sha256(session_id::text::bytea), session_id from session`,
    `insert into email_tokens (token_digest, user_id, purpose, email, expires_at)
     values (sha256(gen_random_uuid()::text::bytea), $1, 'verify_email', $2::uuid::text, ${over})`,
    `insert into invites (organization_id, invite_id, email, role, token_digest, invited_by,
                          expires_at)
     values ($2, gen_random_uuid(), gen_random_uuid()::text, 'member',
             sha256(gen_random_uuid()::text::bytea), $1, ${over})`,
    `insert into registrations (token_digest, email, password_hash, organization_name, create_key,
                                expires_at)
     values (sha256(gen_random_uuid()::text::bytea), $1::uuid::text, '', $2::uuid::text, true,
             ${over})`
  ]) {
    await database.query(statement, values)
  }
}

test('deletes expired sessions, tokens and invites, and keeps the rest', async () => {
  const database = await createTestDatabase()
  const limits = { connectionsMax: 2, statementTimeoutMs: 5000 }
  const postgres = createPostgres({ url: database.url, applicationName: 'test', ...limits })
  onEnd(() => postgres.close())
  const id = randomUUID()
  await database.query(`insert into organizations (organization_id, name) values ($1, 'o')`, [id])
  await database.query(`insert into users (user_id, email, password_hash) values ($1, $2, '')`, [
    id,
    'ada@example.com'
  ])
  for (const days of [-1, 1, 29, 31, 400]) await fill(database, id, days)
  const logger = new RecordingLogger()
  await deleteExpiredSessions({ postgres, logger })
  for (const [table, rows] of Object.entries(tables)) {
    const [row] = await database.query(`select count(*)::integer as rows from ${table}`)
    expect([table, row]).toEqual([table, { rows }])
  }
  await deleteExpiredSessions({ postgres, logger })
  expect(logger.entries).toHaveLength(4)
})
