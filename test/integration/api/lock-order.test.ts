/** Who changes a person, their letters and their sessions at once waits, and nobody deadlocks. */
import { beforeAll, expect, test } from '@jest/globals'
import { createPostgres } from '../../../platform/postgres/postgres.ts'
import type { PostgresPool } from '../../../platform/postgres/postgres.ts'
import { onEnd } from '../../support/cleanup.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { logIn, password, register, tokenOfLetter } from './account-scene.ts'
import type { Registered } from './account-scene.ts'
import { createScene } from './scene.ts'
import type { Answer, Scene } from './scene.ts'

let scene: Scene
let postgres: PostgresPool
let person: Registered

beforeAll(async () => {
  scene = await createScene()
  postgres = createPostgres({
    ...{ url: scene.database.url, applicationName: 'lock order' },
    ...{ connectionsMax: 1, statementTimeoutMs: 20_000 }
  })
  onEnd(() => postgres.close())
  person = (await register(scene)).body
})

/** As whoever changes the password: he has the person, and then ends what `statement` names. */
async function whileThePersonIsHeld<B>(request: () => Promise<Answer<B>>, statement: string) {
  return postgres.transaction(async (transaction) => {
    const { id } = person.user
    await transaction.query(`select from users where user_id = $1 for no key update`, [id])
    // In a list, since the answer comes only when this transaction has ended.
    const answers = [request()]
    await waitUntil('the request waits for the person', async () => {
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

test('a session is moved to another organization while a password is changed', async () => {
  const { body } = await logIn(scene, person.user.email)
  const { organization_id } = person
  const [moved] = await whileThePersonIsHeld(
    () => scene.post('/v1/auth/organization/switch', { organization_id }, body.access_token),
    `update sessions set revoked_at = now(), revoked_reason = 'password' where user_id = $1`
  )
  expect((await moved)?.status).toBe(200)
})

test('a password is set by letter while it is changed', async () => {
  const { email } = person.user
  await scene.post('/v1/auth/password/forgot', { email })
  const token = await tokenOfLetter(scene, email, 2)
  const [reset] = await whileThePersonIsHeld(
    () => scene.post('/v1/auth/password/reset', { token, new_password: `${password}!` }),
    `update email_tokens set used_at = now() where user_id = $1`
  )
  expect((await reset)?.body['code']).toBe('token_invalid')
})
