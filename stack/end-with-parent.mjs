/** Preloaded by bootstrap.mjs: asks a program to stop when the one that started it is gone. */
const DEADLINE_MS = 60_000

process.once('disconnect', () => {
  process.kill(process.pid, 'SIGTERM')
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), DEADLINE_MS).unref()
})
// Listening alone must not keep the program alive.
process.channel?.unref()
