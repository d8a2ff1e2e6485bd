/** The theme of VitePress without its web font: the fonts of the system are there at once. */
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
