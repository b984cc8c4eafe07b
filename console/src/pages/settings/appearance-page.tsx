/** How the console looks in this browser, and whether single keys do something. */
import { useState } from 'react'
import { KeysSwitch, ThemeSelect, ZoneSelect } from '../../ui/appearance.tsx'
import { Page } from '../../ui/page.tsx'
import { KeySheet } from '../shortcuts.tsx'

export function AppearancePage() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Page title="Appearance">
      <p className="quiet">These settings are stored in this browser.</p>
      <div className="form">
        <ThemeSelect />
        <ZoneSelect />
        <KeysSwitch />
      </div>
      <p>
        <button type="button" onClick={() => setOpen(true)}>
          Show the keyboard shortcuts
        </button>
      </p>
      {isOpen && <KeySheet onClose={() => setOpen(false)} />}
    </Page>
  )
}
