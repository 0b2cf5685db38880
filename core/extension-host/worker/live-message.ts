type Fields = Record<string, unknown>;

/**
 * The answer that is being streamed, put together from its steps: `message_update` carries it whole to listeners, and sending it whole
 * over the boundary would cost the square of its length.
 */
export class LiveMessage {
  #message: Fields | undefined;
  readonly #partialArguments = new Map<number, string>();

  /** Notes what the event says of the message. For `message_update` the event gets the message so far; it is one object, growing. */
  follow(event: Fields): void {
    switch (event.type) {
      case 'message_start':
        this.#partialArguments.clear();
        this.#message =
          (event.message as Fields | undefined)?.role === 'assistant' ? structuredClone(event.message as Fields) : undefined;
        return;
      case 'message_update':
        this.#message ??= { role: 'assistant', content: [] };
        this.#apply(event.assistantMessageEvent as Fields);
        event.message = this.#message;
        (event.assistantMessageEvent as Fields).partial = this.#message;
        return;
      case 'message_end':
        this.#message = undefined;
    }
  }

  #apply(step: Fields): void {
    const content = this.#message?.content as Fields[];
    const at = step.contentIndex as number;
    const block = content[at];
    switch (step.type) {
      case 'text_start':
        content[at] = { type: 'text', text: '' };
        return;
      case 'thinking_start':
        content[at] = { type: 'thinking', thinking: '' };
        return;
      case 'toolcall_start':
        content[at] = { type: 'toolCall', id: step.id ?? '', name: step.toolName ?? '', arguments: {} };
        return;
      case 'text_delta':
        if (block) block.text = `${block.text ?? ''}${step.delta}`;
        return;
      case 'thinking_delta':
        if (block) block.thinking = `${block.thinking ?? ''}${step.delta}`;
        return;
      case 'toolcall_delta':
        this.#partialArguments.set(at, (this.#partialArguments.get(at) ?? '') + String(step.delta));
        return;
      case 'text_end':
        content[at] = { ...block, type: 'text', text: step.content };
        return;
      case 'thinking_end':
        content[at] = { ...block, type: 'thinking', thinking: step.content };
        return;
      case 'toolcall_end':
        content[at] = step.toolCall as Fields;
    }
  }
}
