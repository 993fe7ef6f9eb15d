/** What a user does on the page of the records. */
import type { Locator, Page } from 'playwright-core';

/** The row that is open for edits. */
export const editedRow = (page: Page): Locator => page.locator('tr.row-edited');

export async function startRecord(page: Page, name: string, type: string): Promise<Locator> {
  await page.getByRole('button', { name: 'Add a record' }).first().click();
  const row = editedRow(page);
  await row.getByLabel('Name', { exact: true }).fill(name);
  await row.getByLabel('Type').selectOption(type);
  return row;
}

/** `record`: name and type. */
export async function editRecord(page: Page, record: string, content: string): Promise<void> {
  await page.getByRole('button', { name: `Edit ${record}` }).click();
  await editedRow(page).getByLabel('Value').fill(content);
  await page.keyboard.press('Enter');
}

/** Reviews the edits and saves them. */
export async function saveRecords(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Review and save' }).click();
  await confirmSave(page);
}

/** In the dialog of the edits. */
export async function confirmSave(page: Page): Promise<void> {
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Save / })
    .click();
}

/** Discards all edits, and confirms the preview. */
export async function discard(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Discard' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^Discard \d/ }).click();
  await dialog.waitFor({ state: 'detached' });
}
