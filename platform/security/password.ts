/** Passwords as argon2id hashes; a check costs the same whether the account exists or not. */
import { hash, verify } from '@node-rs/argon2'

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. */
const memoryKiB = 19_456
const passes = 2
const lanes = 1
/** The library's name for argon2id is a const enum, which type stripping cannot read. */
const argon2id = 2
/** Each takes a core for some 30 ms and 19 MiB: more at once would starve everything else. */
const hashesAtOnceMax = 2
/** Some two seconds' worth; whoever comes later is told so instead of waiting. */
const waitingMax = 64

/** A well-formed hash that no password has, with the cost of a real one. */
const nobodysHash =
  `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${lanes}` + `$${'A'.repeat(22)}$${'A'.repeat(43)}`

/** Thrown at once when too many already wait for their password to be hashed. */
export class PasswordsBusyError extends Error {
  override readonly name = 'PasswordsBusyError'
}

/** The limit is the process's, as its memory is; hence one gate and not one per caller. */
const waiting: (() => void)[] = []
let hashing = 0

/** @throws {PasswordsBusyError} */
export function hashPassword(password: string): Promise<string> {
  const options = {
    algorithm: argon2id,
    memoryCost: memoryKiB,
    timeCost: passes,
    parallelism: lanes
  }
  return throughGate(() => hash(password, options))
}

/**
 * Whether the password belongs to the hash. Null stands for an account that does not exist: it
 * costs the same and is always false.
 * @throws {PasswordsBusyError}
 */
export async function verifyPassword(
  passwordHash: string | null,
  password: string
): Promise<boolean> {
  const isRight = await throughGate(() => verify(passwordHash ?? nobodysHash, password))
  return isRight && passwordHash !== null
}

async function throughGate<T>(work: () => Promise<T>): Promise<T> {
  if (hashing < hashesAtOnceMax) hashing += 1
  else await takePlace()
  try {
    return await work()
  } finally {
    release()
  }
}

function takePlace(): Promise<void> {
  if (waiting.length >= waitingMax) {
    throw new PasswordsBusyError(`${waitingMax} passwords already wait to be hashed`)
  }
  return new Promise((resolve) => waiting.push(resolve))
}

/** The place goes to whoever waits longest; only without one does it become free. */
function release(): void {
  const next = waiting.shift()
  if (next === undefined) hashing -= 1
  else next()
}
