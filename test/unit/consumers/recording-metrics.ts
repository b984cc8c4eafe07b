/** Metrics that keep every call, for tests to look at. */
import type { Metrics } from '../../../platform/metrics.ts'

export interface Measurement {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export class RecordingMetrics implements Metrics {
  readonly counts: Measurement[] = []
  readonly levels: Measurement[] = []
  readonly observations: Measurement[] = []

  count: Metrics['count'] = (name, labels, by = 1) =>
    void this.counts.push({ name, labels: { ...labels }, value: by })

  set: Metrics['set'] = (name, labels, value) =>
    void this.levels.push({ name, labels: { ...labels }, value })

  observe: Metrics['observe'] = (name, labels, value) =>
    void this.observations.push({ name, labels: { ...labels }, value })

  expose(): Promise<{ contentType: string; text: string }> {
    return Promise.resolve({ contentType: 'text/plain', text: '' })
  }

  /** What a gauge shows now. */
  levelOf(name: string): number | undefined {
    return this.levels.findLast((level) => level.name === name)?.value
  }

  /** The labels of each increment of a counter, in order. */
  labelsOf(name: string): Measurement['labels'][] {
    return this.counts.filter((each) => each.name === name).map(({ labels }) => labels)
  }
}
