/** Measures how many characters fit on one line of an element. */
import { useLayoutEffect, useState } from 'react'
import type { RefObject } from 'react'

const columnsMin = 40
/** Maximum number of columns. Longer lines would make scrolling slow. */
const columnsMax = 400
/** Number of columns reserved for the fold marks, and for the comma after a full line. */
const columnsReserved = 5

/** Returns the number of columns, or null while the element is not visible. */
export function useColumns(ref: RefObject<HTMLElement | null>): number | null {
  const [columns, setColumns] = useState<number | null>(null)
  useLayoutEffect(() => {
    const element = ref.current
    const context = document.createElement('canvas').getContext('2d')
    if (element === null || context === null) return
    const observer = new ResizeObserver(() => {
      const { fontSize, fontFamily } = getComputedStyle(element)
      context.font = `${fontSize} ${fontFamily}`
      const fitting = Math.floor(element.clientWidth / context.measureText('0').width)
      const wanted = Math.min(columnsMax, Math.max(columnsMin, fitting - columnsReserved))
      setColumns(fitting === 0 ? null : wanted)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref])
  return columns
}
