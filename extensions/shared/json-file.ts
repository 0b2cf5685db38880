import { readFile } from 'node:fs/promises';

/** What a settings file of an extension says; undefined when it is not there. Throws a sentence that names it. */
export async function readJsonObject(file: string): Promise<Record<string, unknown> | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new Error(`${file} can't be read (${code})`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new Error(`${file} is no JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Error(`${file} must hold an object`);
}

/** A member that is a list of texts; none when it is not there. Throws a sentence that names file and member. */
export function textsOf(content: Record<string, unknown> | undefined, member: string, file: string): string[] {
  const value = content?.[member];
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== '')) return value;
  throw new Error(`${file}: "${member}" must be a list of texts`);
}
