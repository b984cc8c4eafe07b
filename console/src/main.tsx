/** Entry point of the console: renders the application into the page. */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { JsonView } from './json/json-view.tsx'
import './styles/tokens.css'

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no element #root.')
createRoot(root).render(
  <StrictMode>
    <JsonView text='{"sluice":1}' label="Input" />
  </StrictMode>
)
