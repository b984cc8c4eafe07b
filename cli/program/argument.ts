/** How texts of options are parsed. */
import { InvalidArgumentError } from 'commander'

/** So that what is wrong is told together with the option it is about. */
export function argument<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text)
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error))
    }
  }
}
