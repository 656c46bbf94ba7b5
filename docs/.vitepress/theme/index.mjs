import { withBase } from 'vitepress';
import DefaultTheme, { VPHomeFeatures } from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import TokenStrip from './TokenStrip.vue';
import './style.css';

const notFound = () =>
  h('main', { class: 'front vp-doc' }, [h('h1', 'There is no such page'), h('p', [h('a', { href: withBase('/') }, 'To the first page')])]);

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'not-found': notFound }),
  enhanceApp({ app }) {
    app.component('TokenStrip', TokenStrip);
    app.component('HomeFeatures', VPHomeFeatures);
  },
};
