/** Adapts option parsers to the commander library. */
import { InvalidArgumentError } from 'commander'

/** Rethrows errors so that commander prints them with the name of the option. */
export function argument<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text)
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error))
    }
  }
}
