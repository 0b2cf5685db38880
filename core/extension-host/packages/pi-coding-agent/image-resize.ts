/** `dist/utils/image-resize.js` of the package, which extensions import by its path. Names: `Object.keys` of it, 0.84.0. */
export { formatDimensionNote, resizeImage } from './images.js';
