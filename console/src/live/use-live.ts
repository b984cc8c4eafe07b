/** Provides the view of the tail for a component. Updates it at most once per 100 ms, and adds no
 * rows while it is frozen.
 */
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { parseQuery } from '../query/parse-query.ts'
import { useSession } from '../session/use-session.ts'
import { joinTail } from './join-tail.ts'
import type { LiveUpdate } from './join-tail.ts'
import { createTailBuffer } from './tail-buffer.ts'
import type { TailView } from './tail-buffer.ts'

const commitMs = 100
const nothing: TailView = { rows: [], seen: 0, fresh: 0, lastEventMs: null, cut: null }

export function useLive(q: string, isFrozen: boolean): TailView {
  const owner = useSession().owner ?? ''
  const buffer = useMemo(() => createTailBuffer(parseQuery(q).search), [q, owner])
  const [view, setView] = useState(nothing)
  const take = useEffectEvent((update: LiveUpdate) => buffer.take(update))
  const commit = useEffectEvent(() => setView((before) => buffer.view(before, isFrozen)))
  useEffect(() => setView(buffer.view(nothing, false)), [buffer])
  useEffect(() => commit(), [buffer, isFrozen])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const leave = joinTail(owner, (update) => {
      take(update)
      timer ??= setTimeout(() => {
        timer = undefined
        commit()
      }, commitMs)
    })
    return () => {
      leave()
      clearTimeout(timer)
    }
  }, [owner])
  return view
}
