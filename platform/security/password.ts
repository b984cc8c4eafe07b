/** Passwords: hashes them with argon2id. Verification costs the same whether or not the account
 * exists.
 */
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { createAtMost } from '../process/at-most.ts'

/** Parameters that OWASP recommends for argon2id: 19 MiB of memory, two passes, one lane. */
const memoryKiB = 19_456
const passes = 2
const lanes = 1
/** The library exports argon2id as a const enum, which type stripping does not support. */
const argon2id = 2
/**
 * Maximum number of concurrent hashes. A hash takes about 30 ms of one core and 19 MiB. On a
 * machine with several cores, at least one core remains for requests.
 */
const hashesAtOnceMax = availableParallelism() > 2 ? 2 : 1
/**
 * Maximum number of waiting passwords. Further passwords are rejected immediately, because hashing
 * 64 takes about two seconds on one core. Half of the queue is reserved for known callers.
 */
const waitingMax = { unknown: 32, known: 64 } as const

/** A known caller has a session or a password-reset token, or logs in from a known network. */
type CallerKind = keyof typeof waitingMax

/** A well-formed hash that matches no password. Verifying it costs as much as a real hash. */
const absentHash =
  `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${lanes}` + `$${'A'.repeat(22)}$${'A'.repeat(43)}`

/** Thrown immediately if too many passwords are waiting to be hashed. */
export class PasswordsBusyError extends Error {
  override readonly name = 'PasswordsBusyError'
}

/** Shared by all callers, because memory is limited per process. */
const hashQueue = createAtMost(hashesAtOnceMax)
let begun = 0

/** @throws {PasswordsBusyError} */
export function hashPassword(password: string, caller: CallerKind = 'known'): Promise<string> {
  const options = {
    algorithm: argon2id,
    memoryCost: memoryKiB,
    timeCost: passes,
    parallelism: lanes
  }
  return inBounds(caller, () => hash(password, options))
}

/**
 * Checks whether the password matches the hash. If the hash is null because no account exists, the
 * check costs the same and returns false.
 * @throws {PasswordsBusyError}
 */
export async function verifyPassword(
  passwordHash: string | null,
  password: string,
  caller: CallerKind = 'known'
): Promise<boolean> {
  const isRight = await inBounds(caller, () => verify(passwordHash ?? absentHash, password))
  return isRight && passwordHash !== null
}

async function inBounds<T>(caller: CallerKind, work: () => Promise<T>): Promise<T> {
  if (begun >= hashesAtOnceMax + waitingMax[caller]) {
    throw new PasswordsBusyError(`${waitingMax[caller]} passwords are waiting to be hashed`)
  }
  begun += 1
  try {
    return await hashQueue(work)
  } finally {
    begun -= 1
  }
}
