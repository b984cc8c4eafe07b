/** The view of the tail for a component: at most one change per 100 ms, and none while frozen. */
import { useEffect, useMemo, useRef, useState } from 'react'
import { parseQuery } from '../query/parse-query.ts'
import { useSession } from '../session/use-session.ts'
import { joinTail } from './join-tail.ts'
import { createTailBuffer } from './tail-buffer.ts'
import type { TailView } from './tail-buffer.ts'

const commitMs = 100
const nothing: TailView = { rows: [], seen: 0, fresh: 0, lastEventMs: null, cut: null }

export function useLive(q: string, isFrozen: boolean): TailView {
  const { organizationId = '' } = useSession()
  const buffer = useMemo(() => createTailBuffer(parseQuery(q).search), [q, organizationId])
  const [view, setView] = useState(nothing)
  const commit = (): void => setView((before) => buffer.view(before, isFrozen))
  const now = useRef({ buffer, commit })
  useEffect(() => {
    now.current = { buffer, commit }
  })
  useEffect(() => setView(buffer.view(nothing, false)), [buffer])
  useEffect(() => setView((before) => buffer.view(before, isFrozen)), [buffer, isFrozen])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const leave = joinTail(organizationId, (update) => {
      now.current.buffer.take(update)
      timer ??= setTimeout(() => {
        timer = undefined
        now.current.commit()
      }, commitMs)
    })
    return () => {
      leave()
      clearTimeout(timer)
    }
  }, [organizationId])
  return view
}
