/** The page's only script: search in the list, the place where one is, and opening what a link leads to. */
export const SCRIPT = `
(() => {
  const search = document.querySelector('nav input');
  const links = [...document.querySelectorAll('nav a')];
  const texts = links.map((link) => link.textContent.toLowerCase());
  search.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    links.forEach((link, at) => { link.parentElement.hidden = !words.every((word) => texts[at].includes(word)); });
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== search) { event.preventDefault(); search.focus(); }
    if (event.key === 'Escape' && document.activeElement === search) { search.value = ''; search.dispatchEvent(new Event('input')); search.blur(); }
  });
  const byId = new Map(links.map((link) => [link.hash.slice(1), link]));
  let here;
  const mark = (id) => {
    const link = byId.get(id);
    if (!link || link === here) return;
    if (here) { here.classList.remove('here'); here.removeAttribute('aria-current'); }
    here = link;
    link.classList.add('here');
    link.setAttribute('aria-current', 'true');
  };
  const articles = [...document.querySelectorAll('article')];
  const places = new Map(articles.map((article, at) => [article, at]));
  const visible = new Set();
  const seen = new IntersectionObserver((changes) => {
    for (const change of changes) visible[change.isIntersecting ? 'add' : 'delete'](places.get(change.target));
    if (visible.size > 0) mark(articles[Math.min(...visible)].id);
  }, { rootMargin: '-24px 0px -75% 0px' });
  for (const article of articles) seen.observe(article);
  const arrive = () => { const id = decodeURIComponent(location.hash.slice(1)); mark(id); byId.get(id)?.scrollIntoView({ block: 'nearest' }); };
  addEventListener('hashchange', arrive);
  if (location.hash) arrive();
})();
`.trim();
