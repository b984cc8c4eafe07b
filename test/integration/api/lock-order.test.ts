/** Tests that concurrent changes to a user, their email tokens and their sessions do not deadlock.
 */
import { beforeAll, expect, test } from '@jest/globals'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import type { PostgresPool } from '../../../platform/postgres/postgres.ts'
import { onEnd } from '../../support/cleanup.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { logIn, password, register, tokenOfEmail } from './account-scene.ts'
import type { Registered } from './account-scene.ts'
import { createScene } from './scene.ts'
import type { Answer, Scene } from './scene.ts'

let scene: Scene
let postgres: PostgresPool
let registered: Registered

beforeAll(async () => {
  scene = await createScene()
  postgres = createPostgres({
    ...{ url: scene.database.url, applicationName: 'lock order' },
    ...{ connectionsMax: 1, statementTimeoutMs: 20_000 }
  })
  onEnd(() => postgres.close())
  registered = (await register(scene)).body
})

/** Locks the user as a password change does, starts the request, and then runs `statement`. */
async function whileUserIsLocked<B>(request: () => Promise<Answer<B>>, statement: string) {
  return postgres.transaction(async (transaction) => {
    const { id } = registered.user
    await transaction.query(`select from users where user_id = $1 for no key update`, [id])
    // The array prevents the transaction from awaiting the response, which arrives only after the
    // transaction ends.
    const answers = [request()]
    await waitUntil('the request waits for the user', async () => {
      const waiting = await scene.database.query(
        `select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`
      )
      return waiting.length > 0
    })
    await transaction.query(statement, [id])
    return answers
  })
}

test('switches the organization of a session while a password is changed', async () => {
  const { body } = await logIn(scene, registered.user.email)
  const { organization_id } = registered
  const [moved] = await whileUserIsLocked(
    () => scene.post('/v1/auth/organization/switch', { organization_id }, body.access_token),
    `update sessions set revoked_at = now(), revoked_reason = 'password' where user_id = $1`
  )
  expect((await moved)?.status).toBe(200)
})

test('resets a password while it is changed', async () => {
  const { email } = registered.user
  await scene.post('/v1/auth/password/forgot', { email })
  const token = await tokenOfEmail(scene, email, 2)
  const [reset] = await whileUserIsLocked(
    () => scene.post('/v1/auth/password/reset', { token, new_password: `${password}!` }),
    `update email_tokens set used_at = now() where user_id = $1`
  )
  expect((await reset)?.body['code']).toBe('token_invalid')
})
