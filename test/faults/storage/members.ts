/** Runs the processes of a consumer group, and restarts them after an unexpected exit. */
import { startApplication } from '../../support/application.ts'
import type { Application, ApplicationName } from '../../support/application.ts'

export interface Members {
  /** Running processes, oldest first. */
  readonly all: readonly Application[]
  /** Starts more processes, and resolves with them when they have joined the group. */
  start(count: number): Promise<readonly Application[]>
  /** Kills the processes with SIGKILL at the same time. */
  kill(members: readonly Application[]): Promise<void>
  /** Stops the processes with SIGTERM, and resolves when they have exited. */
  stop(members: readonly Application[]): Promise<void>
  /** Last log lines of processes that exited unexpectedly. */
  readonly exitLogs: readonly string[]
  /** Kills all processes. They are not restarted. */
  end(): Promise<void>
}

interface MembersOptions {
  /** Application to run. Default: `storage`. */
  readonly name?: ApplicationName
  readonly environment: NodeJS.ProcessEnv
  readonly complain: (sentence: string) => void
}

const tailCharacters = 1500

export function createMembers(options: MembersOptions): Members {
  const { name = 'storage', environment, complain } = options
  const all: Application[] = []
  const stopping = new Set<Application>()
  const exitLogs: string[] = []

  async function startOne(): Promise<Application> {
    const member = await startApplication(name, { environment, waitReady: false })
    all.push(member)
    void member.exited.then(() => revive(member))
    return member
  }

  /** Restarts a process after an unexpected exit, like a supervisor. */
  async function revive(member: Application): Promise<void> {
    remove(member)
    if (stopping.has(member)) return
    exitLogs.push(member.log().slice(-tailCharacters))
    await startOne().catch((error: unknown) => complain(`restart failed: ${String(error)}`))
  }

  function remove(member: Application): void {
    const index = all.indexOf(member)
    if (index >= 0) all.splice(index, 1)
  }

  async function kill(members: readonly Application[]): Promise<void> {
    const chosen = [...members]
    chosen.forEach((member) => stopping.add(member))
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
      chosen.forEach((member) => stopping.add(member))
      for (const [index, code] of (
        await Promise.all(chosen.map((each) => each.stop()))
      ).entries()) {
        const log = chosen[index]?.log().slice(-tailCharacters)
        if (code !== 0) complain(`a stopped member exited with code ${code}: ${log}`)
      }
      chosen.forEach(remove)
    },
    exitLogs,
    end: async () => {
      // Repeat, because a process that is being restarted is added to the list later.
      while (all.length > 0) await kill(all)
    }
  }
}
