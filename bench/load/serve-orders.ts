/** Runs the jobs that the parent process orders, and replies with a report on each job. */
import { inspect } from 'node:util'

/** Calls `run` for each order. A rejection ends the process with exit code 1. */
export function serveOrders<Order, Report>(run: (order: Order) => Promise<Report>): void {
  process.on('message', (order: Order) => {
    run(order).then(
      (report) => process.send?.(report),
      (error: unknown) => {
        process.stderr.write(`${inspect(error)}\n`)
        process.exit(1)
      }
    )
  })
  // Exits with the parent process.
  process.once('disconnect', () => process.exit())
}
