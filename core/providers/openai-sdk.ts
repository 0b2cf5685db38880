import { OpenAI } from 'openai/client';
import { VERSION } from 'openai/version';
import { sendWireRequest, toWireRequest } from './sdk-transport.js';

/**
 * The SDK's client, sending through our transport. The two steps are replaced that would build `Headers`, which load Node's whole
 * fetch. Load with `import()` only.
 */
export class WireOpenAI extends OpenAI {
  constructor(baseURL: string) {
    super({
      baseURL,
      // What is sent is in the headers.
      apiKey: 'in-headers',
      maxRetries: 0,
      logLevel: 'off',
    });
  }

  override async buildRequest(options: Parameters<OpenAI['buildRequest']>[0]): ReturnType<OpenAI['buildRequest']> {
    const url = this.buildURL(options.path, null);
    return toWireRequest(url, options, `OpenAI/JS ${VERSION}`);
  }

  override fetchWithTimeout(url: unknown, init: RequestInit | undefined): Promise<Response> {
    return sendWireRequest(url, init);
  }
}
