import type { ExtensionRecord } from '../../extension-host/host/extension-record.js';
import type { Extensions } from '../../extension-host/host/extensions.js';

/** A shutdown handler that was not done in its time. */
export interface LateGoodbye {
  record: ExtensionRecord;
  waitedMs: number;
}

/**
 * Tells extensions that their instances end, each after the one before is done. They have `limitMs` together: one that is not done after
 * half of what is left, dialogs not counted, is late, and the others are told all the same. Never rejects.
 */
export async function sayGoodbye(
  extensions: Extensions,
  event: { type: 'session_shutdown'; reason: string; targetSessionFile?: string },
  limitMs: number,
  onLate: (late: LateGoodbye) => void,
): Promise<void> {
  let leftMs = limitMs;
  for (const record of extensions.records) {
    const told = extensions.hook({ ...event }, undefined, new Set([record.name]));
    if (!told) continue;
    const waitedMs = Math.max(1, Math.round(leftMs / 2));
    const isDone = extensions.limit(told, waitedMs, 'session_shutdown').then(
      () => true,
      () => false,
    );
    const startedAt = performance.now();
    if (!(await isDone)) onLate({ record, waitedMs });
    // A person's time counts no more than the handler may take.
    leftMs -= Math.min(waitedMs, performance.now() - startedAt);
  }
}
