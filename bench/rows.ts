/** The systems that are measured, in the order of the table; the first is what ratios refer to. */
import type { Row } from './row.ts'
import { floor } from './rows/floor.ts'
import { gateway } from './rows/gateway.ts'

export const rows: readonly Row[] = [floor, gateway]
