/** Preload module that shifts the wall clock by SLUICE_TEST_CLOCK_OFFSET_MS. */
const offsetMs = Number(process.env['SLUICE_TEST_CLOCK_OFFSET_MS'] ?? 0)
const RealDate = globalThis.Date

/** Shifts only the current time, not explicit times. */
class ShiftedDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + offsetMs)
    else super(...given)
  }

  static now() {
    return RealDate.now() + offsetMs
  }
}

globalThis.Date = ShiftedDate
