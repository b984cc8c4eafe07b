/** Records all calls to the metrics, for tests. */
import type { Metrics } from '../../../platform/telemetry/metrics.ts'

export interface Measurement {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export class RecordingMetrics implements Metrics {
  readonly counts: Measurement[] = []
  readonly levels: Measurement[] = []
  readonly observations: Measurement[] = []
  readonly #looks: (() => void)[] = []

  count: Metrics['count'] = (name, labels, by = 1) =>
    void this.counts.push({ name, labels: { ...labels }, value: by })

  counter: Metrics['counter'] =
    (name, labels) =>
    (by = 1) =>
      this.count(name, labels, by)

  set: Metrics['set'] = (name, labels, value) =>
    void this.levels.push({ name, labels: { ...labels }, value })

  observe: Metrics['observe'] = (name, labels, value) =>
    void this.observations.push({ name, labels: { ...labels }, value })

  histogram: Metrics['histogram'] = (name, labels) => (value) => this.observe(name, labels, value)

  onCollect(look: () => void): void {
    this.#looks.push(look)
  }

  /** Returns the current value of a gauge. */
  levelOf(name: string): number | undefined {
    for (const look of this.#looks) look()
    return this.levels.findLast((level) => level.name === name)?.value
  }

  /** Returns the labels of each increment of a counter, in order. */
  labelsOf(name: string): Measurement['labels'][] {
    return this.counts.filter((each) => each.name === name).map(({ labels }) => labels)
  }
}
