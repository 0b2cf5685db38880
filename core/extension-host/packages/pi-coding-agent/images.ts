import { CodedError } from '../../../base/coded-error.js';
import { fileKind } from '../../../tools/file-kind.js';
import { CODING_AGENT_ERRORS } from './errors.js';
import { imageSize } from './image-size.js';

export interface ImageResizeOptions {
  maxWidth?: number;
  maxHeight?: number;
  /** Of the base64 text. */
  maxBytes?: number;
  jpegQuality?: number;
}

export interface ResizedImage {
  /** Base64. */
  data: string;
  mimeType: string;
  originalWidth: number;
  originalHeight: number;
  width: number;
  height: number;
  wasResized: boolean;
}

const LIMITS = { maxWidth: 2000, maxHeight: 2000, maxBytes: 4.5 * 1024 * 1024 };

/**
 * Gives an image that is within the limits back as it is; null for what is no image. One that is too large is an error
 * (PACKAGE_IMAGE_UNSUPPORTED): there is no image library here that could make it smaller.
 */
export async function resizeImage(
  image: Uint8Array | { data: string; mimeType: string },
  mimeType?: string,
  options: ImageResizeOptions = {},
): Promise<ResizedImage | null> {
  const bytes = image instanceof Uint8Array ? Buffer.from(image) : Buffer.from(image.data, 'base64');
  const kind = fileKind(bytes);
  const size = imageSize(bytes);
  if (kind.kind !== 'image' || !size) return null;
  const { maxWidth, maxHeight, maxBytes } = { ...LIMITS, ...options };
  const data = bytes.toString('base64');
  if (size.width > maxWidth || size.height > maxHeight || data.length > maxBytes) {
    throw new CodedError(
      CODING_AGENT_ERRORS.IMAGE_UNSUPPORTED,
      `The image of ${size.width}x${size.height} (${data.length} bytes as base64) is beyond ${maxWidth}x${maxHeight} or ${maxBytes} bytes, ` +
        'and there is no image library here to make it smaller. Resize it with a program first',
    );
  }
  const { width, height } = size;
  const given = image instanceof Uint8Array ? mimeType : image.mimeType;
  return {
    data,
    mimeType: given ?? kind.mimeType,
    originalWidth: width,
    originalHeight: height,
    width,
    height,
    wasResized: false,
  };
}

/** A PNG comes back as it is; anything else is null, which callers take for "could not be converted". */
export async function convertToPng(data: string, mimeType: string): Promise<{ data: string; mimeType: string } | null> {
  return mimeType === 'image/png' ? { data, mimeType } : null;
}

/** What a model is told of an image that was made smaller; undefined for one that was not. */
export function formatDimensionNote(image: ResizedImage): string | undefined {
  if (!image.wasResized) return undefined;
  const { originalWidth, originalHeight, width, height } = image;
  const factor = (originalWidth / width).toFixed(2);
  return `[Image: original ${originalWidth}x${originalHeight}, displayed at ${width}x${height}. Multiply coordinates by ${factor} to map to original image.]`;
}
