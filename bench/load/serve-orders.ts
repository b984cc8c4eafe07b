/** The child's side of a load: takes one order after the other and reports each. */
import { inspect } from 'node:util'

/** Rejections end the process: whoever waits for a report is told by its end. */
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
  // The bench is gone, so nobody waits for a report.
  process.once('disconnect', () => process.exit())
}
