/** Measures how many characters fit on one line of an element. */
import { useLayoutEffect, useState } from 'react'
import type { RefObject } from 'react'

const columnsMin = 40
/** Longer lines scroll slowly. */
const columnsMax = 400
/** Space for the fold marks, and for the comma after a full line. */
const columnsReserved = 5

/** Returns the number of columns, or null while the element is not visible. */
export function useColumns(ref: RefObject<HTMLElement | null>): number | null {
  const [columns, setColumns] = useState<number | null>(null)
  useLayoutEffect(() => {
    const element = ref.current
    if (element === null) return
    const measure = (): void => setColumns(columnsOf(element))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref])
  return columns
}

function columnsOf(element: HTMLElement): number | null {
  const context = document.createElement('canvas').getContext('2d')
  if (element.clientWidth === 0 || context === null) return null
  const { fontSize, fontFamily } = getComputedStyle(element)
  context.font = `${fontSize} ${fontFamily}`
  const columns = Math.floor(element.clientWidth / context.measureText('0').width)
  return Math.min(columnsMax, Math.max(columnsMin, columns - columnsReserved))
}
