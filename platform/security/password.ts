/** Passwords as argon2id hashes; a check costs the same whether the account exists or not. */
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { createAtMost } from '../process/at-most.ts'

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. */
const memoryKiB = 19_456
const passes = 2
const lanes = 1
/** The library's name for argon2id is a const enum, which type stripping cannot read. */
const argon2id = 2
/** One hash takes a core for about 30 ms, and 19 MiB. Requests are to keep a core. */
const hashesAtOnceMax = availableParallelism() > 2 ? 2 : 1
/**
 * Beyond it a password is refused instead of waiting: 64 are about two seconds of work. Strangers
 * leave the other half to people who have been here before.
 */
const waitingMax = { stranger: 32, known: 64 } as const

/** Known is who has a session, a token of an email, or logs in from a network as before. */
export type Caller = keyof typeof waitingMax

/** A well-formed hash that no password has, with the cost of a real one. */
const nobodysHash =
  `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${lanes}` + `$${'A'.repeat(22)}$${'A'.repeat(43)}`

/** Thrown at once when too many passwords already wait to be hashed. */
export class PasswordsBusyError extends Error {
  override readonly name = 'PasswordsBusyError'
}

/** The limit is the process's, as its memory is; hence one line and not one per caller. */
const inLine = createAtMost(hashesAtOnceMax)
let begun = 0

/** @throws {PasswordsBusyError} */
export function hashPassword(password: string, caller: Caller = 'known'): Promise<string> {
  const options = {
    algorithm: argon2id,
    memoryCost: memoryKiB,
    timeCost: passes,
    parallelism: lanes
  }
  return inBounds(caller, () => hash(password, options))
}

/**
 * Whether the password belongs to the hash. Null stands for an account that does not exist: it
 * costs the same and is always false.
 * @throws {PasswordsBusyError}
 */
export async function verifyPassword(
  passwordHash: string | null,
  password: string,
  caller: Caller = 'known'
): Promise<boolean> {
  const isRight = await inBounds(caller, () => verify(passwordHash ?? nobodysHash, password))
  return isRight && passwordHash !== null
}

async function inBounds<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
  if (begun >= hashesAtOnceMax + waitingMax[caller]) {
    throw new PasswordsBusyError(`${waitingMax[caller]} passwords wait to be hashed`)
  }
  begun += 1
  try {
    return await inLine(work)
  } finally {
    begun -= 1
  }
}
