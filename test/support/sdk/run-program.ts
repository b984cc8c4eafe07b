/** Runs a program that uses the TypeScript SDK in a separate process. */
import { spawn } from 'node:child_process'
import { onEnd } from '../cleanup.ts'

const sdk = new URL('../../../sdk/typescript/src/index.ts', import.meta.url).href

export interface Program {
  /** Output received so far. */
  readonly output: { stdout: string; stderr: string }
  readonly ended: Promise<Ended>
  signal(name: NodeJS.Signals): void
  /** Closes the read end of the program's stderr. */
  ignoreStderr(): void
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  readonly ms: number
}

/**
 * Runs `text` as an ES module. `sluice` is a client with `options`, and `init` creates more
 * clients.
 */
export function runProgram(text: string, options: object): Program {
  const start = `import { init } from '${sdk}'; const sluice = init(${JSON.stringify(options)});`
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e']
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...flags, `${start}\n${text}`], {
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()))
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => {
      resolve({ code, signal, ...output, ms: performance.now() - startedAt })
    })
  })
  onEnd(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return {
    output,
    ended,
    signal: (name) => void child.kill(name),
    ignoreStderr: () => void child.stderr.destroy()
  }
}
