import type { ElicitRequest, ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import type { ExtensionUI } from '../../core/extension-host/contract/public.js';
import { type Field, type FieldValue, fieldsOf } from './form-fields.js';

const ANSWER = 'Answer';
const DECLINE = 'Decline';
const SKIP = '(leave out)';
/** A value that does not fit is asked for again, so often. */
const MAX_TRIES = 3;

/** Asks the person what a server wants to know, a dialog for each field. Without a person it is declined. */
export async function elicit(
  ui: ExtensionUI,
  hasUI: boolean,
  server: string,
  params: ElicitRequest['params'],
  signal: AbortSignal,
): Promise<ElicitResult> {
  if (!hasUI) return { action: 'decline' };
  const title = `${server}: ${params.message}`;
  if (params.mode === 'url') {
    const opened = await ui.select(`${title}\n${params.url}`, ['I have opened this address', DECLINE], { signal });
    return { action: opened === undefined ? 'cancel' : opened === DECLINE ? 'decline' : 'accept' };
  }
  const begin = await ui.select(title, [ANSWER, DECLINE], { signal });
  if (begin !== ANSWER) return { action: begin === undefined ? 'cancel' : 'decline' };
  return answerForm(ui, server, params, signal);
}

async function answerForm(
  ui: ExtensionUI,
  server: string,
  { requestedSchema }: ElicitRequestFormParams,
  signal: AbortSignal,
): Promise<ElicitResult> {
  const content: Record<string, FieldValue> = {};
  for (const field of fieldsOf(requestedSchema)) {
    const answer = await askField(ui, server, field, signal);
    if (answer === undefined) return { action: 'cancel' };
    if (answer.value !== undefined) content[field.name] = answer.value;
  }
  return { action: 'accept', content };
}

/** Undefined: dismissed. A value that is undefined: left out. */
async function askField(
  ui: ExtensionUI,
  server: string,
  field: Field,
  signal: AbortSignal,
): Promise<{ value: FieldValue | undefined } | undefined> {
  let problem = '';
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const title = [`${server}: ${field.label}`, problem].filter(Boolean).join('\n');
    const text = await askText(ui, title, field, signal);
    if (text === undefined) return undefined;
    if (text === SKIP || (text === '' && !field.required)) return { value: field.fallback };
    const read = field.read(text);
    if ('value' in read) return read;
    problem = read.problem;
  }
  return undefined;
}

function askText(
  ui: ExtensionUI,
  title: string,
  { choices, required, hint }: Field,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (choices) return ui.select(title, required ? choices : [...choices, SKIP], { signal });
  return ui.input(title, hint, { signal });
}
