/** Code that sends a first decision, with the address of this installation. */
import { useState } from 'react'
import { CopyButton } from '../ui/copy-button.tsx'
import { useOnboarding } from './use-onboarding.ts'

const names = { env: '.env', curl: 'curl', typescript: 'TypeScript', python: 'Python' }
const languages = ['env', 'curl', 'typescript', 'python'] as const

/** @param apiKey written into the code instead of the placeholder */
export function Snippets({ apiKey = '$&' }: { readonly apiKey?: string }) {
  const [shown, setShown] = useState<(typeof languages)[number]>('curl')
  const { data } = useOnboarding()
  const code = data?.snippets[shown].replaceAll('slk_YOUR_API_KEY', apiKey) ?? ''
  return (
    <div role="group" aria-label="Code">
      <p className="actions">
        {languages.map((each) => {
          const press = { 'aria-pressed': each === shown, onClick: () => setShown(each) }
          return (
            <button key={each} type="button" className="small" {...press} children={names[each]} />
          )
        })}
        <CopyButton text={code} label="Copy the code" />
      </p>
      <pre className="command" tabIndex={0} children={code} />
    </div>
  )
}
