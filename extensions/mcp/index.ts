import type { ExtensionAPI, ExtensionContext } from '../../core/extension-host/contract/public.js';
import { answerCommand, USAGE } from './command.js';
import { Hub } from './hub.js';
import type { ResultDetails } from './result.js';

/** The first prompt waits so long for servers that are starting; their tools come when they are ready. */
const FIRST_PROMPT_MS = 5_000;

/** Tools, resources and prompts of MCP servers. */
export default function mcp(pi: ExtensionAPI): void {
  let opening: Promise<Hub> | undefined;
  const open = (ctx: ExtensionContext): Promise<Hub> => {
    opening ??= Hub.open(pi, ctx);
    return opening;
  };
  const startedHub = async (ctx: ExtensionContext): Promise<Hub> => {
    const hub = await open(ctx);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, FIRST_PROMPT_MS);
    });
    await Promise.race([hub.started, late]);
    clearTimeout(timer);
    return hub;
  };

  pi.registerCommand('mcp', {
    description: `Shows the MCP servers: ${USAGE}`,
    handler: async (typed, ctx) => answerCommand(await open(ctx), typed, ctx),
  });
  pi.on('session_start', async (_event, ctx) => {
    await open(ctx);
  });
  pi.on('input', async ({ text }, ctx) => {
    const [, command = '', typed = ''] = /^\/(mcp:\S+)\s*([\s\S]*)$/.exec(text) ?? [];
    if (command === '') return undefined;
    // Typed before its server was ready, when it was no command yet.
    const { prompts } = await startedHub(ctx);
    if (!prompts.has(command)) return undefined;
    const content = await prompts.content(command, typed, ctx);
    if (!content) return { action: 'handled' as const };
    const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    return { action: 'transform' as const, text: texts.join('\n'), images: content.filter((part) => part.type === 'image') };
  });
  pi.on('before_agent_start', async (_event, ctx) => {
    await startedHub(ctx);
  });
  // A tool that throws can't show what else the server answered: the details say that it is an error.
  pi.on('tool_result', ({ details }) => {
    const { mcp: ours, isError } = (details ?? {}) as Partial<ResultDetails>;
    return ours && isError ? { isError: true } : undefined;
  });
  pi.on('session_shutdown', async () => {
    await (await opening)?.close();
  });
}
