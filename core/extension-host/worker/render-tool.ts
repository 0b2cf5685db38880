import type { ExtensionTool, ThemeApi } from '../contract/public.js';

const WIDTH = 100;
type Renderer = (...args: unknown[]) => unknown;

/** The lines a tool's own renderers make of a call and its result, for a page; null where it has none or they fail. */
export function renderTool(
  tool: ExtensionTool,
  { args, result }: Record<string, unknown>,
  theme: ThemeApi,
): { call: string[] | null; result: string[] | null } {
  const context = { args, toolCallId: '', state: {}, invalidate: () => undefined, lastComponent: undefined };
  return {
    call: lines(() => (tool.renderCall as Renderer | undefined)?.call(tool, args, theme, context)),
    result: lines(() =>
      (tool.renderResult as Renderer | undefined)?.call(tool, result, { expanded: true, isPartial: false }, theme, context),
    ),
  };
}

function lines(make: () => unknown): string[] | null {
  try {
    const component = make() as { render?: (width: number) => unknown } | undefined;
    const rendered = component?.render?.(WIDTH);
    return Array.isArray(rendered) ? rendered.map(String) : null;
  } catch {
    // The page shows the call and the result without the tool's help.
    return null;
  }
}
