/** Postgres refuses to run as root: which user it runs as then, and where that user can go. */
import { chmodSync, chownSync, cpSync, existsSync, lstatSync, mkdirSync } from 'node:fs'
import { readFileSync, statSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'

/** Keeps its content over a reboot, unlike /tmp, and every user may enter it. */
const SHARED_FOLDER = '/var/tmp'

export type Account = { uid: number; gid: number }

/** The account named postgres, else nobody; undefined when we are not root and nothing changes. */
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
    throw new Error('Postgres does not run as root: add a user for it (useradd postgres)')
  }
  return { uid: Number(found[2]), gid: Number(found[3]) }
}

/** Whether a user that is neither owner nor in the group can enter a folder and all above it. */
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

/** Anybody may write into the shared folder: what we find there must be a folder of our own. */
function claim(path: string, owner: Account): void {
  if (!existsSync(path)) mkdirSync(path, { mode: 0o700 })
  const found = lstatSync(path)
  if (!found.isDirectory() || ![0, owner.uid].includes(found.uid)) {
    throw new Error(`${path} belongs to somebody else; move it away`)
  }
}

/** The data folder itself where the account can reach it, else one for it in the shared folder. */
export function dataFolderFor(folder: string, account: Account | undefined): string {
  if (account === undefined) return folder
  const reachable = isReachable(dirname(folder))
  const place = reachable ? folder : nameFor(folder)
  if (reachable) mkdirSync(place, { recursive: true })
  else claim(place, account)
  chownSync(place, account.uid, account.gid)
  chmodSync(place, 0o700)
  return place
}

/** The programs themselves where the account can reach them, else a copy of them. */
export function programsFor(folder: string, account: Account | undefined): string {
  if (account === undefined || isReachable(folder)) return folder
  const copy = nameFor(folder)
  claim(copy, { uid: 0, gid: 0 })
  if (!existsSync(join(copy, 'complete'))) {
    cpSync(folder, copy, { recursive: true, verbatimSymlinks: true, force: true })
    mkdirSync(join(copy, 'complete'))
  }
  chmodSync(copy, 0o755)
  return copy
}
