// The secret of this browser's login, which the host told once. It is kept in storage that browsers bind to the
// origin, port included: a page on another port of the same host gets the login's cookie, and never this.

const kName = 'toolpost-login';
let kept = '';  // where the browser lets a page store nothing, the login ends with this tab

export function loginSecret() {
  try {
    return localStorage.getItem(kName) ?? kept;
  } catch {
    return kept;
  }
}

export function keepLoginSecret(secret) {
  kept = secret;
  try {
    localStorage.setItem(kName, secret);
  } catch { /* it is in `kept` */ }
}

// Only if it is still this one: another tab may have logged in meanwhile.
export function forgetLoginSecret(secret) {
  if (loginSecret() !== secret) return;
  kept = '';
  try {
    localStorage.removeItem(kName);
  } catch { /* it is nowhere else */ }
}

// `changed` runs when another tab logs in or out.
export function watchLoginSecret(changed) {
  addEventListener('storage', ({ key, newValue }) => {
    if (key !== null && key !== kName) return;
    kept = newValue ?? '';
    changed();
  });
}
