/** Stops the program when its parent process exits. bootstrap.mjs preloads this file. */
const DEADLINE_MS = 60_000

process.once('disconnect', () => {
  process.kill(process.pid, 'SIGTERM')
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), DEADLINE_MS).unref()
})
// The channel must not keep the program alive.
process.channel?.unref()
