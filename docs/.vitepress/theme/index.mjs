import DefaultTheme, { VPHomeFeatures } from 'vitepress/theme-without-fonts';
import TokenStrip from './TokenStrip.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('TokenStrip', TokenStrip);
    app.component('HomeFeatures', VPHomeFeatures);
  },
};
