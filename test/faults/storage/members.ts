/** The processes of one group: started, killed, and started again when one ends by itself. */
import { startApplication } from '../../support/application.ts'
import type { Application, ApplicationName } from '../../support/application.ts'

export interface Members {
  /** Those that run now; the oldest first. */
  readonly all: readonly Application[]
  /** Starts so many more; resolves with them, when they belong to the group. */
  start(count: number): Promise<readonly Application[]>
  /** SIGKILL, to all of them at once. */
  kill(members: readonly Application[]): Promise<void>
  /** SIGTERM; resolves when they have ended. */
  stop(members: readonly Application[]): Promise<void>
  /** The last words of those that ended without having been told to, and were started again. */
  readonly lastWords: readonly string[]
  /** Kills all of them, and starts none again. */
  end(): Promise<void>
}

export interface MembersOptions {
  /** Storage when left out. */
  readonly name?: ApplicationName
  readonly environment: NodeJS.ProcessEnv
  readonly complain: (sentence: string) => void
}

const tailCharacters = 1500

export function createMembers(options: MembersOptions): Members {
  const { name = 'storage', environment, complain } = options
  const all: Application[] = []
  const told = new Set<Application>()
  const lastWords: string[] = []

  async function startOne(): Promise<Application> {
    const member = await startApplication(name, { environment, waitReady: false })
    all.push(member)
    void member.exited.then(() => revive(member))
    return member
  }

  /** As whoever supervises it would: it may end over what it did not expect, and starts anew. */
  async function revive(member: Application): Promise<void> {
    remove(member)
    if (told.has(member)) return
    lastWords.push(member.log().slice(-tailCharacters))
    await startOne().catch((error: unknown) => complain(`no restart: ${String(error)}`))
  }

  function remove(member: Application): void {
    const index = all.indexOf(member)
    if (index >= 0) all.splice(index, 1)
  }

  async function kill(members: readonly Application[]): Promise<void> {
    const chosen = [...members]
    chosen.forEach((member) => told.add(member))
    await Promise.all(chosen.map((member) => member.kill()))
    chosen.forEach(remove)
  }

  return {
    all,
    kill,
    start: async (count) => {
      const started = await Promise.all(Array.from({ length: count }, startOne))
      await Promise.all(started.map((member) => member.waitUntilReady()))
      return started
    },
    stop: async (members) => {
      const chosen = [...members]
      chosen.forEach((member) => told.add(member))
      for (const [index, code] of (
        await Promise.all(chosen.map((each) => each.stop()))
      ).entries()) {
        const log = chosen[index]?.log().slice(-tailCharacters)
        if (code !== 0) complain(`a member told to stop ended with code ${code}: ${log}`)
      }
      chosen.forEach(remove)
    },
    lastWords,
    end: async () => {
      // One that is just being started again is there by then.
      while (all.length > 0) await kill(all)
    }
  }
}
