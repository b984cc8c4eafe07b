/** A small shell that ends our processes when we are killed and cannot do it ourselves. */
import { spawn } from 'node:child_process'

/**
 * It reads "add PID SIGNAL" and "drop PID" from its standard input, which ends only when we do.
 * Then it ends the process groups that are left: politely, and after ten seconds for good.
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
  /** Lets it go; it ends whatever has not been dropped. */
  release(): void
}

export function createGuardian(): Guardian {
  // A session of its own, so that Ctrl-C in the terminal does not reach it.
  const shell = spawn('/bin/sh', ['-c', SCRIPT], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/'
  })
  const say = (line: string): void => {
    if (shell.stdin.writable) shell.stdin.write(`${line}\n`)
  }
  // A guardian that cannot be started or has gone is a loss of safety, not of function.
  shell.on('error', () => {})
  shell.stdin.on('error', () => {})
  shell.unref()
  return {
    add: (pid, signal) => say(`add ${pid} ${signal.replace(/^SIG/, '')}`),
    drop: (pid) => say(`drop ${pid}`),
    release: () => shell.stdin.end()
  }
}
