import type { CallToolResult, ContentBlock, EmbeddedResource } from '@modelcontextprotocol/sdk/types.js';
import type { ExtensionToolResult, ImageContent, TextContent } from '../../core/extension-host/contract/public.js';
import { hostPackage } from '../shared/host-package.js';
import type { ResultFiles } from './files.js';
import type { Redact } from './secrets.js';

/** Marks results of MCP tools; the handler of `tool_result` makes an error of those that are one. */
export interface ResultDetails {
  mcp: { server: string; tool: string };
  isError: boolean;
  structuredContent?: unknown;
}

export interface ResultPlace {
  server: string;
  tool: string;
  redact: Redact;
  files: ResultFiles;
}

type Part = TextContent | ImageContent;

const MAX_TEXT = { maxBytes: 50 * 1024, maxLines: 2_000 };
/** Of base64. All images of a result cross to the core in one message. */
const MAX_IMAGE_CHARS = 3 * 1024 * 1024;
const MAX_IMAGES = 2;

/** What a server answered, as the result of a tool: texts within the limits of the program's own tools, images, and the rest as files. */
export async function toToolResult(result: CallToolResult, place: ResultPlace): Promise<ExtensionToolResult> {
  const { structuredContent, isError = false } = result;
  const parts = await toParts(result.content ?? [], place);
  if (structuredContent !== undefined && !parts.some(({ type }) => type === 'text')) {
    parts.push({ type: 'text', text: JSON.stringify(structuredContent, null, 2) });
  }
  const details: ResultDetails = {
    mcp: { server: place.server, tool: place.tool },
    isError,
    ...(structuredContent !== undefined && { structuredContent: redacted(structuredContent, place.redact) }),
  };
  return { content: await withinLimits(parts, place), details };
}

export async function toParts(blocks: readonly ContentBlock[], place: ResultPlace): Promise<Part[]> {
  const images = blocks.filter(({ type }) => type === 'image');
  return Promise.all(
    blocks.map(async (block): Promise<Part> => {
      switch (block.type) {
        case 'text':
          return { type: 'text', text: block.text };
        case 'image':
          return images.indexOf(block) < MAX_IMAGES ? asImage(block, place) : asFile('image', block, place);
        case 'audio':
          return asFile('audio', block, place);
        case 'resource':
          return resourcePart(block.resource, place);
        case 'resource_link':
          return { type: 'text', text: `[Resource ${block.uri}${about(block)}: read it with mcp_resources]` };
      }
    }),
  );
}

/** A text as it is, under its address; an image; or a file. */
export async function resourcePart(resource: EmbeddedResource['resource'], place: ResultPlace): Promise<Part> {
  const { uri, mimeType = 'application/octet-stream' } = resource;
  if ('text' in resource) return { type: 'text', text: `[Resource ${uri}]\n${resource.text}` };
  const binary = { data: resource.blob, mimeType };
  return mimeType.startsWith('image/') ? asImage(binary, place) : asFile(uri, binary, place);
}

interface Binary {
  data: string;
  mimeType: string;
}

async function asImage({ data, mimeType }: Binary, place: ResultPlace): Promise<Part> {
  if (data.length > MAX_IMAGE_CHARS) return asFile('image', { data, mimeType }, place);
  return { type: 'image', data, mimeType };
}

async function asFile(name: string, { data, mimeType }: Binary, { files }: ResultPlace): Promise<TextContent> {
  const bytes = Buffer.from(data, 'base64');
  const file = await files.keep(name, bytes);
  return { type: 'text', text: `[${name} (${mimeType}, ${bytes.length} bytes) is in ${file}]` };
}

function about({
  name,
  mimeType,
  description,
}: {
  name: string;
  mimeType?: string | undefined;
  description?: string | undefined;
}): string {
  const facts = [name, mimeType, description].filter(Boolean).join(', ');
  return facts === '' ? '' : ` (${facts})`;
}

/** All texts share one limit. The whole is kept in a file when it is over it. */
export async function withinLimits(parts: readonly Part[], { redact, files, tool }: ResultPlace): Promise<Part[]> {
  const safe = parts.map((part) => (part.type === 'text' ? { ...part, text: redact(part.text) } : part));
  const whole = safe.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const { truncateHead } = await hostPackage();
  const { content, truncated } = truncateHead(whole, MAX_TEXT);
  if (!truncated) return safe.length > 0 ? safe : [{ type: 'text', text: 'It answered with nothing.' }];
  const file = await files.keep(`${tool}.txt`, whole);
  const note = `[Cut: ${Buffer.byteLength(whole)} bytes in all. The whole is in ${file}]`;
  return [{ type: 'text', text: `${content}\n\n${note}` }, ...safe.filter(({ type }) => type === 'image')];
}

function redacted(value: unknown, redact: Redact): unknown {
  return JSON.parse(JSON.stringify(value), (_key, inner: unknown) => (typeof inner === 'string' ? redact(inner) : inner));
}
