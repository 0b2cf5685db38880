import { shortId } from '../../base/id.js';

/** The session that `setup` of `newSession` may fill before it exists: what it appends becomes the first entries. */
export class SetupSession {
  readonly appended: Record<string, unknown>[] = [];

  appendMessage(message: unknown): string {
    return this.#append({ type: 'message', message });
  }

  appendThinkingLevelChange(thinkingLevel: string): string {
    return this.#append({ type: 'thinking_level_change', thinkingLevel });
  }

  appendModelChange(provider: string, modelId: string): string {
    return this.#append({ type: 'model_change', provider, modelId });
  }

  appendCustomEntry(customType: string, data?: unknown): string {
    return this.#append({ type: 'custom', customType, data });
  }

  appendCustomMessageEntry(customType: string, content: unknown, display: boolean, details?: unknown): string {
    return this.#append({ type: 'custom_message', customType, content, display, details });
  }

  appendSessionInfo(name: string): string {
    return this.#append({ type: 'session_info', name });
  }

  appendLabelChange(targetId: string, label?: string): string {
    return this.#append({ type: 'label', targetId, label });
  }

  getEntries(): Record<string, unknown>[] {
    return this.appended.slice();
  }

  getBranch(): Record<string, unknown>[] {
    return this.appended.slice();
  }

  getLeafId(): string | null {
    return (this.appended.at(-1)?.id as string | undefined) ?? null;
  }

  #append(entry: Record<string, unknown>): string {
    const id = shortId();
    this.appended.push({ ...entry, id });
    return id;
  }
}
