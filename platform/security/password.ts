/** Passwords as argon2id hashes; a check costs the same whether the account exists or not. */
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. */
const memoryKiB = 19_456
const passes = 2
const lanes = 1
/** The library's name for argon2id is a const enum, which type stripping cannot read. */
const argon2id = 2
/** Each takes a core for some 30 ms and 19 MiB: more at once would starve everything else. */
const hashesAtOnceMax = availableParallelism() > 2 ? 2 : 1
/** About two seconds of work. Beyond it a password is refused instead of waiting. */
const waitingMax = 64
/** Of one party: many logins from one network leave places for those from others. */
const waitingOfOneMax = 16

/** A well-formed hash that no password has, with the cost of a real one. */
const nobodysHash =
  `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${lanes}` + `$${'A'.repeat(22)}$${'A'.repeat(43)}`

/** Thrown at once when too many passwords already wait to be hashed. */
export class PasswordsBusyError extends Error {
  override readonly name = 'PasswordsBusyError'
}

/**
 * Those that wait, by party, which take turns. The limit is the process's, as its memory is; hence
 * one gate and not one per caller.
 */
const lines = new Map<string, (() => void)[]>()
let waiting = 0
let hashing = 0

/**
 * @param party shares its places among its passwords, such as the network of the caller
 * @throws {PasswordsBusyError}
 */
export function hashPassword(password: string, party = ''): Promise<string> {
  const options = {
    algorithm: argon2id,
    memoryCost: memoryKiB,
    timeCost: passes,
    parallelism: lanes
  }
  return throughGate(party, () => hash(password, options))
}

/**
 * Whether the password belongs to the hash. Null stands for an account that does not exist: it
 * costs the same and is always false.
 * @throws {PasswordsBusyError}
 */
export async function verifyPassword(
  passwordHash: string | null,
  password: string,
  party = ''
): Promise<boolean> {
  const isRight = await throughGate(party, () => verify(passwordHash ?? nobodysHash, password))
  return isRight && passwordHash !== null
}

async function throughGate<T>(party: string, work: () => Promise<T>): Promise<T> {
  if (hashing < hashesAtOnceMax) hashing += 1
  else await takePlace(party)
  try {
    return await work()
  } finally {
    release()
  }
}

function takePlace(party: string): Promise<void> {
  const line = lines.get(party) ?? []
  if (waiting >= waitingMax || line.length >= waitingOfOneMax) {
    throw new PasswordsBusyError(`${line.length} of ${waiting} waiting passwords are of one party`)
  }
  lines.set(party, line)
  waiting += 1
  return new Promise((resolve) => line.push(resolve))
}

/** The party that was served longest ago is next, and then last; without one a place is free. */
function release(): void {
  const [next] = lines
  if (next === undefined) {
    hashing -= 1
    return
  }
  const [party, line] = next
  const go = line.shift()
  lines.delete(party)
  if (line.length > 0) lines.set(party, line)
  waiting -= 1
  go?.()
}
