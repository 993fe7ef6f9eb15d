/** A page for browsers: a hundred images, whose loading it tells of. */

export const IMAGES = 100;
export const IMAGE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8" fill="green"/></svg>';

const images = Array.from({ length: IMAGES }, (_, i) => `<img src="/image/${i}" width="8" height="8" alt="">`);
export const GALLERY_PAGE = `<!doctype html><title>Gallery</title><link rel="icon" href="data:,"><body>${images.join('')}</body>`;
