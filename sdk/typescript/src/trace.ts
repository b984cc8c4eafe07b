/** A decision that is made of several steps, told one by one. */
import { listen } from './listen.ts'
import { startRecording } from './recording.ts'
import type { Recorder, RecordingFields, Trace } from './recording.ts'

/**
 * Runs `work` and answers as it does; the decision is logged when `work` ends, or when what it
 * resolved with does.
 */
export function trace<T>(
  recorder: Recorder,
  work: (trace: Trace) => T,
  fields: RecordingFields = {}
): T {
  const recording = startRecording(recorder, fields)
  const fail = (error: unknown): void => void recording.fail(error)
  const end = (): void => void recording.end()
  try {
    return listen(work(recording), { value: end, chunk: () => {}, end, fail })
  } catch (error) {
    fail(error)
    throw error
  }
}
