/** Code that sends a first decision, with the address of this installation. */
import { useState } from 'react'
import { CopyButton } from '../ui/copy-button.tsx'
import { useOnboarding } from './use-onboarding.ts'

const languages = {
  '.env': 'env',
  curl: 'curl',
  TypeScript: 'typescript',
  Python: 'python'
} as const
const names = ['.env', 'curl', 'TypeScript', 'Python'] as const

/** @param apiKey written into the code instead of the placeholder */
export function Snippets({ apiKey = '$&' }: { readonly apiKey?: string }) {
  const [shown, setShown] = useState<(typeof names)[number]>('.env')
  const { data } = useOnboarding()
  const code = data?.snippets[languages[shown]].replaceAll('slk_YOUR_API_KEY', apiKey) ?? ''
  return (
    <div role="group" aria-label="Code">
      <p className="actions">
        {names.map((name) => {
          const press = { 'aria-pressed': name === shown, onClick: () => setShown(name) }
          return <button key={name} type="button" className="small" {...press} children={name} />
        })}
        <CopyButton text={code} label="Copy the code" />
      </p>
      <pre className="command" tabIndex={0} children={code} />
    </div>
  )
}
