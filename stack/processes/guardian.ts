/** Runs a small shell script that ends the child processes if this process is killed. */
import { spawn } from 'node:child_process'

/**
 * Reads "add PID SIGNAL" and "drop PID" from standard input, which closes when this process exits.
 * The script then signals the remaining process groups. After ten seconds, it kills those that are
 * still running.
 */
const SCRIPT = `
left=
while read -r verb pid signal; do
  kept=
  for entry in $left; do
    [ "\${entry%%:*}" = "$pid" ] || kept="$kept $entry"
  done
  left=$kept
  [ "$verb" = add ] && left="$left $pid:$signal"
done
for entry in $left; do
  kill -s "\${entry#*:}" -- "-\${entry%%:*}" 2>/dev/null
  kill -s CONT -- "-\${entry%%:*}" 2>/dev/null
done
tries=0
while [ $tries -lt 20 ]; do
  alive=
  for entry in $left; do
    kill -s 0 -- "-\${entry%%:*}" 2>/dev/null && alive=yes
  done
  [ -n "$alive" ] || exit 0
  sleep 0.5
  tries=$((tries + 1))
done
for entry in $left; do
  kill -s KILL -- "-\${entry%%:*}" 2>/dev/null
done
`

export type Guardian = {
  add(pid: number, signal: NodeJS.Signals): void
  drop(pid: number): void
  /** Ends the script, which then ends all processes that were not dropped. */
  release(): void
}

export function createGuardian(): Guardian {
  // Starts a new session, so that Ctrl-C in the terminal does not reach the shell.
  const shell = spawn('/bin/sh', ['-c', SCRIPT], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/'
  })
  const send = (line: string): void => {
    if (shell.stdin.writable) shell.stdin.write(`${line}\n`)
  }
  // Without a guardian, the stack works but may leave processes behind.
  shell.on('error', () => {})
  shell.stdin.on('error', () => {})
  shell.unref()
  return {
    add: (pid, signal) => send(`add ${pid} ${signal.replace(/^SIG/, '')}`),
    drop: (pid) => send(`drop ${pid}`),
    release: () => shell.stdin.end()
  }
}
