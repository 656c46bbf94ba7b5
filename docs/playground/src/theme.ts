// Light, dark, or as the system has it.

const CHOICES = ['auto', 'light', 'dark'] as const;
const NAMES = { auto: 'Auto', light: 'Light', dark: 'Dark' };
const LABELS = { auto: 'Auto: theme of the system', light: 'Light theme', dark: 'Dark theme' };
const KEY = 'crayon-theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

export function followTheme(button: HTMLElement, onChange: () => void): void {
  let choice = CHOICES.find((each) => each === stored()) ?? 'auto';
  const show = () => {
    document.documentElement.dataset.theme = choice === 'auto' ? (dark.matches ? 'dark' : 'light') : choice;
    button.textContent = NAMES[choice];
    button.setAttribute('aria-label', LABELS[choice]);
    onChange();
  };
  button.addEventListener('click', () => {
    choice = CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length] as typeof choice;
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      // Kept for this visit.
    }
    show();
  });
  dark.addEventListener('change', show);
  show();
}

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
