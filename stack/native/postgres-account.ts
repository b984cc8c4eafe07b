/** Chooses the account and folders for Postgres, which refuses to run as root. */
import { chmodSync, chownSync, cpSync, existsSync, lstatSync, mkdirSync } from 'node:fs'
import { readFileSync, statSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'

/** Folder that every user can enter. Unlike /tmp, it survives a reboot. */
const SHARED_FOLDER = '/var/tmp'

export type Account = { uid: number; gid: number }

/** Returns an unprivileged account for Postgres, or undefined if this process is not root. */
export function accountOf(
  uid = process.getuid?.(),
  readUsers = () => readFileSync('/etc/passwd', 'utf8')
): Account | undefined {
  if (uid !== 0) return undefined
  const users = readUsers()
    .split('\n')
    .map((line) => line.split(':'))
  const user = ['postgres', 'nobody'].map((name) => users.find((entry) => entry[0] === name))
  const found = user.find((entry) => entry !== undefined)
  if (found === undefined) {
    throw new Error('Postgres does not run as root; add a user for it (useradd postgres)')
  }
  return { uid: Number(found[2]), gid: Number(found[3]) }
}

/** Checks whether other users can enter a folder and all of its parents. */
export function isReachable(path: string): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    if (existsSync(folder) && (statSync(folder).mode & 0o001) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

function nameFor(path: string): string {
  const hash = createHash('sha256').update(path).digest('hex').slice(0, 12)
  return join(SHARED_FOLDER, `sluice-${basename(path)}-${hash}`)
}

/**
 * Creates a folder if it is missing. Checks that it belongs to root or the account, because anyone
 * can create files in the shared folder.
 */
function ensureOwnFolder(path: string, owner: Account): void {
  if (!existsSync(path)) mkdirSync(path, { mode: 0o700 })
  const found = lstatSync(path)
  if (!found.isDirectory() || ![0, owner.uid].includes(found.uid)) {
    throw new Error(`${path} belongs to another user; move it away`)
  }
}

/**
 * Returns the data folder if the account can reach it, otherwise a folder below the shared folder.
 */
export function dataFolderFor(folder: string, account: Account | undefined): string {
  if (account === undefined) return folder
  const reachable = isReachable(dirname(folder))
  const path = reachable ? folder : nameFor(folder)
  if (reachable) mkdirSync(path, { recursive: true })
  else ensureOwnFolder(path, account)
  chownSync(path, account.uid, account.gid)
  chmodSync(path, 0o700)
  return path
}

/**
 * Returns the program folder if the account can reach it, otherwise a copy below the shared folder.
 */
export function programsFor(folder: string, account: Account | undefined): string {
  if (account === undefined || isReachable(folder)) return folder
  const copy = nameFor(folder)
  ensureOwnFolder(copy, { uid: 0, gid: 0 })
  if (!existsSync(join(copy, 'complete'))) {
    cpSync(folder, copy, { recursive: true, verbatimSymlinks: true, force: true })
    mkdirSync(join(copy, 'complete'))
  }
  chmodSync(copy, 0o755)
  return copy
}
