/** Runs a shell session, so that the commands of a documentation page share variables. */
import { spawn } from 'node:child_process'
import { onEnd } from './cleanup.ts'

export interface Shell {
  /** Runs commands and resolves with their exit code and output (stdout and stderr). */
  run(piece: string): Promise<{ readonly output: string; readonly code: number }>
}

/** Printed after each command to mark the end of its output. */
const endMark = '\u001e'
const outputCharsMax = 10_000_000

export function createShell(folder: string): Shell {
  const child = spawn('bash', ['--noprofile', '--norc'], { cwd: folder, stdio: 'pipe' })
  const gone = Promise.withResolvers<never>()
  gone.promise.catch(() => {})
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  void ended.then(() => gone.reject(new Error('the shell has exited')))
  onEnd(async () => {
    child.stdin.end('exit\n')
    await ended
  })
  child.stdout.setEncoding('utf8')

  async function readToMark(): Promise<string> {
    let text = ''
    for await (const part of child.stdout.iterator({ destroyOnReturn: false })) {
      text += String(part)
      if (text.includes(`${endMark}\n`) || text.length > outputCharsMax) return text
    }
    throw new Error('the shell has exited')
  }

  return {
    run: async (piece) => {
      child.stdin.write(`{\n${piece}\n} 2>&1\nprintf '%s%s\\n' "$?" $'\\x1e'\n`)
      const text = await Promise.race([readToMark(), gone.promise])
      const [, output = '', code = ''] = /^([\s\S]*?)(\d+)\u001e\n$/.exec(text) ?? []
      return { output, code: Number(code) }
    }
  }
}
