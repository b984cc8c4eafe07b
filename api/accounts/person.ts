/** A person as the routes show them. */
import type { Queryable, Row } from '../../platform/postgres/postgres.ts'
import { objectOf, textOrNull, time, uuid } from '../response-schemas.ts'

export interface PersonView {
  readonly id: string
  readonly email: string
  readonly name: string | null
  readonly email_verified: boolean
  readonly created_at: Date
}

export async function readPerson(accounts: Queryable, userId: string): Promise<PersonView> {
  const [person] = await accounts.query<PersonView & Row>(
    `select user_id as id, email, name, email_verified_at is not null as email_verified, created_at
       from users where user_id = $1`,
    [userId]
  )
  if (person === undefined) throw new Error('a session of nobody')
  return person
}

export const personSchema = objectOf({
  id: uuid,
  email: { type: 'string' },
  name: textOrNull,
  email_verified: { type: 'boolean', description: 'Whoever it is reads letters there.' },
  created_at: time
})

export const personExample = {
  id: '01938c4e-1111-7000-8000-5b7a9f002f6d',
  email: 'ada@example.com',
  name: 'Ada',
  email_verified: false,
  created_at: '2026-01-31T12:00:00.000Z'
}
