/** Prints the bill of materials of the image in CycloneDX format. */
// npm sbom --package-lock-only --sbom-format cyclonedx | node deploy/release/bill-of-materials.ts
import { text } from 'node:stream/consumers'

interface Component {
  readonly 'bom-ref': string
  readonly name: string
  readonly properties?: readonly { readonly name: string; readonly value: string }[]
}

interface Bill {
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

function isTool({ properties = [] }: Component): boolean {
  return properties.some((each) => each.name === 'cdx:npm:package:development')
}

/**
 * Removes development packages and the dependency edges to them. `npm sbom --omit dev` would also
 * remove packages that both tools and the product need, for example pg and undici.
 */
function billOfMaterials<T extends Bill>(whole: T): T {
  const tools = new Set(whole.components.filter(isTool).map((each) => each['bom-ref']))
  const dependencies = whole.dependencies
    .filter(({ ref }) => !tools.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((to) => !tools.has(to)) }))
  return { ...whole, components: whole.components.filter((each) => !isTool(each)), dependencies }
}

if (import.meta.main) {
  const bill = billOfMaterials(JSON.parse(await text(process.stdin)) as Bill)
  process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`)
}
