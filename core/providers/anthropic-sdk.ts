import { BaseAnthropic } from '@anthropic-ai/sdk/client';
import { VERSION } from '@anthropic-ai/sdk/version';
import { sendWireRequest, toWireRequest } from './sdk-transport.js';

/**
 * The SDK's client without its resources: a quarter of its size, and all that a request needs. Sends through our transport. The
 * two steps are replaced that would build `Headers`, which load Node's whole fetch. Load with `import()` only.
 */
export class WireAnthropic extends BaseAnthropic {
  constructor(baseURL: string) {
    super({
      baseURL,
      // A key of any kind keeps the SDK from looking for one; what is sent is in the headers.
      apiKey: 'in-headers',
      maxRetries: 0,
      logLevel: 'off',
      openTelemetry: false,
    });
  }

  override async buildRequest(options: Parameters<BaseAnthropic['buildRequest']>[0]): ReturnType<BaseAnthropic['buildRequest']> {
    const url = this.buildURL(options.path, null);
    return toWireRequest(url, options, `Anthropic/JS ${VERSION}`);
  }

  override fetchWithTimeout(url: unknown, init: RequestInit | undefined): Promise<Response> {
    return sendWireRequest(url, init);
  }
}
