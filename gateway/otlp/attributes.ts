/** Attributes of a span by key. Taking a value removes it. */
import { textOf } from './span.ts'
import type { Value, Values } from './span.ts'

export class Attributes {
  readonly #values: Map<string, Value>

  /** @param values owned by this object from now on */
  constructor(values: Map<string, Value>) {
    this.#values = values
  }

  has(key: string): boolean {
    return this.#values.has(key)
  }

  /** Returns a value as text without taking it. */
  peek(key: string): string | null {
    const value = this.#values.get(key)
    return value === undefined ? null : textOf(value)
  }

  /** Takes the value of the first key that has one; undefined if there is none. */
  take(keys: readonly string[]): Value | undefined {
    for (const key of keys) {
      const value = this.#values.get(key)
      if (value === undefined) continue
      this.#values.delete(key)
      return value
    }
    return undefined
  }

  /** Takes the first value that is not empty, as text. */
  takeText(keys: readonly string[]): string | null {
    for (const key of keys) {
      const value = this.#values.get(key)
      if (value === undefined || value === null || value === '') continue
      this.#values.delete(key)
      return textOf(value)
    }
    return null
  }

  /** Takes the values whose keys begin with `prefix`. */
  takeUnder(prefix: string): [key: string, value: Value][] {
    const taken: [string, Value][] = []
    for (const [key, value] of this.#values) {
      if (!key.startsWith(prefix)) continue
      taken.push([key, value])
      this.#values.delete(key)
    }
    return taken
  }

  /** Returns what is left. */
  rest(): Values {
    return this.#values
  }
}
