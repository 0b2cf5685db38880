/** True for a `tool_call` event of the tool; tells TypeScript what its `input` is. Source: extensions document, "tool_call". */
export function isToolCallEventType<N extends string, I = Record<string, unknown>>(
  toolName: N,
  event: { toolName: string },
): event is { toolName: N; input: I } & typeof event {
  return event.toolName === toolName;
}

type ResultEvent = { toolName: string };
const isResultOf =
  <N extends string>(name: N) =>
  (event: ResultEvent): event is ResultEvent & { toolName: N } =>
    event.toolName === name;

export const isBashToolResult = isResultOf('bash');
export const isReadToolResult = isResultOf('read');
export const isEditToolResult = isResultOf('edit');
export const isWriteToolResult = isResultOf('write');
export const isGrepToolResult = isResultOf('grep');
export const isFindToolResult = isResultOf('find');
export const isLsToolResult = isResultOf('ls');
