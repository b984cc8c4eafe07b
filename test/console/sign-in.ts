/** Signs in to the console. */
import type { Page } from 'playwright-core'

interface Account {
  readonly email: string
  readonly password: string
}

export async function signIn(page: Page, account: Account, url = '/console/decisions') {
  await page.goto(url)
  await page.getByLabel('Email').fill(account.email)
  await page.getByLabel('Password').fill(account.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('.shell').waitFor()
}
