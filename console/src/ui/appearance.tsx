/** Controls of the theme, the time zone and the single keys. */
import { applyTheme, browserZone, themes } from './preferences.ts'
import { useKeysPreference, useTheme, useZone } from './preferences.ts'

export function ThemeSelect() {
  const [theme, setTheme] = useTheme()
  const change = (next: string): void => {
    setTheme(next)
    applyTheme(next)
  }
  return (
    <label>
      Theme
      <select value={theme} onChange={(event) => change(event.target.value)}>
        {themes.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  )
}

/** Browsers list these zones under names that the time zone database no longer uses. */
const renamed = ['Asia/Ho_Chi_Minh', 'Asia/Kathmandu', 'Asia/Kolkata', 'Asia/Yangon', 'Europe/Kyiv']
const listed = [...renamed, ...Intl.supportedValuesOf('timeZone')].sort()
const zones = [...new Set([browserZone, 'UTC', ...listed])]

export function ZoneSelect() {
  const [zone, setZone] = useZone()
  return (
    <label>
      Time zone
      <select value={zone} onChange={(event) => setZone(event.target.value)}>
        {zones.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  )
}

export function KeysSwitch() {
  const [isOn, setIsOn] = useKeysPreference()
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={isOn === 'on'}
        onChange={(event) => setIsOn(event.target.checked ? 'on' : 'off')}
      />
      Enable single-key shortcuts
    </label>
  )
}
