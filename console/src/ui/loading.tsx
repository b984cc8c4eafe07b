/** Shows that a request is in progress: nothing at first, then the elapsed time and Cancel. */
import { useEffect, useState } from 'react'

interface LoadingProps {
  readonly label: string
  readonly onCancel?: () => void
}

const patientSeconds = 2

export function Loading({ label, onCancel }: LoadingProps) {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1000)
    return () => clearInterval(timer)
  }, [])
  const isLong = seconds >= patientSeconds
  return (
    <div className="loading" role="status">
      {label}
      {isLong && ` ${seconds} s `}
      {isLong && onCancel !== undefined && (
        <button type="button" className="small" onClick={onCancel}>
          Cancel
        </button>
      )}
    </div>
  )
}
